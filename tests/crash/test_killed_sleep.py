"""A sleep that is killed at any write ends, with the next one, as a sleep that was not killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys

import pytest

from realmemory import Hippocampus
from realmemory.clock import DAY, FakeClock
from realmemory.encoding.hashing import HashingEmbedder

strace = pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to kill at a write")
NOW = 1.7e9
ASLEEP = f"""
import sys
from realmemory import FakeClock, Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
with Hippocampus.open(
    sys.argv[1], embedder=HashingEmbedder(dim=32), clock=FakeClock({NOW})
) as memory:
    memory.consolidate()
"""


@pytest.fixture
def tired(tmp_path):
    """A memory where a sleep has facts to promote, notes to archive and links to commit."""
    clock = FakeClock(NOW - 400 * DAY)
    folder = tmp_path / "tired"
    with Hippocampus.open(folder, embedder=HashingEmbedder(dim=32), clock=clock) as memory:
        for number in range(12):
            memory.remember(f"Note {number} about crane {number * 7}", force_new=True)
        for _ in range(6):
            clock.advance(20 * DAY)
            for number in range(3):
                memory.remember(f"The tug number {number} is moored at quay {number}")
        clock.advance(NOW - DAY - clock.now())
        packet = memory.recall("where is the tug moored?")
        memory.feedback([item.memory_id for item in packet.items][:2], 1.0)
        memory.context.store.checkpoint()
    return folder


def state(folder):
    """What a sleep decides: kinds, statuses, strengths and links, with nothing damaged."""
    with Hippocampus.open(
        folder, embedder=HashingEmbedder(dim=32), clock=FakeClock(NOW), read_only=True
    ) as memory:
        assert memory.context.store.verify().ok
        with memory.context.store.read() as view:
            traces = [
                (trace.id, trace.kind, trace.status, trace.base_strength)
                for trace in view.traces.page(limit=100)
            ]
            links = sorted(link[:4] for link in view.links.of([trace[0] for trace in traces]))
    return traces, links


@strace
@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.timeout(3600)
def test_a_sleep_that_is_killed_ends_as_one_that_was_not(tired, tmp_path, step):
    """Whatever a kill leaves undone, the next sleep does; what was done is not done twice."""

    def sleep(folder, *prefix):
        command = [*prefix, sys.executable, "-c", ASLEEP, folder]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    before = state(tired)
    calm = tmp_path / "calm"
    shutil.copytree(tired, calm)
    assert sleep(calm).returncode == 0
    expected = state(calm)
    assert expected != before
    for number in range(step, 5_000, step):
        folder = tmp_path / f"killed-{number}"
        shutil.copytree(tired, folder)
        rule = f"inject=pwrite64:signal=KILL:when={number}"
        trace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", rule)
        done = sleep(folder, *trace)
        state(folder)
        if done.returncode == 0:
            assert number > step, "no kill hit the sleep"
            break
        assert done.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}, done.stderr
        assert sleep(folder).returncode == 0
        assert state(folder) == expected, f"killed at write {number}"
        shutil.rmtree(folder)
