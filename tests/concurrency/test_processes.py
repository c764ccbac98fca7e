from __future__ import annotations

import subprocess

import pytest

from realmemory.errors import StoreBusyError
from realmemory.store import Store
from realmemory.store.records import NewTrace


def rows(folder):
    with Store.open(folder) as store:
        assert store.verify().ok
        with store.read() as view:
            return [trace.text for trace in view.traces.page(limit=100_000)]


def test_many_processes_that_open_a_missing_store_make_one(folder, start, finish):
    outputs = finish([start("open_and_add", f"p{number}") for number in range(32)])
    assert len({identity for (identity,) in outputs}) == 1
    assert sorted(rows(folder)) == sorted(f"p{number}" for number in range(32))


@pytest.mark.parametrize(
    ("processes", "count"), [(4, 60), pytest.param(32, 300, marks=pytest.mark.long)]
)
def test_equal_texts_of_many_writers_are_stored_once(folder, start, finish, processes, count):
    outputs = finish([start("add_unless_there", f"p{n}", count) for n in range(processes)])
    shared = count // 10
    expected = processes * (count - shared) + shared
    assert sum(int(made) for (made,) in outputs) == expected
    found = rows(folder)
    assert len(found) == len(set(found)) == expected


def test_readers_see_whole_snapshots_that_never_go_back(folder, start, finish):
    writers = [start("write_with_events", 60) for _ in range(2)]
    readers = [start("read_snapshots", 150) for _ in range(2)]
    finish(writers + readers)
    with Store.open(folder) as store, store.read() as view:
        assert view.rev() == 120


def spread(processes, seconds, start, finish):
    workers = [start("write_for", seconds) for _ in range(processes)]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    return sorted(int(words[-1]) for words in finish(workers))


@pytest.mark.parametrize(
    ("processes", "seconds"), [(4, 2), pytest.param(8, 10, marks=pytest.mark.long)]
)
def test_no_writer_starves(folder, start, finish, processes, seconds):
    counts = spread(processes, seconds, start, finish)
    assert counts[0] >= 0.5 * counts[-1], counts
    assert len(rows(folder)) == sum(counts)


@pytest.mark.parametrize(
    "storm",
    [(4, 0.8, 0.2), pytest.param((60, 8, 2), marks=[pytest.mark.long, pytest.mark.timeout(200)])],
)
def test_a_lock_that_is_held_most_of_the_time_costs_waiting_only(folder, start, finish, storm):
    seconds, held, free = storm
    Store.open(folder).close()
    holder = start("hold_in_turns", seconds, held, free)
    writers = [start("write_through", seconds) for _ in range(8)]
    readers = [start("read_for", seconds) for _ in range(4)]
    for worker in (holder, *writers, *readers):
        assert worker.stdout.readline() == "ready\n"
    for worker in (holder, *writers, *readers):
        worker.stdin.write("go\n")
        worker.stdin.flush()
    waits = [[int(wait) for wait in words] for words in finish(writers)]
    finish([holder])
    assert all(int(words[-1]) > len(waits) for words in finish(readers))
    everyone = sorted(wait for one in waits for wait in one)
    print(f"p99 {everyone[len(everyone) * 99 // 100]} ms, longest {everyone[-1]} ms")  # noqa: T201
    assert all(waits)
    assert len(rows(folder)) == len(everyone)


def test_a_lock_held_for_ever_ends_in_an_error_that_names_the_holder(folder, start):
    with Store.open(folder, busy_timeout_s=0.3) as store:
        holder = start("hold", 30)
        assert holder.stdout.readline() == "holding\n"
        with pytest.raises(StoreBusyError, match=f"process {holder.pid}"), store.write():
            pass
        with store.read() as view:
            assert view.traces.counts() == []
        holder.kill()
        holder.wait()
        store.busy_timeout_s = 30.0
        with store.write() as tx:
            tx.traces.insert(NewTrace(text="after", terms="after", scope="global"))
    assert rows(folder) == ["after"]


def test_who_gave_up_leaves_no_lock_behind(folder, start, finish):
    with Store.open(folder, busy_timeout_s=0.1) as store:
        holder = start("hold", 1.5)
        assert holder.stdout.readline() == "holding\n"
        for _ in range(3):
            with pytest.raises(StoreBusyError), store.write():
                pass
        finish([holder])
        # The request that timed out is granted now and must be given back at once.
        finish([start("open_and_add", "other")])
        with store.write() as tx:
            tx.traces.insert(NewTrace(text="mine", terms="mine", scope="global"))
    assert rows(folder) == ["held", "other", "mine"]


def test_a_killed_holder_frees_the_lock(folder, start):
    with Store.open(folder) as store:
        holder = start("hold", 60)
        assert holder.stdout.readline() == "holding\n"
        holder.send_signal(9)
        with store.write() as tx:
            tx.traces.insert(NewTrace(text="next", terms="next", scope="global"))
        assert holder.wait() == -9
    assert rows(folder) == ["next"]


def test_a_stopped_process_does_not_stop_readers(folder, start):
    with Store.open(folder) as store:
        holder = start("hold", 60)
        assert holder.stdout.readline() == "holding\n"
        subprocess.run(["kill", "-STOP", str(holder.pid)], check=True)
        with store.read() as view:
            assert view.rev() == 0
