"""Strangers: what names nobody and nothing of those whom a question names.

"When is Ben's birthday?" finds Petra's, however well the rest of the words agrees, and what was
said of ticket 88 answers nobody who asks for ticket 89. Among first hits like these on memories
dealt for the purpose none was right; see ``on_topic`` in the benchmarks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, Self

from realmemory.core.text import analyze, count_query_words
from realmemory.late import late_pattern
from realmemory.policies.interrogatives import Interrogative
from realmemory.policies.scripts import apart

KEPT = 0.15
"""What is left of the confidence in a stranger: seldom a nickname hides the one who is meant."""
AS_GOOD = 0.5
"""Share of the first hit's confidence from which a fact that is no stranger may be the answer."""
BEHIND = 1.0 - 1e-9
"""What makes a score come behind another."""
_ALIKE = 3
"""Letters that all forms of a name begin with; a shorter one may change its last."""
_ACRONYM = 5
"""Letters up to which capitals make an acronym, which texts also write in full."""
_TOKEN = late_pattern(r"\w+(?:[-./:]\w+)*")
_NUMBER = late_pattern(r"\d+(?:[-./:]\d+)*")
_IDENTIFIER = late_pattern(r"(?=\D*\d|.*\w_\w)[^\W\d].*")
_WORD = late_pattern(r"[^\W_]+")
_ENDS = frozenset(".!?")


class Named(NamedTuple):
    """Whom and what a question names.

    ``numbered`` are the numbers of things with the word before them: ("ticket", "89").
    """

    names: tuple[str, ...]
    identifiers: tuple[str, ...]
    numbered: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, question: str, timeless: str, scope: str | None = None) -> Self | None:
        """Return what a question names; None when it names nothing.

        Args:
            question: What is asked.
            timeless: The same casefolded, without the times that it names; times are no names.
            scope: The project that it is asked of, whose name needs no saying.
        """
        tokens = _TOKEN.findall(question)
        names = _names(question)
        identifiers = [token.casefold() for token in tokens if _IDENTIFIER.fullmatch(token)]
        numbered = _numbered(tokens)
        if not (names or identifiers or numbered):
            return None
        kept = set(_TOKEN.findall(timeless))
        left = kept - set(_WORD.findall((scope or "").casefold()))
        named = cls(
            tuple(name for name in names if name in left),
            tuple(name for name in identifiers if name in left),
            frozenset(pair for pair in numbered if pair[1] in kept),
        )
        return named if any(named) else None

    def missed_by(self, text: str) -> bool:
        """Say whether a text is about others: it names none of these, or another number."""
        folded = text.casefold()
        if self.identifiers and not any(name in folded for name in self.identifiers):
            return True
        if self.numbered and self._another_number(_TOKEN.findall(text)):
            return True
        if not self.names or apart(" ".join(self.names), [text]) > 0.0:
            return False
        words = _WORD.findall(folded)
        return not any(_same(name, word) for name in self.names for word in words)

    def _another_number(self, said: list[str]) -> bool:
        things = {thing for thing, _ in _numbered(said)}
        return any(thing in things and number not in said for thing, number in self.numbered)


def _names(question: str) -> list[str]:
    """Return the words that are spelled as names where only names are spelled so."""
    found = list(_TOKEN.finditer(question))
    asked = Interrogative.of([word[0].lower() for word in found])
    # German spells every noun so, and without an interrogative no language is told.
    if asked is None or asked.german or not any(word[0][0].islower() for word in found):
        return []
    return [
        word[0].casefold()
        for word in found
        if word[0].isalpha()
        and word[0][0].isupper()
        and not (word[0].isupper() and len(word[0]) <= _ACRONYM)
        and not _begins_sentence(question[: word.start()].rstrip())
        and count_query_words(word[0])
    ]


def _begins_sentence(before: str) -> bool:
    return not before or before[-1] in _ENDS


def _numbered(tokens: list[str]) -> set[tuple[str, str]]:
    """Return the numbers of things, each with the stem of the word before it."""
    return {
        (analyze(thing)[0], number)
        for thing, number in pairwise(tokens)
        if number[0].isdecimal()
        and _NUMBER.fullmatch(number)
        and thing.isalpha()
        and count_query_words(thing)
    }


def _same(name: str, word: str) -> bool:
    """Say whether a word may be a form of a name."""
    alike = min(_ALIKE, max(min(len(name), len(word)) - 1, 2))
    return name[:alike] == word[:alike]
