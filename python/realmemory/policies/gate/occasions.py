"""Whether two moments are one occasion: what happens again is another memory."""

from __future__ import annotations

from realmemory.clock import DAY

_HOURS = 6 * 3_600.0
"""What is told of the same day with less between is told of the same."""


def same_occasion(one: float, other: float) -> bool:
    """Return whether what is told of two moments, epoch seconds, may have happened once.

    A date alone is the midnight that it begins with, and stands for the whole day.
    """
    if one // DAY != other // DAY:
        return False
    return abs(one - other) <= _HOURS or not (one % DAY and other % DAY)


def on_a_later_occasion(known: float, now: float) -> bool:
    """Return whether what is told now of the present happened again since it was known.

    Who tells it twice around midnight tells of the same.
    """
    return now - known > _HOURS and not same_occasion(known, now)
