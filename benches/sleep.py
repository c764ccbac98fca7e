"""Sleep after ten changes on a large store: CPU, wall time and growth of memory.

Usage: python benches/sleep.py [traces]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from realmemory import Hippocampus, MemoryConfig
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store.records import NewTrace

REFERENCE_MS = 730.0
"""CPU of the reference design at 30,000 traces, as published in its own terms."""
_BATCH = 1_000
_DIM = 64


def fill(memory: Hippocampus, traces: int) -> None:
    """Insert traces without the gate; what is measured is the sleep."""
    context = memory.context
    random = np.random.default_rng(1)
    for start in range(0, traces, _BATCH):
        vectors = random.standard_normal((_BATCH, _DIM)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        with context.store.write() as tx:
            for number, vector in enumerate(vectors, start=start):
                text = f"Row r{number} lies in box b{number % 977}"
                tx.traces.insert(
                    NewTrace(
                        text=text,
                        terms=text.lower(),
                        scope="global",
                        space_id=context.space_id,
                        embedding=vector.tobytes(),
                    )
                )


def resident_mb() -> float:
    """Return the resident memory of this process (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> None:
    """Print one line for each of three sleeps."""
    traces = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with (
        tempfile.TemporaryDirectory() as folder,
        Hippocampus.open(
            folder, embedder=HashingEmbedder(dim=_DIM), config=MemoryConfig(backups_keep=0)
        ) as memory,
    ):
        fill(memory, traces)
        memory.consolidate()
        ids = [trace.id for trace in memory.list(limit=30)]
        for turn in range(3):
            for memory_id in ids[turn * 10 : turn * 10 + 10]:
                memory.feedback(memory_id, 0.5)
            memory.link_memories(ids[:6])
            before, cpu, wall = resident_mb(), time.process_time(), time.perf_counter()
            report = memory.consolidate()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(
                f"{traces:,} traces, 10 changes, {report.edges_committed} edges: "
                f"{cpu * 1e3:.1f} ms CPU ({cpu * 1e3 / REFERENCE_MS:.3f} x the reference at 30,000), "
                f"{wall * 1e3:.0f} ms wall, {resident_mb() - before:+.1f} MB"
            )


if __name__ == "__main__":
    main()
