from __future__ import annotations

import shutil
import signal
import subprocess

import apsw
import pytest

from realmemory.store import Store, backups, migrations
from realmemory.store.records import NewTrace

NEWEST = migrations.newest()

strace = pytest.mark.skipif(
    subprocess.run(["which", "strace"], capture_output=True, check=False).returncode != 0,
    reason="needs strace to fail a chosen system call",
)


@pytest.mark.parametrize("rounds", [4, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_killed_writer_loses_nothing_that_it_acknowledged(bench, rounds):
    for number in range(1, rounds + 1):
        bench.kill_after(bench.random.uniform(0.0, 0.4), "write")
        bench.check(unacknowledged=number)
    assert bench.check(unacknowledged=rounds) > rounds


def inject(call, rule):
    return (
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        f"trace={call}",
        "-e",
        f"inject={call}:{rule}",
    )


@strace
@pytest.mark.parametrize("step", [31, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_kill_at_any_write_leaves_the_whole_record_or_none(bench, step):
    with Store.open(bench.folder):
        pass
    survived = 0
    for number in range(1, 2000, step):
        done = bench.run("write", 3, prefix=inject("pwrite64", f"signal=KILL:when={number}"))
        bench.check(unacknowledged=number)
        if done.returncode == 0:
            survived = number
            break
        assert done.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}, done.stderr
    assert survived, "no run came to its end: the loop did not reach every write"


@strace
@pytest.mark.parametrize(
    "numbers", [(3, 8), pytest.param((1, *range(3, 30)), marks=pytest.mark.long)]
)
@pytest.mark.timeout(3600)
def test_a_failed_sync_is_reported_and_never_taken_for_success(bench, numbers):
    # The second sync of a run is that of the folder, for the name of the log, which is there
    # already. SQLite ignores its failure on purpose: some file systems cannot do it.
    with Store.open(bench.folder):
        pass
    cut_off = 0
    for number in numbers:
        done = bench.run(
            "fill", prefix=(*inject("fdatasync", f"error=EIO:when={number}"), "timeout", "30")
        )
        if "io_error" not in done.stdout:
            # Where the log is being emptied, its commits stand: that is told, and writing goes on
            # until the time is up.
            assert "could not be emptied" in done.stderr, done.stderr
            cut_off += 1
        bench.check(unacknowledged=cut_off)


@pytest.fixture
def filled(bench):
    with Store.open(bench.folder) as store, store.write() as tx:
        for number in range(300):
            tx.traces.insert(NewTrace(text=f"{number} " * 40, terms="t", scope="global"))
    return bench


def look(folder):
    """Schema version, soundness and texts, as any SQLite sees them."""
    connection = apsw.Connection(str(folder / "memory.db"))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    version = connection.pragma("user_version")
    sound = connection.pragma("integrity_check")
    texts = [row[0] for row in connection.execute("SELECT text FROM traces ORDER BY id")]
    connection.close()
    return version, sound, texts


@strace
@pytest.mark.parametrize("step", [151, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_kill_during_a_migration_leaves_one_schema_whole(filled, tmp_path, step):
    with Store.open(filled.folder) as store:
        store.checkpoint()
    _, _, texts = look(filled.folder)
    pristine = tmp_path / "pristine"
    shutil.copytree(filled.folder, pristine)
    finished = False
    for number in range(1, 2000, step):
        shutil.rmtree(filled.folder)
        shutil.copytree(pristine, filled.folder)
        done = filled.run("migrate", prefix=inject("pwrite64", f"signal=KILL:when={number}"))
        version, sound, found = look(filled.folder)
        assert (sound, found) == ("ok", texts)
        assert version in {NEWEST, NEWEST + 1}
        if version > NEWEST:
            (saved,) = (filled.folder / "backups").glob(f"memory-*-before-schema-{version}.db")
            assert backups.verify(saved, full=True) == 1
        assert filled.run("migrate").returncode == 0
        assert look(filled.folder) == (NEWEST + 1, "ok", texts)
        if done.returncode == 0:
            finished = True
            break
    assert finished, "no run came to its end: the loop did not reach every write"


@pytest.mark.parametrize("rounds", [4, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_kill_during_backup_and_rotation_leaves_enough_good_backups(filled, rounds):
    with Store.open(filled.folder) as store:
        for _ in range(3):
            store.backup()
    for _ in range(rounds):
        filled.kill_after(filled.random.uniform(0.2, 0.6), "back_up", 3)
        with Store.open(filled.folder) as store:
            good = [backups.verify(info.path, full=True) for info in store.backups()]
            assert len(good) >= 3
            assert store.verify().ok


@pytest.mark.parametrize("rounds", [4, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_kill_during_restore_leaves_one_whole_store(filled, rounds):
    with Store.open(filled.folder) as store:
        saved = store.backup()
    for _ in range(rounds):
        filled.kill_after(filled.random.uniform(0.2, 0.6), "restore_again", saved.path)
        with Store.open(filled.folder) as store:
            assert store.verify().ok
            with store.read() as view:
                assert sum(line.traces for line in view.traces.counts()) == 300
