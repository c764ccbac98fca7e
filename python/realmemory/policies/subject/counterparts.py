"""Counterparts: of whom or what else a text says what a question asks of somebody or something.

"Is Emil allergic to cats?" is answered by "Gus is allergic to cats" as far as words go, and so is
what is asked of the production database by what is said of the one for staging. What tells them
apart is the place: what stands in the text where the question has another word. Pure rules over
the words of short texts; where a sentence is built in another way they say nothing.
"""

from __future__ import annotations

from realmemory.policies.subject.doers import Doers
from realmemory.policies.subject.grammar import Words
from realmemory.policies.subject.owners import Owners
from realmemory.policies.subject.qualifiers import Qualifiers
from realmemory.policies.words import CYRILLIC
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from realmemory.policies.subject.grammar import Counterpart

ONE = 0.48
"""Cosine from which two words may stand for one thing."""
_LONGEST = 240
"""Characters of a text up to which its sentences are looked at: a longer one has many subjects."""
_FEW = 16
"""Words of a question up to which it asks one thing."""


class Inquired(NamedTuple):
    """A short question that what is said of another may seem to answer."""

    owners: Owners
    doers: Doers
    qualifiers: Qualifiers

    @classmethod
    def of(cls, question: str) -> Self | None:
        """Return whom and what a question is about; None for a long one."""
        words = Words.of(question)
        if not 1 < len(words.low) <= _FEW:
            return None
        return cls(Owners.of(words), Doers.of(words), Qualifiers.of(words))

    def counterpart(self, text: str) -> Counterpart | None:
        """Return whom or what a text is about instead; None where nothing tells."""
        if len(text) > _LONGEST:
            return None
        said = Words.of(text)
        if said.low == self.owners.words.low:
            return None
        for part in self:
            for found in part.counterparts(said):
                # Names may be told apart in one script only.
                if _is_cyrillic(found.asked) is _is_cyrillic(found.said):
                    return found
        return None


def _is_cyrillic(words: str) -> bool:
    return CYRILLIC.search(words) is not None
