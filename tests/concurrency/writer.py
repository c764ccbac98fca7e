"""One process of the concurrency tests: writes, recalls and sleeps, then says what it did."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder


def run(folder: Path, process: int, threads: int, writes: int, *, sleeps: bool) -> list[str]:
    """Write ``writes`` texts in each thread, a tenth of them the same everywhere."""
    failures: list[str] = []

    def work(memory: Hippocampus, thread: int) -> None:
        try:
            for number in range(writes):
                if number % 10 == 9:
                    memory.remember(f"Everyone shares rule {number // 10:03d} of the house")
                else:
                    memory.remember(f"Clerk p{process}t{thread} filed folder f{number:04d}")
                if number % 25 == 7:
                    memory.recall(f"which folder did clerk p{process}t{thread} file?")
                    memory.feedback([1], 0.1)
            if sleeps:
                memory.consolidate()
        except Exception as error:  # noqa: BLE001 - told to the parent, whatever it is
            failures.append(repr(error))

    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=64)) as memory:
        workers = [threading.Thread(target=work, args=(memory, one)) for one in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return failures


if __name__ == "__main__":
    path, process, threads, writes, sleeps = sys.argv[1:]
    found = run(Path(path), int(process), int(threads), int(writes), sleeps=sleeps == "1")
    sys.stdout.write(json.dumps(found))
