"""Faults of the machine and of its other tenants: replaced files, lost memory, signals, races."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from realmemory import Hippocampus, Status, StoreError, StoreRefusedError
from realmemory.clock import DAY, FakeClock
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store import Store

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")
YEAR = 365 * DAY

WAITING_WRITER = """
import sys
from pathlib import Path
from realmemory.errors import RealMemoryError
from realmemory.store import Store
from realmemory.store.records import NewTrace
with Store.open(Path(sys.argv[1])) as store:
    print("open", flush=True)
    sys.stdin.readline()
    try:
        with store.write() as tx:
            tx.traces.insert(NewTrace(text="late", terms="late", scope="global"))
        print("stored", flush=True)
    except RealMemoryError as error:
        print(error.code, flush=True)
"""


def memory_at(folder, **options):
    return Hippocampus.open(folder, embedder=HashingEmbedder(dim=64), **options)


def answers_after(folder, count, change):
    """Open the store in several processes, change the files, and let each of them write."""
    command = [sys.executable, "-c", WAITING_WRITER, folder]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **pipes) for _ in range(count)]
    for process in started:
        assert process.stdout.readline() == "open\n"
    change()
    return [process.communicate("go\n")[0].strip() for process in started]


@pytest.mark.parametrize("how", ["moved away", "deleted", "copied over"])
def test_a_database_replaced_under_four_processes_takes_no_write(tmp_path, how):
    """Somebody restores a copy by hand, or removes the file, while others have it open."""
    folder, other = tmp_path / "m", tmp_path / "other"
    for place in (folder, other):
        with memory_at(place) as memory:
            memory.remember(f"The store in {place.name}")
            memory.context.store.checkpoint()
    database, stranger = folder / "memory.db", other / "memory.db"

    def change():
        if how == "moved away":
            database.rename(tmp_path / "old.db")
        elif how == "deleted":
            database.unlink()
        if how != "deleted":
            shutil.copy(stranger, database)

    answers = answers_after(folder, 4, change)
    assert set(answers) == {"store_replaced"}
    with Store.open(other) as store, store.read() as view:
        assert [trace.text for trace in view.traces.page()] == ["The store in other"]


@pytest.mark.parametrize("harm", ["zeroed", "random", "deleted"])
def test_damage_to_the_shared_index_of_an_open_log_costs_no_acknowledged_write(tmp_path, harm):
    """A clean-up tool overwrites or removes ``-shm`` while a process has the store open."""
    folder = tmp_path / "m"
    with memory_at(folder) as memory:
        kept = [memory.remember(f"Berth b{number} is taken").memory_id for number in range(5)]
        index = folder / "memory.db-shm"
        if harm == "deleted":
            index.unlink()
        else:
            size = index.stat().st_size
            noise = bytes(size) if harm == "zeroed" else random.Random(3).randbytes(size)
            with index.open("r+b") as file:
                file.write(noise)
        for number in range(5, 10):
            try:
                kept.append(memory.remember(f"Berth b{number} is taken").memory_id)
            except StoreError:
                continue
    with memory_at(folder) as memory:
        assert memory.context.store.verify().ok
        for number, memory_id in enumerate(kept):
            assert memory.get(memory_id).text == f"Berth b{number} is taken"


def test_two_processes_never_write_past_each_other_without_the_shared_index(tmp_path):
    """``-shm`` is deleted while one process has the store open, then another one opens it."""
    folder = tmp_path / "m"
    with memory_at(folder) as memory:
        kept = [memory.remember(f"Berth b{number} is taken").memory_id for number in range(3)]
        (folder / "memory.db-shm").unlink()
        for number in range(3, 9):
            try:
                if number % 2:
                    with memory_at(folder) as other:
                        kept.append(other.remember(f"Berth b{number} is taken").memory_id)
                else:
                    kept.append(memory.remember(f"Berth b{number} is taken").memory_id)
            except StoreError:
                continue
    with memory_at(folder) as memory:
        assert memory.context.store.verify().ok
        assert {memory.get(memory_id).id for memory_id in kept} == set(kept)


def test_a_sleep_in_a_far_future_deletes_nothing(tmp_path):
    """The clock jumps ahead by fifty years, a sleep runs, and the clock comes back."""
    folder = tmp_path / "m"
    with memory_at(folder, clock=FakeClock(1.7e9)) as memory:
        kept = [memory.remember(f"Pier p{number} is open").memory_id for number in range(300)]
        gone = kept.pop()
        memory.forget(gone, hard=True)
    with memory_at(folder, clock=FakeClock(1.7e9 + 50 * YEAR)) as memory:
        run = memory.consolidate()
        assert run.purged_traces == 0
        assert run.archived_traces < len(kept)
    with memory_at(folder, clock=FakeClock(1.7e9 + DAY)) as memory:
        assert memory.consolidate().archived_traces == 0
        memory.undo(run.run)
        assert {memory.get(memory_id).status for memory_id in kept} == {Status.ACTIVE}
        assert memory.recall("is pier p7 open?").items[0].text == "Pier p7 is open"
        with memory.context.store.read() as view:
            # Were it pruned, a copy of the erased trace could come back by a merge.
            assert view.traces.deleted_ids([*kept, gone]) == {gone}


def test_a_clock_that_goes_back_keeps_order_and_changes_nothing(tmp_path):
    """The clock is set back by four hundred days between two writes."""
    folder = tmp_path / "m"
    with memory_at(folder, clock=FakeClock(1.7e9)) as memory:
        first = memory.remember("Pier one is open").memory_id
        memory.consolidate()
    with memory_at(folder, clock=FakeClock(1.7e9 - 400 * DAY)) as memory:
        second = memory.update_fact(first, "Pier one is closed").memory_id
        memory.consolidate()
        assert [trace.id for trace in memory.history(first)] == [first, second]
        assert [trace.id for trace in memory.list()] == [second]
        names = [info.path.name for info in memory.context.store.backups()]
        assert names == sorted(names)


def test_eight_processes_migrate_a_store_once(bench):
    """Eight processes of a new version meet a store of the old one; old code is then refused."""
    with Store.open(bench.folder):
        pass
    started = [
        subprocess.Popen(bench.command("migrate"), stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    failures = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * 8, failures
    assert len(list((bench.folder / "backups").glob("memory-*.db"))) == 1
    with pytest.raises(StoreRefusedError) as refused:
        Store.open(bench.folder)
    assert refused.value.code == "newer_schema"


STARVED = """
import resource, sys
from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.errors import RealMemoryError
with Hippocampus.open(sys.argv[1], embedder=HashingEmbedder(dim=64)) as memory:
    memory.remember("The harbour master is called Odile")
    pages = int(open("/proc/self/statm").read().split()[0])
    room = pages * resource.getpagesize() + 24 * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
    outcomes = []
    for size in (10_000_000, 40_000_000, 900_000):
        try:
            memory.remember("word " * (size // 5))
            outcomes.append("stored")
        except (RealMemoryError, MemoryError) as error:
            outcomes.append(getattr(error, "code", "out_of_memory"))
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    memory.remember("The tide table hangs by the door")
print(*outcomes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_that_runs_out_is_an_error_and_the_store_survives(tmp_path):
    """Huge texts come in while the process may hardly allocate anything."""
    folder = tmp_path / "m"
    done = subprocess.run(
        [sys.executable, "-c", STARVED, folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "text_too_large" in done.stdout or "too_large" in done.stdout
    with memory_at(folder) as memory:
        assert memory.context.store.verify().ok
        assert memory.recall("who is the harbour master?").items[0].text.endswith("Odile")
        assert not memory.recall("where does the tide table hang?").abstained


@POSIX
@pytest.mark.parametrize(
    "number", [pytest.param(name, id=name) for name in ("SIGTERM", "SIGINT", "SIGHUP")]
)
def test_a_signal_ends_a_command_without_a_traceback_or_a_loss(tmp_path, number):
    """The user presses Ctrl-C, or the system shuts down, at any moment of a command."""
    folder = tmp_path / "m"
    with memory_at(folder) as memory:
        memory.remember("The harbour master is called Odile")
    luck = random.Random(number)
    for round_ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-m", "realmemory", "--path", folder, "remember", f"Note n{round_}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(0.15 + luck.random() * 0.5)
        process.send_signal(getattr(signal, number))
        out, err = process.communicate()
        # Before the first line of ours the interpreter answers by itself.
        assert "Traceback" not in err or "realmemory" not in err
        assert process.returncode in {0, 130, -getattr(signal, number)}
        with memory_at(folder) as memory:
            assert memory.context.store.verify().ok
            texts = {trace.text for trace in memory.list(all_scopes=True)}
        assert process.returncode != 0 or not out or f"Note n{round_}" in texts


def test_a_reader_that_stays_open_keeps_nobody_from_writing(tmp_path):
    """A process keeps one snapshot for long; others write, and its end lets the log shrink."""
    folder = tmp_path / "m"
    with memory_at(folder) as memory:
        memory.remember("Pier one is open")
        with memory.context.store.read() as view:
            before = view.rev()
            for number in range(40):
                memory.remember(f"Crate c{number} " + "is heavy " * 400, force_new=True)
            assert view.rev() == before
            memory.consolidate()
            grown = memory.context.store.wal_size()
        memory.consolidate()
        assert memory.context.store.wal_size() < grown
        assert len(memory.list(limit=100)) == 41


def test_the_error_of_a_used_up_handle_says_what_to_do(tmp_path):
    memory = memory_at(tmp_path / "m")
    memory.close()
    with pytest.raises(StoreError, match=r"Open it again"):
        memory.remember("Too late")
