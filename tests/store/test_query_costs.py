"""What is read costs what is asked for, not what is there, whatever the planner believes."""

from __future__ import annotations

import itertools

import apsw
import pytest

from realmemory.store import Store
from realmemory.store.records import NewTrace
from realmemory.types import Status

STEP = 50
"""Instructions of SQLite between two counts."""


@pytest.fixture
def counted():
    """Yield a list that grows with every fifty instructions of connections opened from now on."""
    ticks: list[None] = []

    def hook(connection):
        connection.set_progress_handler(lambda: bool(ticks.append(None)), STEP)

    apsw.connection_hooks.append(hook)
    yield ticks
    apsw.connection_hooks.remove(hook)


def fill(store, facts, turns):
    """Store facts, take the planner's statistics, store turns and return their ids."""
    with store.write() as tx:
        for number in range(facts):
            tx.traces.insert(NewTrace(text=f"fact {number}", terms="", scope="global"))
    with store.write() as tx:
        tx.meta.refresh_statistics()
    with store.write() as tx:
        return [
            tx.traces.insert(
                NewTrace(
                    text=f"turn {number}",
                    terms="",
                    scope="global",
                    kind="turn",
                    session_id="long",
                    turn_index=number,
                )
            )
            for number in range(turns)
        ]


@pytest.mark.parametrize("turns", [50, 1_000])
def test_reading_around_turns_costs_what_is_read(folder, counted, turns):
    """Statistics from before the first turn had all turns compared with all others."""
    with Store.open(folder) as store:
        ids = fill(store, 1_000, turns)
        with store.read() as view:
            counted.clear()
            places = view.conversations.around([1, 2, ids[7], ids[20]], 2)
    assert [place.turn_index for place in places] == [*range(5, 10), *range(18, 23)]
    assert len(counted) * STEP < 2_000


def test_following_a_supersession_costs_its_length(folder, counted):
    """Statistics from before the first supersession had every trace read."""
    with Store.open(folder) as store:
        ids = fill(store, 1_000, 1_000)
        with store.write() as tx:
            for old, new in itertools.pairwise(ids[:4]):
                tx.traces.set_status([old], Status.SUPERSEDED, superseded_by=new)
        with store.read() as view:
            counted.clear()
            assert view.succession.ends([ids[0], ids[9]]) == {ids[0]: ids[3], ids[9]: ids[9]}
            assert [trace.id for trace in view.traces.history(ids[1])] == ids[:4]
            assert view.succession.after(ids[0]) == ids[1:4]
            assert view.succession.replaced_by([ids[3]]) == [ids[2]]
    assert len(counted) * STEP < 4_000
