"""Whether two moments are one occasion: what happens again is another memory."""

from __future__ import annotations

_DAY = 86_400.0
_HOURS = 6 * 3_600.0
"""What is told of the same day with less between is told of the same."""


def same_occasion(one: float, other: float) -> bool:
    """Return whether what is told of two moments, epoch seconds, may have happened once.

    A date alone is the midnight that it begins with, and stands for the whole day.
    """
    if one // _DAY != other // _DAY:
        return False
    return abs(one - other) <= _HOURS or not (one % _DAY and other % _DAY)
