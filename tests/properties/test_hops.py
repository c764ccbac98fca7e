"""The engine counts a second hop as the policy says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.core.evidence import COLUMNS, Table
from realmemory.policies.hops import Leads, Order, hops, hops_by_formula
from realmemory.policies.ranking import weighed

SHARES = st.one_of(st.sampled_from([0.0, 1e-13, 1.0]), st.floats(0.0, 1.0))


@st.composite
def situations(draw):
    count = draw(st.integers(1, 12))
    confidences, retention = (
        np.array(draw(st.lists(SHARES, min_size=count, max_size=count))) for _ in range(2)
    )
    scores = np.where(confidences >= 0.1, weighed(confidences, retention), 0.0)
    found = np.flatnonzero(scores > 0.0)
    if not len(found):
        scores[0], found = 0.5, np.array([0])
    seeds = found[np.argsort(-scores[found], kind="stable")][: draw(st.integers(1, 3))].tolist()
    lead = st.dictionaries(st.integers(0, count - 1), SHARES)
    leads = Leads(*([draw(lead) for _ in seeds] for _ in range(2)))
    turns = draw(st.lists(st.booleans(), min_size=count, max_size=count) | st.just([]))
    columns = {name: np.zeros(count) for name in COLUMNS} | {"retention": retention}
    undropped = Table.of(columns).undropped(confidences, scores)
    np.testing.assert_allclose(
        undropped, np.where(scores > 0.0, scores, weighed(confidences, retention))
    )
    return Order(confidences, scores, undropped, turns), seeds, leads


@given(situations(), st.floats(0.0, 4.0), st.floats(0.0, 0.5))
def test_the_engine_does_what_the_formula_says(situation, factor, floor):
    found = hops(*situation, weight=factor, floor=floor)
    expected = hops_by_formula(*situation, weight=factor, floor=floor)
    for part, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(part), np.asarray(wanted), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("seeds", "led"), [([2], {0: 1.0}), ([0], {2: 1.0})])
def test_a_position_that_is_none_is_refused(seeds, led):
    values = np.array([0.5, 0.4])
    with pytest.raises(ValueError, match="no candidate at 2"):
        hops(Order(values, values, values, []), seeds, Leads([led], [{}]), weight=1.0, floor=0.1)
