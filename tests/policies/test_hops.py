"""What the second hop may change: the order behind the first hits, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.hops import Hops, Leads, Order, called_for, hops, nearness
from realmemory.store.records import TurnPlace

FLOOR = 0.003
_SHARES = st.floats(0.0, 1.0)


@st.composite
def situations(draw):
    count = draw(st.integers(3, 12))
    confidences = np.array(
        sorted(draw(st.lists(st.floats(1e-6, 0.98), min_size=count, max_size=count)), reverse=True)
    )
    confidences[:3] = np.maximum(confidences[:3], FLOOR)
    scores = np.where(confidences >= FLOOR, confidences * 0.65, 0.0)
    table = st.lists(_SHARES, min_size=3 * count, max_size=3 * count)
    leads = [np.array(draw(table)).reshape(3, count) for _ in range(2)]
    turns = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    return Order(confidences, scores, confidences * 0.65, turns), leads


def log_odds(values):
    return np.log(values / (1.0 - values))


def arrays(order, seeds, shared, near, **options):
    """Return what the hop makes of tables of leads, one row a hit, as arrays."""
    leads = Leads(*([dict(enumerate(row)) for row in table.tolist()] for table in (shared, near)))
    return Hops(*map(np.asarray, hops(order, seeds.tolist(), leads, **options)))


@given(situations(), st.floats(0.0, 4.0))
def test_the_first_hits_stay_first_and_the_parts_add_up(situation, weight):
    order, leads = situation
    seeds = np.arange(3)
    found = arrays(order, seeds, *leads, weight=weight, floor=FLOOR)
    np.testing.assert_array_equal(found.after[seeds], order.scores[seeds])
    assert (found.after[3:] <= found.after[seeds].min() + 1e-9).all()
    kept = found.after > 0.0
    assert kept[order.scores > 0.0].all()
    parts = found.bridge + found.nearby + found.held
    np.testing.assert_allclose(
        log_odds(found.after[kept]), log_odds(found.before[kept]) + parts[kept], atol=1e-6
    )


@given(situations(), st.data())
def test_more_that_leads_there_never_ranks_a_text_lower(situation, data):
    order, leads = situation
    seeds = np.arange(3)
    at = data.draw(st.integers(0, len(order.scores) - 1))
    more = [leads[0].copy(), leads[1]]
    more[0][:, at] = 1.0

    def rank(known):
        after = arrays(order, seeds, *known, weight=1.0, floor=FLOOR).after
        return int((after > after[at] + 1e-12).sum())

    assert rank(more) <= rank(leads)


def test_a_weight_of_zero_changes_nothing():
    scores = np.array([0.9, 0.5, 0.4, 0.3, 0.0])
    order = Order(scores, scores, np.where(scores > 0.0, scores, 1e-5), [False] * 5)
    every = np.ones((3, 5))
    found = arrays(order, np.arange(3), every, every, weight=0.0, floor=FLOOR)
    np.testing.assert_allclose(found.after, scores)


def test_enough_shared_words_bring_back_what_the_question_alone_drops():
    confidences = np.array([0.9, 0.5, 0.4, 1e-4, 1e-4])
    scores = np.where(confidences > 0.1, 0.5, 0.0)
    order = Order(confidences, scores, np.maximum(scores, confidences / 2), [False] * 5)
    shared = np.array([[0.0, 0.0, 0.0, 1.0, 0.1]] * 3)
    found = arrays(order, np.arange(3), shared, shared * 0, weight=1.0, floor=FLOOR)
    assert found.after[3] > 0.0 == found.after[4]


@pytest.mark.parametrize(
    ("confidence", "coverage", "several", "expected"),
    [
        (0.95, 0.9, False, False),
        (0.95, 0.9, True, True),
        (0.3, 0.9, False, True),
        (0.95, 0.5, False, True),
    ],
)
def test_only_a_question_that_needs_more_is_followed(confidence, coverage, several, expected):
    assert called_for(confidence, coverage, several=several) is expected


def test_a_subject_lasts_for_some_turns_and_for_some_text():
    places = [TurnPlace(at, "s", at, "Ann") for at in range(5)]
    short = nearness(2, places, dict.fromkeys(range(5), 60))
    assert set(short) == {0, 1, 3, 4}
    assert short[1] == short[3] > short[0] == short[4] > 0.0
    assert short[1] > 0.9
    # Beyond pages of text another subject is likely.
    long = nearness(2, places, dict.fromkeys(range(5), 4000))
    assert long[1] < 0.05


def test_turns_behind_a_gap_and_of_other_sessions_are_not_beside():
    places = [TurnPlace(1, "s", 0, "Ann"), TurnPlace(2, "s", 2, "Bob"), TurnPlace(3, "t", 1, "Bob")]
    assert nearness(1, places, {1: 5, 2: 5, 3: 5}) == {}
    assert nearness(9, places, {}) == {}
