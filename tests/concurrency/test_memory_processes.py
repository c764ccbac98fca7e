"""Many processes and threads on one memory: exact counts, no error, whole files."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store import Store

WRITER = Path(__file__).with_name("writer.py")
PROCESSES = int(os.environ.get("REALMEMORY_TEST_PROCESSES", "8"))


def race(folder: Path, processes: int, threads: int, writes: int, *, sleeps: bool) -> int:
    """Run the writers and return how many different texts they wrote."""
    Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)).close()
    started = [
        subprocess.Popen(
            [sys.executable, WRITER, folder, str(one), str(threads), str(writes), str(int(sleeps))],
            stdout=subprocess.PIPE,
        )
        for one in range(processes)
    ]
    failures = [failure for one in started for failure in json.loads(one.communicate()[0])]
    assert failures == []
    shared = writes // 10
    return processes * threads * (writes - shared) + shared


def check(folder: Path, expected: int) -> None:
    with Store.open(folder) as store:
        report = store.verify()
        assert report.ok, report
        with store.read() as view:
            assert sum(row.traces for row in view.traces.counts()) == expected


def test_processes_that_write_recall_and_sleep_lose_and_double_nothing(tmp_path):
    expected = race(tmp_path / "m", PROCESSES, threads=1, writes=30, sleeps=True)
    check(tmp_path / "m", expected)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_two_processes_of_six_threads_write_two_thousand_texts(tmp_path):
    expected = race(tmp_path / "m", 2, threads=6, writes=170, sleeps=False)
    check(tmp_path / "m", expected)


def test_recall_goes_on_while_others_write_and_sleep(folder):
    with (
        Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory,
        Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as other,
    ):
        memory.remember("The lighthouse keeper is called Morwenna")
        stop = threading.Event()
        failures: list[BaseException] = []

        def disturb() -> None:
            try:
                number = 0
                while not stop.is_set():
                    other.remember(f"Note n{number:05d} about nothing")
                    if number % 20 == 0:
                        other.consolidate()
                    number += 1
            except BaseException as error:  # noqa: BLE001 - a thread must not swallow its failure
                failures.append(error)

        worker = threading.Thread(target=disturb)
        worker.start()
        try:
            for _ in range(60):
                assert not memory.recall("who keeps the lighthouse?").abstained
        finally:
            stop.set()
            worker.join()
        assert failures == []


def test_a_write_waits_for_another_process_that_holds_the_lock(folder):
    holder = (
        "import sys, time\nfrom pathlib import Path\nfrom realmemory.store import Store\n"
        "with Store.open(Path(sys.argv[1])) as store, store.write() as tx:\n"
        "    tx.meta.set('held', 1)\n    print('held', flush=True)\n    time.sleep(2)\n"
    )
    command = [sys.executable, "-c", holder, folder]
    with (
        Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child,
    ):
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "held"
        assert memory.recall("anything at all").abstained
        assert memory.remember("The ferry leaves at noon").created
        assert child.wait() == 0


def test_seven_calls_at_once_make_seven_memories(folder):
    texts = [f"Crew member c{number} boards at gate g{number}" for number in range(7)]
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
        ids: list[int] = []
        threads = [
            threading.Thread(target=lambda text=text: ids.append(memory.remember(text).memory_id))
            for text in texts
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(ids)) == 7
        assert {trace.text for trace in memory.list()} == set(texts)


def test_a_sleep_ends_while_others_go_on_writing(folder):
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
        memory.remember("Sluice zero opens at dawn")
        done = threading.Event()
        written: list[int] = []

        def write() -> None:
            while not done.is_set() and len(written) < 400:
                text = f"Sluice s{len(written)} opens at hour h{len(written) * 7}"
                written.append(memory.remember(text, force_new=True).memory_id)

        writer = threading.Thread(target=write)
        writer.start()
        memory.consolidate()
        done.set()
        writer.join()
    assert len(written) < 400


def test_the_index_is_loaded_before_the_lock_is_taken(folder):
    with (
        Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory,
        Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as late,
    ):
        memory.remember("Sluice zero opens at dawn")
        writer = threading.Thread(target=late.remember, args=("The miller keeps two goats",))
        with memory.context.store.write():
            writer.start()
            deadline = time.monotonic() + 20
            while not len(late.context.index.engine) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert len(late.context.index.engine) == 1
        writer.join()
        assert len(memory.list()) == 2


def test_cursors_do_not_pile_up(folder):
    def use(memory):
        for number in range(20):
            memory.remember(f"Sluice s{number} opens at hour h{number * 7}")
            memory.recall(f"when does sluice s{number} open?")
        gc.collect()
        return sum(isinstance(item, apsw.Cursor) for item in gc.get_objects())

    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
        before = use(memory)
        assert use(memory) <= before
