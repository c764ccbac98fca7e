"""Doubt: whether what comes nearest in a small memory says at all what a question asks for.

"What is Anna's shoe size?" finds what is known of Anna, and among a few notes it finds it well. What
speaks against an answer are the words that ask: the nearest text says nothing like the rarest of
them, or nothing like some other, or holds no number, time, name or place where one is asked for.
Names do not count: that Anna is spoken of says nothing.

The profile of relevance was fitted on memories of :data:`ORDINARY_ROWS` and more, on questions of
which some had no answer; there it means what it says. In smaller ones it says too much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from realmemory.policies.answerability import ORDINARY_ROWS, PROJECT_ROWS
from realmemory.policies.odds import probability
from realmemory.policies.question.interrogatives import MEASURES, Interrogative, tokens_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from realmemory.core.static_table import NearestWord

DOUBT_FEATURES = ("rarest", "form", "weakest")
"""Names of the values of :func:`doubt_of`'s features."""

_SAME = 0.95
"""Cosine from which a capitalised word of a text is the name that a question holds."""
_LIKE = 0.5
"""Cosine from which a text says something like a word."""
_TOLD = 3
"""Words that the reader is told of."""


@dataclass(frozen=True, slots=True)
class DoubtProfile:
    """A logistic model over :data:`DOUBT_FEATURES`.

    Below ``doubtful`` recall says what the nearest text says nothing about.
    """

    weights: tuple[float, ...]
    bias: float
    doubtful: float = 0.0

    def chance(self, features: Sequence[float]) -> float:
        """Return the probability that a small memory holds what is asked for."""
        return probability(sum(map(float.__mul__, self.weights, features)) + self.bias)


class Asked(NamedTuple):
    """A question, word by word: ``words`` as they are written, ``lower`` in lower case."""

    words: Sequence[str]
    lower: Sequence[str]
    interrogative: Interrogative

    @classmethod
    def of(cls, question: str) -> Asked | None:
        """Return what a question asks for; None when it holds no interrogative that is known."""
        words = tokens_of(question)
        lower = [word.lower() for word in words]
        interrogative = Interrogative.of(lower)
        return None if interrogative is None else cls(words, lower, interrogative)

    def without_names(
        self, nearest: Sequence[NearestWord], text: Sequence[str]
    ) -> list[NearestWord]:
        """Return the words that ask.

        Args:
            nearest: The content words.
            text: The words of the text that comes nearest.
        """
        called: Collection[str] = ()
        if not self.interrogative.german:
            pairs = zip(self.words[1:], self.lower[1:], strict=True)
            called = {lower for word, lower in pairs if not word[0].islower()}
        held = {word.lower() for word in text if word[0].isupper()}
        return [
            word
            for word in nearest
            if word.word not in called and (word.cosine < _SAME or word.word not in held)
        ]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the words of a question say of the nearest text.

    ``chance`` is what is left of a hit's confidence, ``detail`` what the reader is to be told.
    """

    features: tuple[float, ...]
    chance: float = 1.0
    detail: str | None = None


def share_among(rows: int) -> float:
    """Return how far doubt counts when a question sees so many rows: not at all in large memories."""
    span = math.log(PROJECT_ROWS / ORDINARY_ROWS)
    return min(1.0, max(0.0, math.log(PROJECT_ROWS / max(rows, 1)) / span))


def doubt_of(
    profile: DoubtProfile | None,
    asked: Asked,
    text: str,
    nearest: Sequence[NearestWord],
    *,
    weakest: float,
    rows: int,
) -> Doubt:
    """Judge the text that comes nearest.

    Args:
        profile: The model; without one only the features are told.
        asked: The question.
        text: The text.
        nearest: How near it comes to each content word of the question.
        weakest: The least cosine of a content word, as the hit was ranked by.
        rows: Rows that the question sees.
    """
    words = tokens_of(text)
    those = asked.without_names(nearest, words)
    form = asked.interrogative.answered_in(words, asked.lower)
    rarest = max(those, key=lambda word: word.weight, default=None)
    fits = 0.0 if form is None else 1.0 if form else -1.0
    features = (1.0 if rarest is None else rarest.cosine, fits, weakest)
    if profile is None:
        return Doubt(features)
    chance = 1.0 - share_among(rows) * (1.0 - profile.chance(features))
    return Doubt(
        features, chance, _detail(asked, those, form) if chance < profile.doubtful else None
    )


def _detail(asked: Asked, those: Sequence[NearestWord], form: bool | None) -> str | None:
    """Say in words what the nearest text does not say."""
    unsaid = [f'"{word.word}"' for word in those if word.cosine < _LIKE and _is_said(word.word)]
    missing = [f"nothing like {' or '.join(unsaid[:_TOLD])}"] if unsaid else []
    if form is False:
        missing.append(f"no {asked.interrogative.form.value}")
    return f"what comes nearest says {', and '.join(missing)}" if missing else None


def _is_said(word: str) -> bool:
    """Say whether a word can be told: no ending that an apostrophe sets off, and no measure."""
    return len(word) > 1 and word not in MEASURES
