"""A text as it is spoken: its words in order, where sentences begin, and what they ask.

Read only of texts that have all their facts in common, so that it costs the others nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from realmemory.policies.gate.reading import plain_stem
from realmemory.policies.words import calendar, numbers, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\?+[!?]*(?=\.?(?:[\s\"'`»”)\]*_]|$))|[.!;:\n]")
_DATED = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|mon|tues|wednes|thurs|fri|satur|sun)"
    r"(?:uary|ruary|ch|il|ust|tember|ober|ember|day)?s?\b|\b(?:ма[йея]\b|сред[уы]"
    rf"|{'|'.join(calendar.RUSSIAN_BEGINNINGS)})",
    re.IGNORECASE,
)
"""Numbers, months and days."""
_SHORT = 2_000
"""Longest text that is kept for the next comparison, characters."""


class Spoken(NamedTuple):
    """One word, folded, with its neighbours in the sentence; ``""`` where there is none.

    ``dated`` says that its sentence names a date.
    """

    word: str
    before: str
    after: str
    original: str
    dated: bool = False

    @property
    def begins(self) -> bool:
        """Whether a sentence begins with it."""
        return not self.before

    @property
    def name(self) -> bool:
        """Whether it is spelled as a name."""
        return not self.begins and self.original[0].isupper()


@dataclass(frozen=True)
class Utterance:
    """The words of a text, how many of its sentences are questions, and whether it names a date."""

    words: tuple[Spoken, ...]
    asked: int
    dated: bool

    @cached_property
    def heard(self) -> frozenset[str]:
        """All words."""
        return frozenset(one.word for one in self.words)

    @cached_property
    def forms(self) -> dict[str, list[Spoken]]:
        """The words by stem, each exchangeable one by its own."""
        found: dict[str, list[Spoken]] = {}
        for one in self.words:
            if one.word not in numbers.UNITS:
                found.setdefault(plain_stem(one.word), []).append(one)
        return found


def utterance(text: str) -> Utterance:
    """Return the text of a signature as it is spoken."""
    return _remembered(text) if len(text) <= _SHORT else _listen(text)


@lru_cache(maxsize=512)
def _remembered(text: str) -> Utterance:
    return _listen(text)


def _listen(text: str) -> Utterance:
    words: list[Spoken] = []
    asked = 0
    for sentence, marked, dated in _sentences(text):
        folded = [word.casefold().removesuffix("'s").replace("'", "") for word in sentence]
        around = ["", *folded, ""]
        words += [
            Spoken(word, around[at], around[at + 2], sentence[at], dated)
            for at, word in enumerate(folded)
        ]
        asked += marked or _inverted(folded, sentence)
    return Utterance(tuple(words), asked, dated=names_date(text))


def names_date(text: str) -> bool:
    """Return whether a text names a number, a month or a day."""
    return _DATED.search(text) is not None


def _sentences(text: str) -> Iterator[tuple[list[str], bool, bool]]:
    """Yield the words of each sentence, whether it ends as a question, and whether it names a date."""
    words: list[str] = []
    begin = 0
    for match in _PART.finditer(text):
        part = match.group()
        if part[0].isalpha():
            words.append(part)
        elif words:
            yield words, part[0] == "?", names_date(text[begin : match.start()])
            words, begin = [], match.end()
    if words:
        yield words, False, names_date(text[begin:])


def _inverted(folded: list[str], sentence: list[str]) -> bool:
    """Say whether a sentence asks without the mark: its verb comes first, or a particle says so."""
    if not statements.QUESTION_PARTICLES.isdisjoint(folded):
        return True
    if folded[0] in statements.ASKED_FOR and len(folded) > 1:
        return True
    return (
        len(folded) > 1
        and folded[0] in statements.ASKING
        and (folded[1] in statements.NOMINAL or sentence[1][0].isupper())
    )
