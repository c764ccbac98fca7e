from __future__ import annotations

import apsw
import pytest

from realmemory.errors import StoreError
from realmemory.store import Store, backups, migrations
from realmemory.store.migrations import Step
from realmemory.store.records import NewTrace


def add_column(connection):
    connection.execute("ALTER TABLE traces ADD COLUMN mood TEXT")


def fail(connection):
    add_column(connection)
    connection.execute("SELECT nonsense")


@pytest.fixture
def old(folder, clock):
    with Store.open(folder, clock=clock) as store, store.write() as tx:
        tx.traces.insert(NewTrace(text="kept", terms="kept", scope="s"))
    return folder


def upgrade(monkeypatch, step):
    """Let this code be one version newer."""
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, step))


def columns(folder):
    connection = apsw.Connection(str(folder / "memory.db"))
    names = [row[1] for row in connection.execute("PRAGMA table_info(traces)")]
    version = connection.pragma("user_version")
    connection.close()
    return version, "mood" in names


def test_steps_are_numbered_without_gaps():
    assert [step.version for step in migrations.STEPS] == list(range(1, migrations.newest() + 1))


def test_an_upgraded_schema_equals_a_fresh_one(store):
    found = migrations.describe(store._writer.connection())
    assert set(found) == set(migrations.expected_schema())


def test_an_old_store_is_brought_up_to_date_after_a_backup(old, monkeypatch):
    upgrade(monkeypatch, Step(2, "mood", add_column))
    with Store.open(old) as store, store.read() as view:
        assert view.traces.page()[0].text == "kept"
    assert columns(old) == (2, True)
    (saved,) = (old / "backups").glob("memory-*-before-schema-2.db")
    assert backups.verify(saved) == 1


def test_a_step_that_fails_leaves_the_old_version(old, monkeypatch):
    with monkeypatch.context() as newer:
        upgrade(newer, Step(2, "fail", fail))
        with pytest.raises(StoreError):
            Store.open(old)
    assert columns(old) == (1, False)
    with Store.open(old) as store, store.read() as view:
        assert view.traces.page()[0].text == "kept"


def test_an_old_store_is_not_changed_by_a_read_only_opening(old, monkeypatch):
    upgrade(monkeypatch, Step(2, "mood", add_column))
    with pytest.raises(StoreError) as caught:
        Store.open(old, read_only=True)
    assert caught.value.code == "old_schema"
    assert columns(old) == (1, False)
