"""Seeing that a stored text is far from a draft without reading it for its facts.

A text is read token by token, which costs more than anything else about it, and most texts that
share a few words with a draft turn out to be far from it. A stem begins as the words do that it
stands for: where the beginning of our word is nowhere in a text, the text does not hold our fact.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from realmemory.policies.gate.reading import canonical, tells_news
from realmemory.policies.gate.signature import LONGEST_NEWS, SAME_MATTER
from realmemory.policies.words import numbers, synonyms

if TYPE_CHECKING:
    from realmemory.policies.gate.reading import FactSignature

_TYPOGRAPHY = {
    ord("\u2019"): "'",
    **dict.fromkeys(map(ord, "\u2018\u201c\u201d\u2013\u2014"), " "),
}
"""Signs that are as good as an apostrophe or a space."""
_WORD = re.compile("[a-z]+")
_COUNTED = frozenset(
    [part for word in numbers.NUMBERS for part in _WORD.findall(word)] + ["twice", "pm"]
)
"""Words in which a number may be written, or one that changes it."""
_SHORT = 4
"""Shorter stems may be spelled otherwise throughout ("dying", "die")."""


class Sought:
    """The facts of a draft as they would be seen in a text.

    Args:
        ours: What the draft states.
    """

    def __init__(self, ours: FactSignature) -> None:
        said_otherwise = _said_otherwise()
        self._beginnings = [
            fact[:-1]
            for fact in ours.facts
            if len(fact) >= _SHORT
            and fact.isascii()
            and fact.isalpha()
            and fact not in said_otherwise
        ]
        # Content that is spelled as an identifier or a number is one that stands in its place.
        self._identifiers = [_squeezed(one) for one in {*ours.identifiers} if one.isascii()]
        self._numbers = [one for one in {*ours.numbers} if one.isascii() and one.isdigit()]
        self._facts = len(ours.facts)
        self._told = ours.news

    def surely_far(self, text: str) -> bool:
        """Return whether :func:`far_apart` is certain of a text.

        So it is where we have more of our own than close texts may, and the text is no news either:
        too much differs, or both tell of a change, or neither does.
        """
        plain = text if text.isascii() else text.translate(_TYPOGRAPHY)
        # Letters with marks are folded before they are compared.
        if not plain.isascii():
            return False
        # What joins two words into one is dropped.
        folded = plain.lower().replace("-", "").replace("'", "")
        alone = sum([beginning not in folded for beginning in self._beginnings])
        if self._may_be_close(alone):
            alone += self._signs_alone(folded)
            if self._may_be_close(alone):
                return False
        if self._facts - alone < SAME_MATTER or alone > LONGEST_NEWS:
            return True
        return self._told is tells_news(text)

    def _may_be_close(self, alone: int) -> bool:
        """Say whether a text that has so many facts alone may be close to another."""
        return alone <= 1 or 2 * alone <= self._facts - alone

    def _signs_alone(self, folded: str) -> int:
        """Return how many of our identifiers and numbers are certainly not in a folded text."""
        joined = _squeezed(folded)
        alone = sum([one not in joined for one in self._identifiers]) if "<" not in folded else 0
        missing = [one for one in self._numbers if one not in joined]
        if missing and _COUNTED.isdisjoint(_WORD.findall(folded)):
            alone += len(missing)
        return alone


def _squeezed(text: str) -> str:
    """Return a text without the signs that are put into numbers and names, or taken out, as it is read."""
    for sign in ",.'_-":
        text = text.replace(sign, "")
    return "".join(text.split())


@lru_cache(maxsize=1)
def _said_otherwise() -> frozenset[str]:
    """Return the stems for which other words stand too, in a measure or a phrase."""
    phrases = (*synonyms.NEGATING_PHRASES.values(), *synonyms.PHRASES.values())
    return frozenset(map(canonical, (*numbers.UNITS.values(), *filter(None, phrases))))
