"""Answerability: the chance that the memory holds an answer at all.

One number of the best hit does not tell a hard question from a foreign one. How the best hits
stand out from the rest does better: log-odds of the first hits, the largest cosine against
unrelated rows, and how much of the question's rare words any text holds. So does what the question
says by itself: whether its words belong together, and how near it lies to the rest of the world,
of which any question finds something a little alike in any memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.core.static_table import About
from realmemory.late import late_module
from realmemory.policies import logistic
from realmemory.policies.odds import log_odds, probability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.evidence import Floats
    from realmemory.policies.relevance import Evidence, Null

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

QUESTION_FEATURES = (
    "first",
    "second",
    "mean_of_five",
    "largest_z",
    "z_of_first",
    "largest_coverage",
    "largest_alike",
    "coverage_of_first",
    "words",
    "largest_cosine",
    "null_mean",
    "rows",
    "largest_maxsim",
    "maxsim_of_first",
    "weakest_of_first",
    "letters_per_piece",
    "coherence",
    "world_largest",
    "world_mean",
    "world_deviation",
)
"""Names of the values of :func:`question_features`."""

ORDINARY_ROWS = 48
"""Rows that a question sees where floors were fitted, at least."""
PROJECT_ROWS = 112
"""Rows that it saw there when asked of one project, at most."""
MANY_ROWS = 350
"""Rows that it saw there when asked of all projects."""
_TYPICAL_LETTERS = 5.0
"""Letters per piece of ordinary words: what counts where no word has a vector."""
_TYPICAL_ABOUT = About(0.5, 0.4, 0.04, 0.1)
"""What ordinary questions say by themselves: what counts where there is no vector."""
_INVENTED = 2.5
"""Letters per piece below which words are hardly words; misspelt ones lie near three."""
_ENOUGH_ROWS = 24
"""Unrelated rows from which their mean and deviation can be told."""
_RESEMBLES = 0.5
"""Share of the question's words that a misspelling still resembles."""


@dataclass(frozen=True, slots=True)
class AnswerableProfile:
    """A logistic model over :data:`QUESTION_FEATURES`; recall abstains below a floor.

    ``floor`` holds for memories of :data:`ORDINARY_ROWS` and more, ``lone_floor`` for a single
    row, ``wide_floor`` for :data:`MANY_ROWS` and more: the more there are, the more is alike by
    chance; without one, ``floor`` holds there as well. ``apart`` is what the log-odds rise by
    where no text nearby is written in the question's script: no word of it can match there. It
    answers all the same when the nearest text stands out by ``stands_out`` or more; see
    :func:`prominence`.
    """

    weights: tuple[float, ...]
    bias: float
    floor: float
    stands_out: float = math.inf
    lone_floor: float | None = None
    wide_floor: float | None = None
    apart: float = 0.0

    def chance(self, features: Array, apart: float = 0.0) -> float:
        """Return the probability that the memory holds an answer.

        Fits and tests use this; recall has the engine compute the same, see :func:`chance`.
        """
        logit = float(features @ np.array(self.weights)) + self.bias + self.apart * apart
        return float(logistic.chances(np.array(logit)))

    def answers(self, evidence: Evidence, confidences: Floats, prior: Null) -> bool:
        """Say whether recall should answer; arguments as of :func:`question_features`."""
        if prominence(evidence) >= self.stands_out:
            return True
        return chance(self, evidence, confidences, prior) >= self.floor_among(evidence.rows)

    def floor_among(self, rows: int) -> float:
        """Return the chance below which recall abstains when a question sees so many rows.

        Its log-odds rise with the cube of the logarithm of the rows: between one row and the
        ordinary, so did the floors that lose as few answers in memories of five and of twenty.
        Above that they rise with the logarithm.
        """
        if rows > PROJECT_ROWS and self.wide_floor is not None:
            span = math.log(MANY_ROWS / PROJECT_ROWS)
            share = math.log(min(rows, MANY_ROWS) / PROJECT_ROWS) / span
            return _between(self.floor, self.wide_floor, share)
        if rows >= ORDINARY_ROWS or self.lone_floor is None:
            return self.floor
        share = (math.log(max(rows, 1)) / math.log(ORDINARY_ROWS)) ** 3
        return _between(self.lone_floor, self.floor, share)


def _between(floor: float, other: float, share: float) -> float:
    """Return the chance whose log-odds lie that share of the way from one floor to another."""
    start = log_odds(floor)
    return probability(start + share * (log_odds(other) - start))


def prominence(evidence: Evidence) -> float:
    """Return how far the nearest text lies beyond what chance brings near, in deviations.

    Against the rows of this memory alone: a space may lie elsewhere for another language or for
    longer texts, and then what is known of it in general says little. Too few rows say nothing.
    """
    null = evidence.null
    if null.number < _ENOUGH_ROWS or null.std <= 0.0:
        return -math.inf
    expected = math.sqrt(2.0 * math.log1p(evidence.rows))
    nearest = max(evidence.table.column("cosine"), default=0.0)
    return (nearest - null.mean) / null.std - expected


def invented(evidence: Evidence) -> bool:
    """Say whether a question consists of words that neither the table nor any trace knows.

    The cosines of such a question compare the pieces of its words and mean nothing.
    """
    return bool(
        0.0 < evidence.letters_per_piece < _INVENTED
        and max(evidence.table.column("coverage"), default=0.0) == 0.0
        and max(evidence.table.column("alike"), default=0.0) < _RESEMBLES
    )


def chance(
    profile: AnswerableProfile, evidence: Evidence, confidences: Floats, prior: Null
) -> float:
    """Return the probability of an answer by :func:`question_features`, by the engine's kernel."""
    return evidence.table.chance(
        confidences,
        evidence.asked,
        evidence.about or _TYPICAL_ABOUT,
        (evidence.null, prior),
        weights=profile.weights,
        bias=profile.bias + profile.apart * evidence.apart,
    )


def question_features(evidence: Evidence, confidences: Array, prior: Null) -> Array:
    """Return what the candidates of one question say about it; at least one is needed.

    Args:
        evidence: What the channels say.
        confidences: Relevance of each candidate.
        prior: What is known of unrelated cosines in this space.
    """
    null = evidence.null.shrunk(prior)
    cosine, coverage, alike = (evidence.column(name) for name in ("cosine", "coverage", "alike"))
    maxsim = evidence.column("maxsim")
    # The largest of n unrelated cosines lies about sqrt(2 ln n) deviations above their mean.
    z = (cosine - null.mean) / null.std - np.sqrt(2.0 * np.log1p(evidence.rows))
    logits = logistic.logits(confidences)
    order = np.argsort(-confidences, kind="stable")
    first = order[0]
    return np.array(
        [
            logits[first],
            logits[order[min(1, len(order) - 1)]],
            logits[order[:5]].mean(),
            z.max(),
            z[first],
            coverage.max(),
            alike.max(),
            coverage[first],
            np.log1p(evidence.query_words),
            cosine.max(),
            null.mean,
            np.log1p(evidence.rows) / 10.0,
            maxsim.max(),
            maxsim[first],
            evidence.column("weakest")[first],
            evidence.letters_per_piece or _TYPICAL_LETTERS,
            *(evidence.about or _TYPICAL_ABOUT),
        ]
    )
