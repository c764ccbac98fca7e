"""Seeing that a stored text is far from a draft without reading it for its facts.

A text is read token by token, which costs more than anything else about it, and most texts that
share a few words with a draft turn out to be far from it. A stem begins as the words do that it
stands for: where the beginning of our word is nowhere in a text, the text does not hold our fact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from realmemory.policies.reading import canonical, tells_news
from realmemory.policies.signature import LONGEST_NEWS, SAME_MATTER
from realmemory.policies.words import numbers, synonyms

if TYPE_CHECKING:
    from realmemory.policies.reading import FactSignature

_TYPOGRAPHY = {
    ord("\u2019"): "'",
    **dict.fromkeys(map(ord, "\u2018\u201c\u201d\u2013\u2014"), " "),
}
"""Signs that are as good as an apostrophe or a space."""
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
        common = self._facts - alone
        if alone <= max(1, common // 2):
            return False
        if common < SAME_MATTER or alone > LONGEST_NEWS:
            return True
        return self._told is tells_news(text)


@lru_cache(maxsize=1)
def _said_otherwise() -> frozenset[str]:
    """Return the stems for which other words stand too, in a measure or a phrase."""
    phrases = (*synonyms.NEGATING_PHRASES.values(), *synonyms.PHRASES.values())
    return frozenset(map(canonical, (*numbers.UNITS.values(), *filter(None, phrases))))
