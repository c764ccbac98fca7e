from __future__ import annotations

import apsw
import pytest

from realmemory.errors import StoreError
from realmemory.store import Store, backups, migrations, opening
from realmemory.store.migrations import Step
from realmemory.store.records import NewTrace

NEXT = migrations.newest() + 1


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
    upgrade(monkeypatch, Step(NEXT, "mood", add_column))
    with Store.open(old) as store, store.read() as view:
        assert view.traces.page()[0].text == "kept"
    assert columns(old) == (NEXT, True)
    (saved,) = (old / "backups").glob(f"memory-*-before-schema-{NEXT}.db")
    assert backups.verify(saved) == 1


def test_a_step_that_fails_leaves_the_old_version(old, monkeypatch):
    with monkeypatch.context() as newer:
        upgrade(newer, Step(NEXT, "fail", fail))
        with pytest.raises(StoreError):
            Store.open(old)
    assert columns(old) == (NEXT - 1, False)
    with Store.open(old) as store, store.read() as view:
        assert view.traces.page()[0].text == "kept"


def test_an_old_store_is_not_changed_by_a_read_only_opening(old, monkeypatch):
    upgrade(monkeypatch, Step(NEXT, "mood", add_column))
    with pytest.raises(StoreError) as caught:
        Store.open(old, read_only=True)
    assert caught.value.code == "old_schema"
    assert columns(old) == (NEXT - 1, False)


@pytest.mark.parametrize("version", range(1, migrations.newest()))
def test_a_store_of_every_earlier_schema_opens_with_all_that_it_held(folder, version, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", migrations.STEPS[:version])
        with Store.open(folder) as store, store.write() as tx:
            space = tx.spaces.id_of("m", 8)
            ids = [
                tx.traces.insert(
                    NewTrace(
                        text=f"Valve {number} is shut",
                        terms=f"valve {number} shut",
                        scope="plant",
                        embedding=bytes(32),
                        space_id=space,
                    )
                )
                for number in range(40)
            ]
            tx.traces.delete(ids[:3])
        with Store.open(folder) as store, store.read() as view:
            before = (view.rev(), view.traces.page(limit=100), view.spaces.vectors(ids))
    assert columns(folder)[0] == version
    with Store.open(folder) as store:
        with store.read() as view:
            assert (view.rev(), view.traces.page(limit=100), view.spaces.vectors(ids)) == before
        assert store.verify(analyse=lambda text: text.lower().replace("is ", "")).ok
        opening_mark = opening.read_mark(store.paths)
        assert opening_mark is not None
        assert opening_mark.rev == before[0]
