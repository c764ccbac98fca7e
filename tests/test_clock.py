"""A clock for tests moves when it is told to, and only then."""

from __future__ import annotations

import math

import pytest

from realmemory import FakeClock
from realmemory.errors import InvalidInputError


def test_a_fake_clock_is_put_to_any_moment():
    clock = FakeClock()
    assert clock.set(2e9) == clock.now() == 2e9
    assert clock.set(1e9) == clock.now() == 1e9
    assert clock.advance(5) == 1e9 + 5


@pytest.mark.parametrize("moment", [math.nan, math.inf])
def test_a_fake_clock_is_not_put_to_no_moment(moment):
    clock = FakeClock()
    with pytest.raises(InvalidInputError):
        clock.set(moment)
    assert clock.now() == 1.7e9
