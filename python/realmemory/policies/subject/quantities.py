"""Quantities: whether a text holds such a thing as a question asks for.

"What is Anna's phone number?" finds "Anna never answers the phone" and "how much is a buoy?" finds
what becomes of a buoy that is silent for thirty hours. Where a question asks for what is written in
one of few ways, a sum of money, a weight, a number of something, a text without any is no answer. Pure
rules over the words of question and text; where several ways are possible they say nothing.
"""

from __future__ import annotations

from enum import Enum

from realmemory.late import late_pattern
from realmemory.policies.words import CYRILLIC
from realmemory.policies.words import quantities as of
from realmemory.policies.words.little import BE, DETERMINERS, DO, PREPOSITIONS, WHICH
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

_TOKEN = late_pattern(r"\d[\d.,:]*\d|\d|[^\W\d_]+(?:-[^\W\d_]+)?|[€$£¥₽%°]")
_PHONE = late_pattern(r"\d(?:[\s\-/().]*\d){4,}")
_IP = late_pattern(r"\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f:]{3,}")
_MAIL = late_pattern(r"\w@\w")
_LISTED = late_pattern(r"\w, [\w\s]+ (?:and|und|и|or|oder|или) |\ban? [\w\s]+ and an? ")
_HEAD = 4
"""Words behind the one that asks, among which the noun is that it asks for."""
_APART = 2
"""Words between a number and what it counts, at most."""


class Sort(Enum):
    """What a question asks for; the value says it in words."""

    MONEY = "sum of money"
    WEIGHT = "weight"
    DEGREE = "temperature"
    FREQUENCY = "frequency"
    SHARE = "percentage"
    AGE = "age"
    DURATION = "length of time"
    LENGTH = "measure"
    COUNT = "number of them"
    DIGITS = "number"
    PHONE = "phone number"
    IP = "IP address"
    MAIL = "mail address"
    ANY = "quantity"


_UNITS = {
    Sort.MONEY: of.MONEY,
    Sort.WEIGHT: of.WEIGHT | of.DATA,
    Sort.DEGREE: of.DEGREE,
    Sort.FREQUENCY: of.FREQUENCY | of.TIME | of.DATA,
    Sort.SHARE: of.PERCENT | of.MONEY,
    Sort.AGE: of.TIME,
    Sort.DURATION: of.TIME | of.LENGTH,
    Sort.LENGTH: of.LENGTH | of.TIME | of.DATA | of.PERCENT | of.MONEY,
}
"""What each is counted in. How large and how high may be asked of anything."""
_ALL_UNITS = frozenset[str]().union(*_UNITS.values(), of.DEGREE)
_PATTERNS = {Sort.PHONE: _PHONE, Sort.IP: _IP, Sort.MAIL: _MAIL}
_BEHIND_HOW = (
    (of.LONG, Sort.DURATION),
    (of.OLD, Sort.AGE),
    (of.HEAVY, Sort.WEIGHT),
    (of.TALL, Sort.LENGTH),
    (of.WARM, Sort.DEGREE),
)
_NOUNS = (
    (of.NOUNS_OF_MONEY, Sort.MONEY),
    (of.WEIGHS, Sort.WEIGHT),
    (of.WARMTH, Sort.DEGREE),
    (of.RATES, Sort.FREQUENCY),
    (of.SHARES, Sort.SHARE),
    (of.AGES, Sort.AGE),
    (of.DIGITS, Sort.DIGITS),
)
_AMOUNTS = (
    (of.COSTS, Sort.MONEY),
    (of.WEIGHS, Sort.WEIGHT),
    (of.AGES, Sort.AGE),
    (of.SHARES, Sort.SHARE),
    (of.LASTS, Sort.DURATION),
)
_HOW = frozenset(["how", "wie", "как"])
_RUSSIAN_WHICH = (
    "какой",
    "какая",
    "какое",
    "какие",
    "какую",
    "каком",
    "какого",
    "каким",
    "какова",
    "каков",
)
_GERMAN_WHAT = "was"
_WHAT = WHICH | frozenset([*_RUSSIAN_WHICH, _GERMAN_WHAT])


