"""Where time comes from: the system, or a test."""

from __future__ import annotations

import math
import time
from typing import Protocol, runtime_checkable

from realmemory.errors import InvalidInputError

DAY = 86_400.0
"""Seconds in a day."""


@runtime_checkable
class Clock(Protocol):
    """Anything that tells the time in seconds since the epoch (UTC)."""

    def now(self) -> float:
        """Return the current time in epoch seconds."""
        ...


class SystemClock:
    """The wall clock of the machine."""

    def now(self) -> float:
        """Return the current time in epoch seconds."""
        return time.time()


class FakeClock:
    """A clock that moves only when told to, for simulations and tests.

    Args:
        start: First value of :meth:`now`, epoch seconds.
    """

    def __init__(self, start: float = 1.7e9) -> None:
        self._now = float(start)

    def now(self) -> float:
        """Return the simulated time in epoch seconds."""
        return self._now

    def set(self, moment: float) -> float:
        """Put the clock to a moment, epoch seconds, earlier ones too, and return it.

        Raises:
            InvalidInputError: ``moment`` is no finite number.
        """
        if not math.isfinite(moment):
            raise InvalidInputError(
                f"a fake clock is set to epoch seconds, got {moment!r}", code="invalid_range"
            )
        self._now = float(moment)
        return self._now

    def advance(self, seconds: float) -> float:
        """Move forward and return the new time.

        Raises:
            InvalidInputError: ``seconds`` is negative.
        """
        if not seconds >= 0:
            raise InvalidInputError(
                f"a fake clock only moves forward, got {seconds!r} seconds", code="invalid_range"
            )
        self._now += seconds
        return self._now
