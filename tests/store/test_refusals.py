"""What must not be opened is refused by name, and not a byte of it changes."""

from __future__ import annotations

import hashlib
import random

import apsw
import pytest

from realmemory.errors import StoreCorruptError, StoreError, StoreRefusedError
from realmemory.store import Store, migrations
from realmemory.store.records import NewTrace
from realmemory.store.schema import APPLICATION_ID


def digests(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name.startswith("memory.db") and path.suffix != ".db-shm"
    }


def database(path, *statements, wal=False):
    connection = apsw.Connection(str(path))
    if wal:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.pragma("journal_mode", "WAL")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def random_bytes(size):
    return random.Random(7).randbytes(size)


def make_text(path):
    path.write_text("shopping list\n" * 400)


def make_stub(path):
    path.write_text("x")


def make_png(path):
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + random_bytes(9001))


def make_encrypted(path):
    connection = apsw.Connection(str(path))
    connection.pragma("key", "a passphrase")
    connection.execute("CREATE TABLE t (x)")
    connection.close()


def make_foreign(path):
    database(path, "PRAGMA application_id = 77", "CREATE TABLE notes (x)")


def make_foreign_with_log(path):
    database(path, "CREATE TABLE notes (x)", "INSERT INTO notes VALUES (1)", wal=True)


def make_newer(path):
    database(
        path,
        "CREATE TABLE t (x)",
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {migrations.newest() + 1}",
    )


def make_triggered(path):
    database(
        path,
        "CREATE TABLE t (x)",
        "CREATE TRIGGER evil AFTER INSERT ON t BEGIN SELECT 1; END",
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {migrations.newest()}",
    )


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (make_text, "not_a_store"),
        (make_stub, "not_a_store"),
        (make_png, "not_a_store"),
        (make_encrypted, "encrypted"),
        (make_foreign, "foreign_db"),
        (make_foreign_with_log, "foreign_db"),
        (make_newer, "newer_schema"),
        (make_triggered, "foreign_db"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_another_kind_is_refused_unchanged(folder, make, code, read_only):
    folder.mkdir()
    make(folder / "memory.db")
    before = digests(folder)
    with pytest.raises(StoreRefusedError) as caught:
        Store.open(folder, read_only=read_only)
    assert caught.value.code == code
    assert str(folder) in caught.value.message
    assert {name: value for name, value in digests(folder).items() if name in before} == before


@pytest.fixture
def filled(folder):
    with Store.open(folder) as store:
        with store.write() as tx:
            for n in range(200):
                tx.traces.insert(NewTrace(text=f"fact {n} " * 20, terms="fact", scope="s"))
        store.checkpoint()
        store.backup()
    return folder


@pytest.mark.parametrize("size", [0, 1, 100, 4095, -4096, "gone"])
def test_a_shortened_store_is_never_taken_for_an_empty_one(filled, size):
    path = filled / "memory.db"
    content = path.read_bytes()
    if size == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:size])
    before = digests(filled)
    with pytest.raises(StoreCorruptError) as caught, Store.open(filled) as store, store.read():
        pass
    assert caught.value.code in {"truncated", "corrupt"}
    if size in {0, 1, 100, 4095, "gone"}:
        assert "memory-000001-" in caught.value.message
    assert digests(filled) == before


def test_a_database_of_another_store_in_our_folder_is_noticed(filled, tmp_path):
    with Store.open(tmp_path / "other") as other:
        other.checkpoint()
    (filled / "memory.db").write_bytes((tmp_path / "other" / "memory.db").read_bytes())
    with pytest.raises(StoreCorruptError) as caught:
        Store.open(filled)
    assert caught.value.code == "store_replaced"


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    for target in (path, path / "below"):
        with pytest.raises(StoreRefusedError) as caught:
            Store.open(target)
        assert caught.value.code == "not_a_store"
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "write.lock", "backups"])
def test_a_symbolic_link_inside_the_folder_is_refused(folder, tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder.mkdir()
    (folder / name).symlink_to(victim)
    with pytest.raises(StoreRefusedError) as caught:
        Store.open(folder)
    assert caught.value.code == "unsafe_path"
    assert victim.read_text() == "precious"


def test_a_folder_that_is_a_symbolic_link_is_refused(folder, tmp_path):
    (tmp_path / "real").mkdir()
    folder.symlink_to(tmp_path / "real")
    with pytest.raises(StoreRefusedError) as caught:
        Store.open(folder)
    assert caught.value.code == "unsafe_path"
    assert list((tmp_path / "real").iterdir()) == []


def test_reading_what_is_not_there_makes_nothing(folder):
    with pytest.raises(StoreError) as caught:
        Store.open(folder, read_only=True)
    assert caught.value.code == "not_a_store"
    assert not folder.exists()
