"""What a turn profile learns from the turns that questions bring."""

from __future__ import annotations

import numpy as np
import pytest

from realmemory.eval.calibrate_turns import Part, fitted, ranks
from realmemory.policies.surroundings import TURN_FEATURES


def parts(name, count=60):
    """Questions whose gold turn, the first of six, is told by one column alone."""
    chance = np.random.default_rng(7)
    found = []
    for number in range(count):
        columns = chance.normal(0.0, 0.05, (6, len(TURN_FEATURES) + 1))
        columns[0, (*TURN_FEATURES, "own").index(name)] += 1.0
        relevant = np.arange(6) == 0
        found.append(Part(columns, relevant, float(columns[:, -1].max()), str(number), dated=False))
    return found


@pytest.mark.parametrize("name", ["own", "session_meaning", "meaning"])
def test_it_ranks_by_what_tells_the_right_turn_and_not_without_it(name):
    asked = parts(name)
    assert max(ranks(fitted(asked), asked)) == 1.0
    assert max(ranks(fitted(asked, frozenset({name})), asked)) > 1.0


def test_a_turn_counts_by_itself_as_far_as_its_own_log_odds_tell():
    assert fitted(parts("own")).scale > 1.0
    assert abs(fitted(parts("meaning")).scale) < 0.5
    assert fitted(parts("own"), frozenset({"own"})).scale == 0.0
