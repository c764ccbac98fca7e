"""Instants as people and files write them: one accepted form each way, always UTC inside."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from realmemory.errors import InvalidInputError

_EARLIEST = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LATEST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_YEAR = re.compile(r"\d{4}")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    r"([T ]([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?",
    re.IGNORECASE,
)


def parse_instant(value: str | float) -> float:
    """Return epoch seconds for an ISO 8601 date or instant, or for a number of epoch seconds.

    An instant without an offset is UTC; a date alone is its midnight in UTC, and eight digits are
    a date (20240506), not a day of 1970. Milliseconds and nanoseconds since the epoch are refused
    rather than read as a year far away.

    Raises:
        InvalidInputError: ``invalid_timestamp``; not an instant in the years 1 to 9999.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _invalid(value)
    if not isinstance(value, str):
        return _in_range(float(value), value)
    text = value.strip()
    if (compact := _COMPACT.fullmatch(text)) and text.isascii():
        text = "-".join(compact.groups())
    elif _NUMBER.fullmatch(text) and not _YEAR.fullmatch(text):
        return _in_range(float(text), value)
    if not _ISO.fullmatch(text):
        raise _invalid(value)
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise _invalid(value) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _in_range(moment.timestamp(), value)


def format_instant(seconds: float) -> str:
    """Return epoch seconds as ISO 8601 in UTC, without a fraction when there is none."""
    moment = datetime.fromtimestamp(_in_range(seconds, seconds), UTC)
    stamp = moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds")
    return stamp.replace("+00:00", "Z")


def _in_range(seconds: float, given: str | float) -> float:
    if not _EARLIEST <= seconds <= _LATEST:
        raise _invalid(given)
    return seconds


def _invalid(given: object) -> InvalidInputError:
    return InvalidInputError(
        f"{str(given)[:60]!r} is not a point in time; nothing was read or written. Write an ISO "
        "date or instant such as 2026-03-01 or 2026-03-01T09:30:00+02:00 (UTC without an "
        "offset), or epoch seconds.",
        code="invalid_timestamp",
    )
