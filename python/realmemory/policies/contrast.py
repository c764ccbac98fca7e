"""Contrast: whether what answers a question about somebody is that person's matter at all.

"Where did Bob plant tulips?" is answered well by words and meaning where Ann planted them. What
tells it is whose matter the nearest sentences are; see :mod:`realmemory.policies.question.standpoint`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from realmemory.policies.odds import probability
from realmemory.policies.question.shapes import addresses_assistant, asks_for_words, first_person
from realmemory.policies.question.standpoint import Matter, Voice, matter_of

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTRAST_FEATURES = tuple(matter.name.lower() for matter in Matter)
"""Names of the values of :func:`contrast_features`."""

LOOKED = 4
"""Turns of either side whose sentences are looked at, and what is nobody's turn."""
_ENOUGH_WORDS = 3
"""Content words beside the name from which a likeness counts in full: one is matched by chance."""


class Sentence(NamedTuple):
    """A sentence of a candidate: who says it, and whether another speaks of the person there."""

    memory_id: int
    voice: Voice
    text: str
    of_person: bool = False


@dataclass(frozen=True, slots=True)
class ContrastProfile:
    """A logistic model over :data:`CONTRAST_FEATURES`.

    Recall abstains below ``floor``; below ``doubtful`` it says that what it found may be about
    somebody else.
    """

    weights: tuple[float, ...]
    bias: float
    floor: float = 0.0
    doubtful: float = 0.0

    def chance(self, features: Sequence[float]) -> float:
        """Return the probability that the question is about a matter of the person named."""
        total = sum(map(float.__mul__, self.weights, features))
        return probability(total + self.bias)


@dataclass(frozen=True, slots=True)
class Contrast:
    """What a question that names a speaker found on either side.

    ``chance`` is what is left of a hit's confidence; ``doubted`` says that the reader is to be
    told, ``refuses`` that nothing is to be answered; ``other_id`` is the turn of another speaker
    that comes nearest, 0 without one, ``other`` that speaker.
    """

    name: str
    features: tuple[float, ...]
    chance: float = 1.0
    doubted: bool = False
    refuses: bool = False
    other_id: int = 0
    other: str = ""

    @property
    def detail(self) -> str:
        """Why the question is not answered, or not surely, in words."""
        return f"the question names {self.name}; what comes nearest was said by {self.other}"


def asks_for_deeds(question: str) -> bool:
    """Say whether a question asks for a matter of somebody who is named.

    What somebody says or thinks may be about anybody's matter, and who asks or is asked may have
    told it.
    """
    return not (asks_for_words(question) or first_person(question) or addresses_assistant(question))


def nearest_of_each(said: Sequence[Sentence], likeness: Sequence[float]) -> dict[Matter, int]:
    """Return the place of the sentence of each sort that is most like the question."""
    found: dict[Matter, int] = {}
    for at in sorted(range(len(said)), key=lambda at: -likeness[at]):
        sentence = said[at]
        matter = matter_of(sentence.voice, sentence.text, of_person=sentence.of_person)
        if matter is not None and found.setdefault(matter, at) == at and len(found) == len(Matter):
            break
    return found


def contrast_features(
    nearest: dict[Matter, int], likeness: Sequence[float], words: int
) -> tuple[float, ...]:
    """Return how like the question the nearest sentence of each sort is, zero without one.

    Args:
        nearest: The place of each; see :func:`nearest_of_each`.
        likeness: Of every sentence with the question without the name.
        words: Content words of the question without the name.
    """
    sure = min(1.0, words / _ENOUGH_WORDS)
    return tuple(
        sure * float(likeness[nearest[matter]]) if matter in nearest else 0.0 for matter in Matter
    )
