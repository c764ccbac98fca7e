"""A reading moves log-odds by deviations, whatever the scale of the model."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.reranking import shifted, shifts

LOGITS = st.lists(st.floats(-30, 30), min_size=2, max_size=24).map(np.array)


@given(LOGITS, st.floats(0.1, 10), st.floats(-20, 20))
def test_scale_and_offset_of_the_model_do_not_matter(logits, scale, offset):
    if logits.std() > 0.01:
        np.testing.assert_allclose(
            shifts(logits * scale + offset, 0.5), shifts(logits, 0.5), atol=1e-4
        )


@given(LOGITS)
def test_a_better_reading_never_moves_a_score_less(logits):
    added = shifts(logits, 0.5)
    assert np.all(np.diff(added[np.argsort(logits)]) >= 0)


def test_readings_that_are_all_alike_change_nothing():
    assert not shifts(np.full(5, 2.5), 0.5).any()


@given(st.floats(0.001, 0.99), st.floats(-3, 3))
def test_a_shift_is_added_to_the_log_odds(score, added):
    (after,) = shifted(np.array([score]), np.array([added]))
    before = np.log(score / (1 - score))
    assert np.isclose(np.log(after / (1 - after)), before + added, atol=1e-6)
