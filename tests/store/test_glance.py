"""A quick look into a store says of a trace what the policies say."""

from __future__ import annotations

import math

import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.clock import DAY
from realmemory.policies.retention import retention
from realmemory.store.glance import look

NOW = 1.8e9


@pytest.fixture
def folder(tmp_path):
    """A memory with facts and episodes of several ages, one of each pinned."""
    folder, clock = tmp_path / "memory", FakeClock(NOW - 400 * DAY)
    with Hippocampus.open(folder, clock=clock) as memory:
        for place in ("cellar", "attic", "barn", "shed"):
            for kind in ("semantic", "episodic"):
                written = memory.remember(f"The {place} was painted {kind}", kind=kind)
                if place == "attic":
                    memory.pin(written.memory_id)
            clock.advance(100 * DAY)
    return folder


@pytest.mark.parametrize("kind", ["semantic", "episodic"])
def test_what_is_most_alive_has_the_retention_of_the_policies(folder, kind):
    with Hippocampus.open(folder, clock=FakeClock(NOW), read_only=True) as memory:
        traces = {trace.id: trace for trace in memory.list()}
    view = look(str(folder))
    tau = view.taus()[kind]
    rows = view.strongest(kind, view.scope_ids(["global"]), NOW, tau, 10)
    view.close()
    assert len(rows) == 4
    for row in rows:
        known = traces[row[0]]
        fades = math.inf if known.pinned else tau
        expected = retention(known.base_strength, known.last_reinforced_at, NOW, fades)
        assert row[2] == pytest.approx(expected)
