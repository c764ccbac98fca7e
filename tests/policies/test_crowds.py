"""A crowd makes room for what stands, and for nothing else."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.evidence import best
from realmemory.policies.crowds import crowded, making_room


def test_a_crowd_is_made_of_copies_that_come_near_the_best():
    scores = array("d", [0.5] + [0.3] * 12 + [0.01] * 12)
    assert crowded(scores, dict.fromkeys(range(1, 13), 0))
    assert not crowded(scores, dict.fromkeys(range(1, 12), 0))
    assert not crowded(scores, dict.fromkeys(range(13, 25), 0))
    assert not crowded(array("d"), {})


@given(
    others=st.lists(st.floats(0.01, 1.0), min_size=1, max_size=40, unique=True),
    standing=st.lists(st.floats(0.0, 1.0), max_size=8),
)
def test_room_is_left_behind_every_fourth_and_the_others_keep_their_order(others, standing):
    scores = array("d", [*others, *standing])
    facts = list(range(len(others), len(scores)))
    raised = making_room(scores, facts)
    assert all(raised[at] >= scores[at] for at in facts)
    order = best(raised, len(raised))
    kept = [at for at in order if at < len(others)]
    assert kept == best(scores[: len(others)], len(others))
    assert order[0] in kept or scores[order[0]] >= max(others)
    for number, at in enumerate(facts[: min(3, (len(others) - 1) // 4)], start=1):
        before = [other for other in order[: order.index(at)] if other < len(others)]
        assert len(before) <= number * 4
    assert list(raised[: len(others)]) == list(scores[: len(others)])
    assert all(raised[at] == scores[at] for at in facts[3:])
