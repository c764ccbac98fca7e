"""The floor of an answer among few rows and many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.answerability import MANY_ROWS, ORDINARY_ROWS, AnswerableProfile

_FLOORS = st.floats(0.001, 0.5)


@given(_FLOORS, _FLOORS, st.integers(0, 2 * ORDINARY_ROWS))
def test_it_rises_from_that_of_one_row_to_the_ordinary(one, other, rows):
    lone, floor = sorted((one, other))
    judge = AnswerableProfile((), 0.0, floor=floor, lone_floor=lone)
    here = judge.floor_among(rows)
    assert lone - 1e-9 <= judge.floor_among(1) <= here + 1e-9 <= floor + 2e-9
    assert here <= judge.floor_among(rows + 1) + 1e-12
    assert abs(judge.floor_among(ORDINARY_ROWS) - floor) < 1e-9


@given(_FLOORS, _FLOORS, st.integers(ORDINARY_ROWS, 2 * MANY_ROWS))
def test_it_rises_again_to_that_of_many_rows(one, other, rows):
    floor, wide = sorted((one, other))
    judge = AnswerableProfile((), 0.0, floor=floor, lone_floor=floor / 2, wide_floor=wide)
    here = judge.floor_among(rows)
    assert abs(judge.floor_among(ORDINARY_ROWS) - floor) < 1e-9
    assert floor - 1e-9 <= here <= judge.floor_among(rows + 1) + 1e-12
    assert here <= wide + 1e-9
    assert abs(judge.floor_among(MANY_ROWS) - wide) < 1e-9
    assert abs(AnswerableProfile((), 0.0, floor=floor).floor_among(rows) - floor) < 1e-9
