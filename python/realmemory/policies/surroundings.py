"""What stands around a conversation turn: its neighbours, its session, its speaker.

A turn rarely repeats what it answers. These features carry the evidence of the turns next to it;
their weights stand beside those of the relevance profile and count for turns only. The form of a
turn (its length, a question mark) is left out: what it says about relevance turns round between
chats of people and dialogues with an assistant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from realmemory.store.records import TurnPlace

    Array = NDArray[np.float64]

REACH = 2
"""Turns on each side that are looked at."""

TURN_FEATURES = (
    "before",
    "after",
    "before_2",
    "after_2",
    "session_best",
    "session_top_3",
    "near_cosine",
    "speaker",
)
"""Names of the columns of :func:`turn_features`."""


@dataclass(frozen=True, slots=True)
class TurnProfile:
    """How a turn's surroundings change the log-odds of its relevance.

    ``logit = scale x (log-odds by its own words and meaning) + weights . features + bias``.
    """

    scale: float
    weights: tuple[float, ...]
    bias: float

    def logits(self, own: Array, features: Array) -> Array:
        """Return the log-odds of turns; ``own`` are those without their surroundings."""
        total: Array = self.scale * own + features @ np.array(self.weights) + self.bias
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Which candidates are turns, and the features of each (zero for the others)."""

    is_turn: NDArray[np.bool_]
    features: Array

    @classmethod
    def none(cls, count: int) -> Surroundings:
        """Return the surroundings of candidates without a turn among them."""
        return cls(np.zeros(count, dtype=np.bool_), np.zeros((count, len(TURN_FEATURES))))


def turn_features(
    ids: Sequence[int],
    places: Sequence[TurnPlace],
    bm25: Mapping[int, float],
    cosines: Mapping[int, float],
    named: Sequence[str],
) -> Surroundings:
    """Return the surroundings of candidates.

    Args:
        ids: The candidates.
        places: Where they and their neighbours stand.
        bm25: Keyword score of every candidate; neighbours are candidates, too.
        cosines: Cosine of every candidate.
        named: Speakers whom the question names.
    """
    strongest = max(bm25.values(), default=0.0) or 1.0
    words = {memory_id: score / strongest for memory_id, score in bm25.items()}
    standing = {(place.session, place.turn_index): place.id for place in places}
    sessions: dict[str, list[float]] = {}
    for place in places:
        sessions.setdefault(place.session, []).append(words.get(place.id, 0.0))
    for scores in sessions.values():
        scores.sort(reverse=True)
    place_of = {place.id: place for place in places}
    result = Surroundings.none(len(ids))
    for at, memory_id in enumerate(ids):
        if memory_id in place_of:
            place = place_of[memory_id]
            result.is_turn[at] = True
            result.features[at] = _row(place, standing, words, cosines, sessions, named)
    return result


def _row(  # noqa: PLR0917 - one row out of all tables
    place: TurnPlace,
    standing: Mapping[tuple[str, int], int],
    words: Mapping[int, float],
    cosines: Mapping[int, float],
    sessions: Mapping[str, Sequence[float]],
    named: Sequence[str],
) -> tuple[float, ...]:
    def near(offset: int, values: Mapping[int, float]) -> float:
        return values.get(standing.get((place.session, place.turn_index + offset), -1), 0.0)

    scores = sessions[place.session]
    return (
        near(-1, words),
        near(1, words),
        near(-2, words),
        near(2, words),
        scores[0],
        sum(scores[:3]) / 3.0,
        (near(-1, cosines) + near(1, cosines)) / 2.0,
        float(len(named) == 1 and place.speaker == named[0]),
    )
