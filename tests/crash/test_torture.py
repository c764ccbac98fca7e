"""Killed at random moments, a memory holds every write that it acknowledged, whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from realmemory.torture.inspection import inspect
from realmemory.torture.ledger import Attempt, Ledger, acknowledgement
from realmemory.torture.workload import Life, live, open_memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
ROUNDS = int(os.environ.get("REALMEMORY_TEST_KILLS", "150"))


def torture(*options):
    done = subprocess.run(
        [sys.executable, "-m", "realmemory", "torture", "--json", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return json.loads(done.stdout)


def lived(folder, steps=40):
    """Return the ledger of one process that was not killed."""
    ledger, pending = Ledger(), None

    def report(line):
        nonlocal pending
        pending = ledger.note(pending, line)

    live(Life(folder, seed="3", name="a", steps=steps), report)
    return ledger


@pytest.mark.timeout(0)
def test_every_acknowledged_write_survives_a_kill():
    verdict = torture("--rounds", ROUNDS, "--processes", 1, "--seed", 11)
    assert verdict["findings"] == []
    assert verdict["kills"] == verdict["rounds"] == ROUNDS
    assert verdict["unknown"] > ROUNDS // 2, "the kills hit nothing in the middle"
    assert verdict["refused"] > 0, "no disk was ever full"


@pytest.mark.timeout(0)
def test_four_processes_killed_together_leave_a_memory_whole():
    verdict = torture("--rounds", max(12, ROUNDS // 12), "--processes", 4, "--seed", 5)
    assert verdict["findings"] == []
    assert verdict["kills"] > verdict["rounds"]


def test_a_peaceful_life_leaves_no_finding(tmp_path):
    ledger = lived(tmp_path / "m")
    assert ledger.acknowledged > 30
    assert inspect(tmp_path / "m", ledger, thorough=True) == []


def lose_a_trace(memory, number):
    with memory.context.store.write() as tx:
        tx.traces.delete([number])


def change_its_text(memory, number):
    with memory.context.store.write() as tx:
        tx.traces.delete([number])
        tx.journal.append("write", {})
    memory.remember("Something else altogether", force_new=True)


def hide_it(memory, number):
    with memory.context.store.write() as tx:
        tx.traces.set_status([number], "superseded")


def write_what_nobody_reported(memory, _):
    memory.remember("A stranger came in", force_new=True)


def keep_it_twice(memory, number):
    memory.remember(memory.get(number).text, force_new=True)


@pytest.mark.parametrize(
    "harm", [lose_a_trace, change_its_text, hide_it, write_what_nobody_reported, keep_it_twice]
)
def test_the_inspection_sees_a_broken_promise(tmp_path, harm):
    ledger = lived(tmp_path / "m")
    with open_memory(tmp_path / "m") as memory:
        harm(memory, ledger.usable()[-1])
    assert inspect(tmp_path / "m", ledger)


def test_a_refused_write_must_not_be_there(tmp_path):
    with open_memory(tmp_path / "m") as memory:
        number = memory.remember("The refused parcel").memory_id
    ledger = Ledger()
    ledger.note(Attempt("add", texts=("The refused parcel",)), b'["refused", "disk_full"]')
    assert any("refused" in finding for finding in inspect(tmp_path / "m", ledger))
    ledger = Ledger()
    known = acknowledgement([("stored", number, "The refused parcel")])
    ledger.note(Attempt("add", texts=("The refused parcel",)), known)
    assert inspect(tmp_path / "m", ledger) == []
