"""Threads that recall while processes write: no error, and no answer from before the last look."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder

WRITER = """
import sys
from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
folder, name, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(most):
        memory.remember(f"beacon {name} burns with flame f{number:05d}", force_new=True)
        print(number, flush=True)
"""


class Process:
    """One writer, and the number of the last text that it was told is stored."""

    def __init__(self, folder, name, most):
        self.name, self.committed = name, -1
        self._child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), name, str(most)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._child.stdout.readline() == "ready\n"
        self._listener = threading.Thread(target=self._listen)

    def start(self):
        self._child.stdin.write("go\n")
        self._child.stdin.flush()
        self._listener.start()

    def _listen(self):
        for line in self._child.stdout:
            self.committed = int(line)

    def finish(self):
        self._listener.join()
        _, error = self._child.communicate()
        assert self._child.returncode == 0, error


def recall_all_the_time(memory, processes, recalls, failures):
    """Ask again and again for the newest text that some writer was told is stored."""
    try:
        for turn in range(recalls):
            process = processes[turn % len(processes)]
            newest = process.committed
            if newest < 0:
                memory.recall("beacon", k=3)
                continue
            wanted = f"beacon {process.name} burns with flame f{newest:05d}"
            found = [item.text for item in memory.recall(wanted, k=3).items]
            assert wanted in found, f"{wanted} was stored before the recall, which gave {found}"
    except BaseException as error:  # noqa: BLE001 - a thread must not swallow its failure
        failures.append(error)


def storm(folder, *, threads, recalls, writers, writes):
    """Return what went wrong while threads recalled and processes wrote."""
    failures = []
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
        processes = [Process(folder, f"b{number}", writes) for number in range(writers)]
        for process in processes:
            process.start()
        arguments = (memory, processes, recalls, failures)
        asking = [
            threading.Thread(target=recall_all_the_time, args=arguments) for _ in range(threads)
        ]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        for process in processes:
            process.finish()
        for process in processes:
            newest = f"beacon {process.name} burns with flame f{writes - 1:05d}"
            assert newest in [item.text for item in memory.recall(newest, k=3).items]
    return failures


def test_threads_see_what_processes_have_stored(folder):
    assert storm(folder, threads=4, recalls=60, writers=2, writes=40) == []


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_eighty_thousand_recalls_during_four_writers(folder):
    assert storm(folder, threads=8, recalls=10_000, writers=4, writes=1_500) == []
