from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from realmemory.errors import StoreBusyError, StoreError
from realmemory.store import Store
from realmemory.store import store as store_module
from realmemory.store.lock import FairMutex, WriteLock
from realmemory.store.records import NewTrace


def write(store, text):
    with store.write() as tx:
        return tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))


def test_threads_share_one_store(folder):
    with Store.open(folder) as store, ThreadPoolExecutor(12) as pool:

        def work(number):
            added = write(store, f"fact {number}")
            with store.read() as view:
                found = view.traces.get(added).text
                rows = sum(1 for _ in view.traces.changes_since(0).rows)
                assert rows >= 1
            return found

        texts = list(pool.map(work, range(120)))
        assert texts == [f"fact {number}" for number in range(120)]
        with store.read() as view:
            assert view.rev() == 120
        assert store.verify().ok


def test_a_view_keeps_its_snapshot_while_others_write(folder):
    with Store.open(folder) as store:
        write(store, "before")
        with store.read() as early:
            write(store, "after")
            with store.read() as late:
                assert len(late.traces.page()) == 2
            assert len(early.traces.page()) == 1
            assert early.rev() == 1


def test_a_failed_block_leaves_nothing(folder):
    with Store.open(folder) as store:

        def fail():
            with store.write() as tx:
                tx.traces.insert(NewTrace(text="half", terms="half", scope="global"))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        with store.read() as view:
            assert (view.rev(), view.traces.page()) == (0, [])
        assert write(store, "whole") == 1


def test_a_write_inside_a_write_is_refused_at_once(folder):
    with Store.open(folder) as store:
        with store.write():
            with pytest.raises(StoreError) as caught, store.write():
                pass
            assert caught.value.code == "nested_write"
        write(store, "later")


def test_a_thread_that_waits_too_long_is_told(folder):
    with Store.open(folder, busy_timeout_s=0.1) as store, ThreadPoolExecutor(1) as pool:
        with store.write(), pytest.raises(StoreBusyError):
            pool.submit(write, store, "late").result()
        write(store, "in time")


def test_the_mutex_is_handed_over_in_order_of_arrival():
    mutex = FairMutex()
    assert mutex.acquire(0)
    order = []
    threads = []
    for number in range(6):

        def take(number=number):
            assert mutex.acquire(60)
            order.append(number)
            mutex.release()

        thread = threading.Thread(target=take)
        thread.start()
        while len(mutex._waiting) <= number:
            pass
        threads.append(thread)
    assert not mutex.acquire(0)
    mutex.release()
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_two_locks_of_one_process_exclude_each_other(tmp_path):
    one, two = WriteLock(tmp_path), WriteLock(tmp_path)
    one.acquire(1)
    for _ in range(3):
        with pytest.raises(StoreBusyError):
            two.acquire(0.02)
    one.release()
    two.acquire(5)
    with pytest.raises(StoreBusyError):
        one.acquire(0.02)
    two.release()
    one.acquire(5)
    one.release()
    one.close()
    two.close()


def test_a_removed_lock_file_is_made_again(tmp_path):
    one, two = WriteLock(tmp_path), WriteLock(tmp_path)
    one.acquire(1)
    one.release()
    one.path.unlink()
    two.acquire(1)
    with pytest.raises(StoreBusyError):
        one.acquire(0.02)
    two.release()
    one.acquire(5)
    one.release()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors by /proc")
def test_descriptors_do_not_pile_up(folder):
    def use():
        with Store.open(folder) as store:
            write(store, "fact")
            with store.read() as view:
                view.traces.page()
        return len(list(Path("/proc/self/fd").iterdir()))

    counts = {use() for _ in range(30)}
    assert len(counts) == 1


def test_the_log_stays_bounded(folder, monkeypatch):
    monkeypatch.setattr(store_module, "WAL_LIMIT", 256 * 1024)
    with Store.open(folder) as store:
        largest = 0
        for number in range(120):
            with store.write() as tx:
                tx.traces.insert(NewTrace(text="x" * 9000, terms=f"t{number}", scope="global"))
            largest = max(largest, store.wal_size())
        assert largest < 2 * 256 * 1024


def test_a_long_reader_lets_the_log_grow_and_its_end_empties_it(folder, monkeypatch):
    monkeypatch.setattr(store_module, "WAL_LIMIT", 64 * 1024)
    with Store.open(folder) as store:
        write(store, "seed")
        with store.read():
            for number in range(60):
                write(store, f"{number} " + "y" * 4000)
            assert store.wal_size() > 3 * 64 * 1024
        for number in range(60):
            write(store, f"{number} " + "z" * 4000)
        assert store.wal_size() < 3 * 64 * 1024
