"""Days, months and spans of time, in UTC."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from realmemory.clock import DAY

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR = 3 * DAY
"""A memory this far from a short span still counts for something."""


class Span(NamedTuple):
    """An interval of time, epoch seconds: ``start`` inclusive, ``end`` exclusive; may be open."""

    start: float
    end: float

    @property
    def bounded(self) -> bool:
        """Whether both ends are known."""
        return math.isfinite(self.start) and math.isfinite(self.end)

    def closeness(self, moment: float) -> float:
        """Return 1 for a moment inside, falling towards 0 with the distance.

        The wider the span, the vaguer its borders.
        """
        gap = max(self.start - moment, moment - self.end, 0.0)
        width = self.end - self.start
        scale = max(_NEAR, width / 2.0) if math.isfinite(width) else _NEAR
        return math.exp(-gap / scale)


def midnight(moment: float) -> datetime:
    """Return the beginning of the day of a moment."""
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def epoch(moment: datetime) -> float:
    """Return a time as epoch seconds."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def days_from(start: datetime, count: int = 1) -> Span:
    """Return so many days from a midnight on."""
    return Span(epoch(start), epoch(start + timedelta(days=count)))


def first_of(year: int, month: int) -> datetime:
    """Return the first of a month; months beyond the year's count on."""
    years, rest = divmod(month - 1, 12)
    return datetime(year + years, rest + 1, 1, tzinfo=UTC)


def months_from(year: int, month: int, count: int = 1) -> Span:
    """Return so many months from one on; months beyond the year's count on."""
    return Span(epoch(first_of(year, month)), epoch(first_of(year, month + count)))


def closeness(wanted: Sequence[Span], moments: Sequence[float]) -> float:
    """Return how near any of some moments comes to any of the spans: 0 to 1."""
    return max((span.closeness(at) for span in wanted for at in moments), default=0.0)
