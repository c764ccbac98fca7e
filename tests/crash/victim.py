"""A process that is killed: acknowledges each write on its output once it is stored."""

from __future__ import annotations

import sys
from pathlib import Path

from realmemory import Hippocampus
from realmemory.encoding.hashing import HashingEmbedder


def main(folder: Path, first: int) -> None:
    """Write, revise, forget and sleep until somebody kills us."""
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=32)) as memory:
        number = first
        while True:
            written = memory.remember(f"Parcel x{number:07d} left the depot", force_new=True)
            sys.stdout.write(f"stored {written.memory_id} {number}\n")
            sys.stdout.flush()
            if number % 5 == 0:
                new = memory.update_fact(written.memory_id, f"Parcel x{number:07d} came back")
                sys.stdout.write(f"revised {written.memory_id} {new.memory_id}\n")
                sys.stdout.flush()
            if number % 7 == 0:
                memory.recall("which parcel left the depot?")
                memory.link_memories([1, written.memory_id])
            if number % 11 == 0:
                memory.consolidate()
            number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
