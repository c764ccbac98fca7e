from __future__ import annotations

import signal
import subprocess

import pytest

from realmemory.store import Store, backups
from realmemory.store.records import NewTrace

strace = pytest.mark.skipif(
    subprocess.run(["which", "strace"], capture_output=True, check=False).returncode != 0,
    reason="needs strace to fail a chosen system call",
)


@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.long)])
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
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
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
@pytest.mark.parametrize("numbers", [(3, 8), pytest.param(range(1, 30), marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_failed_sync_is_reported_and_never_taken_for_success(bench, numbers):
    with Store.open(bench.folder):
        pass
    for number in numbers:
        done = bench.run(
            "fill", prefix=(*inject("fdatasync", f"error=EIO:when={number}"), "timeout", "60")
        )
        assert done.stdout.split()[0] == "io_error", done.stderr
        bench.check_promised_only()


@pytest.fixture
def filled(bench):
    with Store.open(bench.folder) as store, store.write() as tx:
        for number in range(300):
            tx.traces.insert(NewTrace(text=f"{number} " * 40, terms="t", scope="global"))
    return bench


@pytest.mark.parametrize("rounds", [6, pytest.param(100, marks=pytest.mark.long)])
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


@pytest.mark.parametrize("rounds", [6, pytest.param(100, marks=pytest.mark.long)])
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
