"""Pure measures over ranked answers. Nothing here knows what was asked or who answered.

A *ranking* is the sequence of returned ids, best first; *gold* is the set of right ids.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Id = TypeVar("Id", bound="Hashable")


def hit_at(ranking: Sequence[Id], gold: frozenset[Id], k: int) -> float:
    """Return 1.0 when any gold id is among the first ``k``, else 0.0."""
    return float(any(item in gold for item in ranking[:k]))


def recall_at(ranking: Sequence[Id], gold: frozenset[Id], k: int) -> float:
    """Return the share of gold ids among the first ``k``; 0.0 without gold."""
    return len(gold.intersection(ranking[:k])) / len(gold) if gold else 0.0


def complete_at(ranking: Sequence[Id], gold: frozenset[Id], k: int) -> float:
    """Return 1.0 when every gold id is among the first ``k``; 0.0 without gold."""
    return float(bool(gold) and gold.issubset(ranking[:k]))


def reciprocal_rank(ranking: Sequence[Id], gold: frozenset[Id]) -> float:
    """Return 1/rank of the first gold id, 0.0 when there is none."""
    return next((1.0 / rank for rank, item in enumerate(ranking, 1) if item in gold), 0.0)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; NaN of nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def percentile(values: Sequence[float], share: float) -> float:
    """Return the percentile by linear interpolation between order statistics; NaN of nothing."""
    if not values:
        return math.nan
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def wilson(successes: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion (E. B. Wilson, 1927).

    Args:
        successes: Number of successes, 0 to ``n``.
        n: Number of trials; with none the interval is all of [0, 1].
        z: Standard normal quantile; the default gives 95 %.
    """
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    spread = z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test (Q. McNemar, 1947).

    Args:
        only_first: Questions that only the first system answered.
        only_second: Questions that only the second system answered.
    """
    n = only_first + only_second
    if n == 0:
        return 1.0
    tail = sum(math.comb(n, i) for i in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << n))


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the chance that a positive scores above a negative, ties counting half.

    NaN when either class is empty.
    """
    positives = sum(labels)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return math.nan
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    rank_sum, start = 0.0, 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        middle = (start + 1 + end) / 2
        rank_sum += middle * sum(labels[i] for i in order[start:end])
        start = end
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Hits of similar confidence: how sure they were, and how often they were right."""

    confidence: float
    accuracy: float
    count: int


def reliability(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> list[ReliabilityBin]:
    """Return the reliability diagram in bins of equal mass, least confident first."""
    order = sorted(range(len(confidences)), key=lambda i: confidences[i])
    edges = [round(i * len(order) / bins) for i in range(bins + 1)]
    rows = []
    for low, high in itertools.pairwise(edges):
        members = order[low:high]
        if members:
            rows.append(
                ReliabilityBin(
                    mean([confidences[i] for i in members]),
                    mean([float(correct[i]) for i in members]),
                    len(members),
                )
            )
    return rows


def calibration_error(rows: Sequence[ReliabilityBin]) -> float:
    """Return the expected calibration error: |accuracy - confidence| weighted by mass."""
    total = sum(row.count for row in rows)
    if not total:
        return math.nan
    return math.fsum(row.count * abs(row.accuracy - row.confidence) for row in rows) / total


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """One threshold: the share of questions answered, and the share of wrong ones among them."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage(confidences: Sequence[float], correct: Sequence[bool]) -> list[RiskPoint]:
    """Return the risk-coverage curve from the strictest threshold to the laxest.

    Every question counts in the denominator of coverage, and equal confidences are answered
    together. A question that should not be answered is never ``correct``.
    """
    order = sorted(range(len(confidences)), key=lambda i: -confidences[i])
    points: list[RiskPoint] = []
    wrong = 0
    for answered, i in enumerate(order, 1):
        wrong += not correct[i]
        last = answered == len(order)
        if last or confidences[order[answered]] != confidences[i]:
            points.append(RiskPoint(confidences[i], answered / len(order), wrong / answered))
    return points


@dataclass(frozen=True, slots=True)
class AbstentionScore:
    """How well a system knows what it does not know.

    ``precision`` is the share of abstentions that were right, ``recall`` the share of
    unanswerable questions that were abstained from, ``lost`` the share of answerable ones.
    """

    precision: float
    recall: float
    lost: float


def abstention(abstained: Sequence[bool], answerable: Sequence[bool]) -> AbstentionScore:
    """Score abstentions; a share of nothing is NaN."""
    right = sum(a and not b for a, b in zip(abstained, answerable, strict=True))
    wrong = sum(a and b for a, b in zip(abstained, answerable, strict=True))
    unanswerable = len(answerable) - sum(answerable)
    return AbstentionScore(
        _ratio(right, right + wrong), _ratio(right, unanswerable), _ratio(wrong, sum(answerable))
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