class Quantity(NamedTuple):
    """What a question asks for, and the words of the question."""

    sort: Sort
    asked: frozenset[str]

    @classmethod
    def of(cls, question: str) -> Self | None:
        """Return what a question asks for; None where that may be written in any way."""
        words = _words(question)
        sort = next(filter(None, (_asked(words, at) for at in range(len(words)))), None)
        return None if sort is None else cls(sort, frozenset(words))

    @property
    def missing(self) -> str:
        """What is said of a text that holds none."""
        return f"says no {self.sort.value}"

    def is_in(self, text: str) -> bool:
        """Say whether a text holds one."""
        pattern = _PATTERNS.get(self.sort)
        if pattern is not None:
            return pattern.search(text) is not None
        words = _words(text)
        units = _UNITS.get(self.sort, frozenset())
        if any(word in units and (len(word) > 1 or not word.isalpha()) for word in words):
            return True
        numbers = [at for at, word in enumerate(words) if _is_number(word)]
        if self.sort is Sort.ANY:
            return bool(numbers) or not _ALL_UNITS.isdisjoint(words)
        if self.sort is Sort.COUNT and _LISTED.search(text) is not None:
            return True
        return any(self._counts(words, at, units) for at in numbers)

    def _counts(self, words: Sequence[str], at: int, units: frozenset[str]) -> bool:
        """Say whether the number at a place counts what is asked for, as far as what it counts tells."""
        unit = _unit(words, at)
        if self.sort is Sort.COUNT:
            return unit is None or unit in self.asked or unit in of.PERCENT
        return unit in units or (unit is None and words[at] not in of.ALONE)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _TOKEN.findall(text)]


def _is_number(word: str) -> bool:
    return word[0].isdecimal() or word in of.NUMERALS


def _asked(words: Sequence[str], at: int) -> Sort | None:
    """Return what is asked for by the word at a place, if it asks."""
    word, behind = words[at], words[at + 1 :]
    following = behind[0] if behind else ""
    if word == of.HOW_MUCH and (at == 0 or words[at - 1] in {"а", "и", "за"}):
        return _first_of(_AMOUNTS, behind) or Sort.ANY
    if word in of.MUCH and at and words[at - 1] in _HOW:
        return _first_of(_AMOUNTS, behind)
    if word in _HOW:
        return Sort.COUNT if following in of.MANY else _first_of(_BEHIND_HOW, behind[:1])
    if word not in _WHAT or (word == _GERMAN_WHAT and at):
        # In an English sentence "was" stands anywhere.
        return None
    return Sort.MONEY if following in of.VERBS_OF_MONEY else _by_noun(behind)


def _by_noun(behind: Sequence[str]) -> Sort | None:
    """Return what is asked for by the noun behind "what"."""
    if behind[:1] and behind[0] in DO:
        if behind[-1] in of.TIME and behind[-2] in of.EACH_TIME:
            behind = behind[:-2]
        return Sort.MONEY if behind[-1] in of.VERBS_OF_MONEY else None
    head: list[str] = []
    for word in behind[: _HEAD + 2]:
        if word in DO or (head and word in PREPOSITIONS) or (head and word in BE):
            break
        if word not in BE and word not in DETERMINERS:
            head.append(word)
    # In Russian the noun comes before what is said of it, in English behind what tells which.
    russian = bool(head) and CYRILLIC.match(head[0]) is not None
    return _called(head) or _first_of(_NOUNS, head if russian else head[-1:])


def _called(head: Sequence[str]) -> Sort | None:
    """Return what is called by two words, if it is: a number, an address, a rate."""
    held = frozenset(head)

    def holds(*classes: frozenset[str]) -> bool:
        return not any(held.isdisjoint(words) for words in classes)

    if holds(of.PHONE_NUMBER) or holds(of.PHONE, of.NUMBER_OF):
        return Sort.PHONE
    if holds(of.IP, of.ADDRESS):
        return Sort.IP
    if holds(of.MAIL, of.ADDRESS):
        return Sort.MAIL
    return Sort.FREQUENCY if head[-1:] == [of.RATE] and holds(of.SAMPLED) else None


def _first_of(table: Sequence[tuple[frozenset[str], Sort]], words: Sequence[str]) -> Sort | None:
    """Return what the first of some words that asks for anything asks for."""
    found = (sort for word in words for asking, sort in table if word in asking)
    return next(found, None)


def _unit(words: Sequence[str], at: int) -> str | None:
    """Return what the number at a place is counted in, None where that is not said."""
    if at and words[at - 1] in of.MONEY:
        return words[at - 1]
    apart = 0
    for word in words[at + 1 :]:
        if _is_number(word):
            continue
        if word in _ALL_UNITS:
            return word
        apart += 1
        if apart >= _APART or word in PREPOSITIONS or word in DETERMINERS:
            break
    return None
