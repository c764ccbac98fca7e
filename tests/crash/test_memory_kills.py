"""Killed at random moments, a memory holds every write that it acknowledged, whole."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from realmemory import Hippocampus, Status
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store import Store

VICTIM = Path(__file__).with_name("victim.py")
ROUNDS = int(os.environ.get("REALMEMORY_TEST_KILLS", "6"))


def kill_once(folder: Path, first: int, source: random.Random) -> list[str]:
    """Run the victim, kill it after a random number of acknowledgements, return them."""
    command = [sys.executable, VICTIM, folder, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(source.randint(1, 40))]
        # Somewhere inside the next write.
        time.sleep(source.random() * 0.02)
        child.kill()
        lines += child.stdout.readlines()
    return [line for line in lines if line.endswith("\n")]


@pytest.mark.timeout(0)
def test_every_acknowledged_write_survives_a_kill(tmp_path):
    folder = tmp_path / "m"
    source = random.Random(11)
    stored: dict[int, int] = {}
    revised: dict[int, int] = {}
    Hippocampus.open(folder, embedder=HashingEmbedder(dim=32)).close()
    for number in range(ROUNDS):
        for line in kill_once(folder, 1_000 * number + 1, source):
            what, one, other = line.split()
            (stored if what == "stored" else revised)[int(one)] = int(other)
    with Store.open(folder) as store:
        report = store.verify()
        assert report.ok, report
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=32)) as memory:
        for one, number in stored.items():
            assert memory.get(one).text == f"Parcel x{number:07d} left the depot"
        for old, new in revised.items():
            assert memory.get(old).status is Status.SUPERSEDED
            assert memory.get(old).superseded_by == new
        numbers = [trace.text.split()[1] for trace in memory.list(limit=100_000)]
        assert len(numbers) == len(set(numbers))
        memory.consolidate()
        assert memory.pending_eligibility == 0
