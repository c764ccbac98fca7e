"""The floor of an answer among few rows and many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.answerability import ORDINARY_ROWS, AnswerableProfile

_FLOORS = st.floats(0.001, 0.5)


@given(_FLOORS, _FLOORS, st.integers(0, 2 * ORDINARY_ROWS))
def test_it_rises_from_that_of_one_row_to_the_ordinary(one, other, rows):
    lone, floor = sorted((one, other))
    judge = AnswerableProfile((), 0.0, floor=floor, lone_floor=lone)
    here = judge.floor_among(rows)
    assert lone - 1e-9 <= judge.floor_among(1) <= here + 1e-9 <= floor + 2e-9
    assert here <= judge.floor_among(rows + 1) + 1e-12
    assert abs(judge.floor_among(ORDINARY_ROWS) - floor) < 1e-9
