"""A disk or a quota that is full, whatever the memory was about to do."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.errors import StoreFullError
from realmemory.store import Store
from realmemory.store.records import NewTrace


@pytest.fixture
def small_disk(bench, tmp_path):
    """Four megabytes that belong to the store alone."""
    bench.folder = tmp_path / "disk" / "store"
    mount = bench.folder.parent
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(mount)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("needs the right to mount a small tmpfs")
    yield mount
    subprocess.run(["umount", "--lazy", str(mount)], check=True)


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
def test_a_full_disk_refuses_writes_and_keeps_reading(bench, small_disk):
    done = bench.run("fill")
    code, number, rows = done.stdout.split()
    assert (code, number) == ("disk_full", rows), done.stderr
    assert int(rows) > 20
    bench.check_promised_only()
    with Store.open(bench.folder) as store, pytest.raises(StoreFullError, match="bytes free"):
        store.backup()
    assert list((bench.folder / "backups").glob(".backup.*")) == []
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    with Store.open(bench.folder) as store:
        store.checkpoint()
        assert store.wal_size() == 0
    assert bench.run("write", 20).returncode == 0
    bench.check_promised_only()


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
@pytest.mark.parametrize("words", [["export"], ["export", "--markdown"], ["report", "--html"]])
def test_a_full_disk_is_named_by_what_is_written_to_it(small_disk, tmp_path, capsys, words):
    with Hippocampus.open(tmp_path / "memory") as memory:
        memory.remember_many(f"Valve {number} opens at {number * 13} bar" for number in range(60))
    target = small_disk / "pages" if "--markdown" in words else small_disk / "out.jsonl"
    with contextlib.suppress(OSError), (small_disk / "filler").open("wb") as filler:
        while True:
            filler.write(bytes(4096))

    assert run(["--path", str(tmp_path / "memory"), *words, str(target)]) == exits.FULL

    told = capsys.readouterr().err
    assert str(target) in told
    assert "[disk_full]" in told
    assert "Free space" in told
    assert not list(small_disk.glob(".out*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_the_output_says_what_to_do(tmp_path):
    with Hippocampus.open(tmp_path / "memory") as memory:
        memory.remember("Valve 7 opens at 13 bar")
    command = [sys.executable, "-m", "realmemory", "--path", str(tmp_path / "memory"), "export"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == exits.FULL
    assert "the output" in done.stderr
    assert "Free space" in done.stderr


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="needs ulimit -f")
def test_a_quota_is_a_full_disk(bench):
    done = bench.run("fill", prefix=("bash", "-c", 'ulimit -f 1024; exec "$@"', "sh"))
    code, number, rows = done.stdout.split()
    assert (code, number) == ("disk_full", rows), done.stderr
    bench.check_promised_only()
    assert bench.run("write", 20).returncode == 0
    bench.check_promised_only()


@pytest.mark.skipif(os.name != "posix", reason="needs ulimit -n")
def test_too_few_descriptors_are_named(bench):
    with Store.open(bench.folder):
        pass
    done = bench.run("fill", prefix=("bash", "-c", 'ulimit -n 7; exec "$@"', "sh"))
    assert done.stdout.split()[0] in {"io_error", "cannot_open"}, done.stderr
    assert bench.run("write", 3).returncode == 0
    bench.check_promised_only()


@pytest.fixture
def crowded(bench, small_disk):
    """A store of 0.7 MB on the small disk; call with the bytes that something else leaves free."""
    with Store.open(bench.folder) as store:
        with store.write() as tx:
            for number in range(150):
                text = f"{number} " + "z" * 3_000
                tx.traces.insert(NewTrace(text=text, terms=f"n{number}", scope="global"))
        store.checkpoint()
    filler = small_disk / "filler"

    def leave(room):
        filler.unlink(missing_ok=True)
        free = shutil.disk_usage(small_disk).free
        filler.write_bytes(bytes(max(0, free - room)))

    leave.nothing = filler.unlink
    return leave


def state(bench):
    with contextlib.closing(apsw.Connection(str(bench.folder / "memory.db"))) as connection:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        texts = connection.execute("SELECT count(*), sum(length(text)) FROM traces").get
        return connection.pragma("user_version"), connection.pragma("integrity_check"), texts


@pytest.mark.parametrize("room", [200_000, 1_000_000], ids=["for no copy", "for the copy alone"])
def test_a_migration_without_room_changes_nothing_and_can_be_tried_again(bench, crowded, room):
    crowded(room)
    before = state(bench)
    for _ in range(3):
        refused = bench.run("migrate")
        assert "StoreFullError" in refused.stderr, refused.stderr
        assert "bytes free" in refused.stderr
        assert state(bench) == before
        # A copy for each attempt would fill what is left.
        assert list((bench.folder / "backups").glob("*.db")) == []
        assert list((bench.folder / "backups").glob(".backup.*")) == []
    crowded.nothing()
    assert bench.run("migrate").returncode == 0
    assert state(bench) == (before[0] + 1, *before[1:])


def test_a_sleep_without_room_is_refused_and_leaves_the_memory_whole(bench, small_disk):
    """Notes of long ago are ready to be archived when something else fills the disk."""
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    from_long_ago = FakeClock(1.6e9)
    with Hippocampus.open(bench.folder, clock=from_long_ago) as memory:
        for number in range(60):
            memory.remember(f"Note {number} of crane {number * 7}", force_new=True)
        before = [(trace.id, trace.status, trace.text) for trace in memory.list(limit=100)]
        memory.context.store.checkpoint()
    filler = small_disk / "filler"
    filler.write_bytes(bytes(max(0, shutil.disk_usage(small_disk).free - 8_192)))
    command = [sys.executable, "-m", "realmemory", "--path", bench.folder, "sleep"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode not in {0, 2}
    assert "Traceback" not in refused.stderr
    assert "no room" in refused.stderr
    with Hippocampus.open(bench.folder, read_only=True) as memory:
        found = [(trace.id, trace.status, trace.text) for trace in memory.list(limit=100)]
        assert found == before
    filler.unlink()
    slept = subprocess.run(command, capture_output=True, text=True, check=False)
    assert slept.returncode == 0, slept.stderr
    with Store.open(bench.folder) as store:
        assert store.verify().ok


def test_an_erasure_without_room_says_what_became_of_the_memories(bench, crowded):
    """Refused before the rows went, all is as it was; after, it says so and can be finished."""
    secret = "the combination is " + "19-4-77 " * 40
    said = {}
    with Store.open(bench.folder) as store:
        with store.write() as tx:
            doomed = tx.traces.insert(NewTrace(text=secret, terms="combination", scope="global"))
        store.backup()
        for room in (8_192, 700_000):
            store.checkpoint()
            crowded(room)
            with pytest.raises(StoreFullError) as caught:
                store.erase([doomed], rewrite_backups=True)
            with store.read() as view:
                there = bool(view.traces.get_many([doomed]))
            assert ("nothing of this call was stored" in str(caught.value)) is there
            assert ("are deleted" in str(caught.value)) is not there
            said[caught.value.code] = there
        crowded.nothing()
        store.erase([doomed], rewrite_backups=True)
        store.checkpoint()
    assert said == {"disk_full": True, "erase_unfinished": False}
    for path in bench.folder.rglob("memory*"):
        assert b"19-4-77" not in path.read_bytes()


def test_a_hard_forget_without_room_leaves_no_note_that_it_was_done(bench, small_disk):
    with Hippocampus.open(bench.folder) as memory:
        kept = memory.remember("The harbour master is called Odile").memory_id
        memory.context.store.checkpoint()
        (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 4_096))
        with pytest.raises(StoreFullError, match="nothing of this call was stored"):
            memory.forget(kept, hard=True)
        assert memory.get(kept).text.endswith("Odile")
        with memory.context.store.read() as view:
            assert view.journal.page(types=["forget"]) == []
        (small_disk / "filler").unlink()
        assert memory.forget(kept, hard=True).forgotten == (kept,)
