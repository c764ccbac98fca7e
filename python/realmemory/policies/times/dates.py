"""Dates as people say them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from realmemory.policies.words.calendar import MONTHS, WEEKDAYS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def days_in_words(start: float, end: float) -> str:
    """Return the words by which texts in each language name the days of a time, epoch seconds."""
    named: dict[str, None] = {}
    day = _EPOCH + timedelta(seconds=start)
    while (day - _EPOCH).total_seconds() < end:
        months = [names[day.month - 1] for names in MONTHS.values()]
        named |= dict.fromkeys([str(day.day), *months, f"{day:%Y-%m-%d}", f"{day:%d.%m.%Y}"])
        day += timedelta(days=1)
    return " ".join(named)


def is_russian(text: str) -> bool:
    """Say whether a text is taken for Russian: by its script."""
    return _CYRILLIC.search(text) is not None


def date_in_words(when: float, *, like: str) -> str:
    """Return the UTC date of ``when`` in words: weekday, day, month, year.

    Args:
        when: Epoch seconds, years 1 to 9999.
        like: A text in the language wanted, English or Russian by its script.
    """
    moment = _EPOCH + timedelta(seconds=when)
    language = "ru" if is_russian(like) else "en"
    weekday = WEEKDAYS[language][moment.weekday()]
    month = MONTHS[language][moment.month - 1]
    return f"{weekday} {moment.day} {month} {moment.year}"
