"""Strangers: what names nobody and nothing of those whom a question names.

"When is Ben's birthday?" finds Petra's, however well the rest of the words agrees, and what was
said of ticket 88 answers nobody who asks for ticket 89. Among first hits like these on memories
dealt for the purpose none was right; see ``on_topic`` in the benchmarks.
"""

from __future__ import annotations

from realmemory.late import late_pattern
from realmemory.policies.scripts import apart
from realmemory.policies.subject.counterparts import Inquired
from realmemory.policies.subject.grammar import Words
from realmemory.policies.subject.names import Name, names_in
from realmemory.policies.subject.numbered import Numbered
from realmemory.policies.subject.quantities import Quantity
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from realmemory.core.evidence import Floats
    from realmemory.policies.subject.grammar import Counterpart


KEPT = 0.15
"""What is left of the confidence in a stranger: seldom a nickname hides the one who is meant."""
LIKELY = 0.2
"""Confidence from which a text is looked at for whom or what else it says it of."""
AS_GOOD = 0.5
"""Share of the first hit's confidence from which a fact that is no stranger may be the answer."""
NOBODY_NAMED = "names nobody and nothing that the question names"
"""What is said of such a hit."""
BEHIND = 1.0 - 1e-9
"""What makes a score come behind another."""
_SOMEBODY = frozenset(["he", "she", "they", "er", "он", "она", "они"])
"""A text that begins so may be about anybody."""
_TOKEN = late_pattern(r"\w+(?:[-./:]\w+)*")
_IDENTIFIER = late_pattern(r"(?=\D*\d|.*\w_\w)[^\W\d].*")
_WORD = late_pattern(r"[^\W_]+")


class Stranger(NamedTuple):
    """What was the score of a hit, and why it is about others than those whom a question names."""

    before: float
    reason: str


class Named(NamedTuple):
    """Whom and what a question names, and which numbers of things."""

    names: tuple[Name, ...]
    identifiers: tuple[str, ...]
    numbered: Numbered | None

    @classmethod
    def of(cls, question: str, timeless: str, scope: str | None = None) -> Self | None:
        """Return what a question names; None when it names nothing.

        Args:
            question: What is asked.
            timeless: The same casefolded, without the times that it names; times are no names.
            scope: The project that it is asked of, whose name needs no saying.
        """
        tokens = _TOKEN.findall(question)
        names = names_in(question)
        identifiers = [token.casefold() for token in tokens if _IDENTIFIER.fullmatch(token)]
        numbered = Numbered.of(Words.of(question))
        if not (names or identifiers or numbered):
            return None
        kept = set(_TOKEN.findall(timeless))
        left = kept - set(_WORD.findall((scope or "").casefold()))
        named = cls(
            tuple(name for name in names if name.word in left),
            tuple(name for name in identifiers if name in left),
            numbered.without(set(map(str.casefold, tokens)) - kept) if numbered else None,
        )
        return named if any(named) else None

    def missed_by(self, text: str) -> str:
        """Return why a text is about others: it names none of these, or another number, or ""."""
        folded = text.casefold()
        if self.identifiers and not any(name in folded for name in self.identifiers):
            return NOBODY_NAMED
        if self.numbered and (found := self.numbered.counterpart(Words.of(text))):
            return instead(found)
        if not self.names or apart(" ".join(name.word for name in self.names), [text]) > 0.0:
            return ""
        words = _WORD.findall(text)
        if words[:1] and words[0].lower() in _SOMEBODY:
            return ""
        return "" if any(name.is_in(words) for name in self.names) else NOBODY_NAMED


class Asked(NamedTuple):
    """What a question asks: whom and what it names, of whom what is asked, and what for."""

    named: Named | None
    inquired: Inquired | None
    quantity: Quantity | None

    @classmethod
    def of(cls, question: str, timeless: str, scope: str | None = None) -> Self:
        """Read a question; the arguments are those of :meth:`Named.of`."""
        named = Named.of(question, timeless, scope)
        return cls(named, Inquired.of(question), Quantity.of(question))

    def others(
        self,
        said: Mapping[int, str],
        confidences: Floats,
        is_one: Callable[[Counterpart], bool],
    ) -> dict[int, str]:
        """Return which texts are about others or hold no such quantity, each with what tells it.

        What comes behind one that says it of just what is asked is not looked at for others.

        Args:
            said: Texts by place, best first.
            confidences: Of what stands at each place.
            is_one: Says whether two words are so alike in meaning that they may stand for one thing.
        """
        found: dict[int, str] = {}
        inquired, quantity = self.inquired, self.quantity
        for at, text in said.items():
            if self.named is not None and (why := self.named.missed_by(text)):
                found[at] = why
                continue
            if confidences[at] < LIKELY:
                continue
            other = None if inquired is None else inquired.counterpart(text)
            if other is not None and not is_one(other):
                found[at] = instead(other)
                continue
            inquired = None
            if quantity is not None and not quantity.is_in(text):
                found[at] = quantity.missing
        return found


def instead(found: Counterpart) -> str:
    """Say of whom or what a text says what is asked."""
    return f"says it of {found.said}, not of {found.asked}"
