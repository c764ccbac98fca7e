from __future__ import annotations

import threading

import pytest

from realmemory.errors import NotFoundError, StoreCorruptError, StoreError, StoreRefusedError
from realmemory.store import Store, backups
from realmemory.store.records import NewTrace
from realmemory.store.restoring import restore


def add(store, text="a fact"):
    with store.write() as tx:
        return tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))


def texts(store):
    with store.read() as view:
        return [trace.text for trace in view.traces.page(limit=10_000)]


def test_a_backup_stands_alone_and_is_whole(store):
    add(store, "kept")
    made = store.backup()
    assert [path.name for path in made.path.parent.glob("memory-*")] == [made.path.name]
    assert backups.verify(made.path, full=True) == made.rev == 1
    assert store.backups() == [made]


def test_backups_are_ordered_by_sequence_when_the_clock_goes_back(store, clock):
    later = store.backup()
    clock.advance(0)
    clock._now -= 4e7
    earlier_clock = store.backup()
    assert [info.path for info in store.backups()] == [later.path, earlier_clock.path]
    assert store.rotate_backups(1) == [later.path]


def test_rotation_keeps_the_newest_and_what_was_labelled(store):
    labelled = store.backup("before-import")
    made = [store.backup() for _ in range(4)]
    assert store.rotate_backups(0) == []
    gone = store.rotate_backups(2)
    assert gone == [info.path for info in made[:2]]
    assert store.backups() == [labelled, *made[2:]]


def test_rotation_keeps_one_of_each_day_and_week(store, clock):
    made = []
    for _ in range(60):
        made.append(store.backup())
        clock.advance(12 * 3600)
    store.rotate_backups(11, daily=7, weekly=4)
    left = store.backups()
    ages = [round((made[-1].created_at - info.created_at) / 86_400, 1) for info in left]
    assert len(left) == 11
    assert left[-1] == made[-1]
    days = {int(info.created_at // 86_400) for info in left}
    assert {int(made[-1].created_at // 86_400) - back for back in range(7)} <= days
    assert max(ages) >= 14, ages
    # Nothing more goes, and each place is filled while there are backups for it.
    assert store.rotate_backups(11, daily=7, weekly=4) == []
    assert len(store.rotate_backups(5)) == 6


def test_nothing_is_rotated_away_while_the_newest_is_damaged(store):
    made = [store.backup() for _ in range(3)]
    content = bytearray(made[-1].path.read_bytes())
    content[4096:8192] = bytes(4096)
    made[-1].path.write_bytes(content)
    with pytest.raises(StoreCorruptError):
        store.rotate_backups(1)
    assert store.backups() == made


def test_a_changed_letter_in_a_backup_is_found_and_deletes_no_older_one(store):
    add(store, "the valve opens at 7 bar")
    made = [store.backup() for _ in range(3)]
    content = made[-1].path.read_bytes()
    assert content.count(b"valve opens at 7 bar") == 1
    made[-1].path.write_bytes(content.replace(b"opens at 7", b"opens at 9"))
    assert backups.verify(made[-1].path, full=True) == 1
    with pytest.raises(StoreCorruptError, match="1 rows do not match"):
        backups.verify(made[-1].path, full=True, rows=True)
    with pytest.raises(StoreCorruptError, match="1 rows do not match"):
        store.rotate_backups(1)
    assert store.backups() == made
    assert [backups.verify(info.path, full=True, rows=True) for info in made[:2]] == [1, 1]


def test_a_backup_during_writes_is_a_prefix_of_what_was_written(store):
    stop = threading.Event()

    def write():
        number = 0
        while not stop.is_set():
            add(store, f"{number:06d}")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = [store.backup() for _ in range(5)]
    finally:
        stop.set()
        writer.join()
    for info in made:
        restored = info.path.parent.parent / f"drill-{info.sequence}"
        restore(restored, info.path, clock=store.clock)
        with Store.open(restored) as copy:
            found = texts(copy)
            assert copy.verify().ok
        assert found == [f"{number:06d}" for number in range(len(found))]
        assert len(found) == info.rev


def test_leftovers_of_a_killed_backup_are_not_backups(store):
    store.backup()
    leftover = store.paths.backups / ".backup.1.tmp"
    leftover.write_bytes(b"half")
    assert len(store.backups()) == 1
    store.backup()
    assert not leftover.exists()


def test_a_restore_brings_back_the_backup_and_keeps_what_it_replaced(folder, clock):
    with Store.open(folder, clock=clock) as store:
        add(store, "old")
        saved = store.backup()
        add(store, "new")
        newest = store._last_rev
    report = restore(folder, saved.path, clock=clock)
    with Store.open(folder) as store:
        assert texts(store) == ["old"]
        assert store.verify().ok
        with store.read() as view:
            # What was derived from the replaced store must not pass for current.
            assert view.rev() == report.rev > newest
            assert view.traces.changes_since(newest).needs_rebuild
    assert report.kept is not None
    assert backups.verify(report.kept, full=True) == newest


def test_an_open_store_notices_that_it_was_restored(store, clock):
    saved = store.backup()
    restore(store.directory, saved.path, clock=clock)
    for use in (lambda: add(store), lambda: texts(store)):
        with pytest.raises(StoreError) as caught:
            use()
        assert caught.value.code == "store_replaced"


@pytest.mark.parametrize("damage", ["zeroed", "gone", "text"])
def test_a_damaged_store_can_be_restored(folder, clock, damage):
    with Store.open(folder, clock=clock) as store:
        add(store, "old")
        saved = store.backup()
        store.checkpoint()
    database = folder / "memory.db"
    if damage == "gone":
        database.unlink()
    else:
        size = database.stat().st_size
        database.write_bytes(bytes(size) if damage == "zeroed" else b"text" * 3000)
    before = database.read_bytes() if database.exists() else None
    report = restore(folder, saved.path, clock=clock)
    with Store.open(folder) as store:
        assert texts(store) == ["old"]
    assert (report.kept.read_bytes() if report.kept else None) == before


def test_what_is_no_backup_is_refused_and_nothing_changes(store, tmp_path, clock):
    add(store)
    other = tmp_path / "notes.db"
    other.write_text("notes" * 2000)
    for path in (other, tmp_path / "missing.db", store.paths.database):
        with pytest.raises((StoreRefusedError, NotFoundError)):
            restore(store.directory, path, clock=clock)
    assert texts(store) == ["a fact"]


def test_a_backup_of_a_damaged_store_says_that_it_is_the_store(store):
    for n in range(400):
        add(store, f"fact {n} " + "x" * 200)
    kept = store.backup()
    store.checkpoint()
    with store.paths.database.open("r+b") as file:
        file.seek(store.paths.database.stat().st_size // 2)
        file.write(b"\xff" * 8 * 4096)
    with pytest.raises(StoreCorruptError) as caught:
        store.backup()
    assert str(store.paths.database) in str(caught.value)
    assert "realmemory repair" in str(caught.value)
    assert "make a new one" not in str(caught.value)
    assert store.backups() == [kept]
    assert list(store.paths.backups.glob(".backup.*")) == []
