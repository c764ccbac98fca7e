"""From single answers to the figures of a run. Pure; everything is computed from the answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from realmemory.eval import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOP_FOR_CONFIDENCE = 5
"""Hits of each question that the reliability of confidences is judged on."""


def depths(k: int) -> tuple[int, ...]:
    """Return the depths that a run of ``k`` hits is judged at."""
    return tuple(sorted({depth for depth in (1, 5, 10, 50) if depth < k} | {k}))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question.

    ``gold`` empty means that abstaining is right. ``stale`` may be returned, but not above the
    first gold hit; ``forbidden`` may not be returned at all. ``tags`` are further properties to
    group by, such as the language.
    """

    id: str
    category: str
    query: str
    gold: frozenset[str]
    ranking: tuple[str, ...]
    confidences: tuple[float, ...] = ()
    abstained: bool = False
    reason: str | None = None
    forbidden: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def rank(self) -> int | None:
        """Rank of the first gold hit, from 1."""
        share = metrics.reciprocal_rank(self.ranking, self.gold)
        return round(1 / share) if share else None

    @property
    def returned_forbidden(self) -> tuple[str, ...]:
        """Forbidden items that came back."""
        return tuple(item for item in self.ranking if item in self.forbidden)

    @property
    def outranked_by_stale(self) -> bool:
        """Whether something stale stands above the first gold hit."""
        above = self.ranking[: self.rank - 1] if self.rank else self.ranking
        return any(item in self.stale for item in above)

    def passes(self, k: int) -> bool:
        """Whether the answer is right: gold within ``k``, or empty where nothing is known."""
        if self.returned_forbidden or self.outranked_by_stale:
            return False
        if self.gold:
            return bool(metrics.hit_at(self.ranking, self.gold, k))
        return self.abstained or bool(self.forbidden)


def summarise(answers: Sequence[Answer], ks: Sequence[int]) -> dict[str, Any]:
    """Return all figures of a group of answers.

    Retrieval figures are shares of the questions that have an answer; shares of nothing are
    left out.
    """
    answerable = [answer for answer in answers if answer.gold]
    figures: dict[str, Any] = {"n": len(answers), "answerable": len(answerable)}
    intervals: dict[str, tuple[float, float]] = {}
    if answerable:
        for k in ks:
            hits = [metrics.hit_at(a.ranking, a.gold, k) for a in answerable]
            figures[f"hit@{k}"] = metrics.mean(hits)
            intervals[f"hit@{k}"] = metrics.wilson(sum(hits), len(hits))
        for k in ks:
            figures[f"recall@{k}"] = metrics.mean(
                [metrics.recall_at(a.ranking, a.gold, k) for a in answerable]
            )
            complete = [metrics.complete_at(a.ranking, a.gold, k) for a in answerable]
            figures[f"complete@{k}"] = metrics.mean(complete)
        figures["mrr"] = metrics.mean(
            [metrics.reciprocal_rank(a.ranking[: max(ks)], a.gold) for a in answerable]
        )
    figures |= _refusals(answers, intervals)
    figures["interval95"] = intervals
    return figures


def _refusals(
    answers: Sequence[Answer], intervals: dict[str, tuple[float, float]]
) -> dict[str, float]:
    figures: dict[str, float] = {}
    unanswerable = [answer for answer in answers if not answer.gold]
    if unanswerable:
        abstained = sum(answer.abstained for answer in unanswerable)
        figures["abstained"] = abstained / len(unanswerable)
        intervals["abstained"] = metrics.wilson(abstained, len(unanswerable))
    if len(unanswerable) < len(answers):
        answerable = [answer for answer in answers if answer.gold]
        figures["lost"] = metrics.mean([float(answer.abstained) for answer in answerable])
    guarded = [answer for answer in answers if answer.forbidden]
    if guarded:
        returned = sum(bool(answer.returned_forbidden) for answer in guarded)
        figures["forbidden"] = returned / len(guarded)
    disputed = [answer for answer in answers if answer.stale]
    if disputed:
        figures["stale_first"] = sum(a.outranked_by_stale for a in disputed) / len(disputed)
    return figures


def by_group(
    answers: Sequence[Answer], ks: Sequence[int], tag: str | None = None
) -> dict[str, dict[str, Any]]:
    """Return :func:`summarise` of each category, or of each value of a tag."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.tags[tag] if tag else answer.category, []).append(answer)
    return {name: summarise(members, ks) for name, members in groups.items()}


def confidence_figures(answers: Sequence[Answer], bins: int = 10) -> dict[str, Any]:
    """Return how much the confidences mean: reliability, its error, and their AUROC.

    Judged on the first five hits of every question; abstentions bring none.
    """
    pairs = [pair for answer in answers for pair in _confident_hits(answer)]
    confidences = [confidence for confidence, _ in pairs]
    correct = [right for _, right in pairs]
    rows = metrics.reliability(confidences, correct, bins)
    return {
        "hits": len(pairs),
        "calibration_error": metrics.calibration_error(rows),
        "auroc": metrics.auroc(confidences, correct),
        "reliability": [
            {"confidence": row.confidence, "accuracy": row.accuracy, "count": row.count}
            for row in rows
        ],
    }


def injection_figures(answers: Sequence[Answer]) -> dict[str, float]:
    """Return how much of what an agent would be shown is to the point.

    Judged on the first five hits of every question, unanswerable ones included. With one right
    fact to most questions the precision is low wherever five hits are always returned.
    """
    shown = [item in a.gold for a in answers for item in a.ranking[:TOP_FOR_CONFIDENCE]]
    return {
        "shown": len(shown),
        "to_the_point": sum(shown),
        "precision": metrics.mean([float(right) for right in shown]),
    }


def _confident_hits(answer: Answer) -> list[tuple[float, bool]]:
    hits = zip(answer.ranking, answer.confidences, strict=False)
    return [(confidence, item in answer.gold) for item, confidence in hits][:TOP_FOR_CONFIDENCE]


def abstention_figures(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the shipped decision and the risk-coverage curve of the top confidence.

    ``recall_at_lost`` says which share of the unanswerable questions a threshold on the top
    confidence would refuse if it may lose that share of the answerable ones; NaN when the
    memory itself loses more than that.
    """
    score = metrics.abstention([a.abstained for a in answers], [bool(a.gold) for a in answers])
    top = [answer.confidences[0] if answer.confidences else 0.0 for answer in answers]
    right = [answer.rank == 1 for answer in answers]
    return {
        "precision": score.precision,
        "recall": score.recall,
        "lost": score.lost,
        "recall_at_lost": {
            str(allowed): _refused_at(answers, top, allowed) for allowed in (0.02, 0.05)
        },
        "auroc": metrics.auroc(top, [bool(answer.gold) for answer in answers]),
        "risk_coverage": [
            {"threshold": p.threshold, "coverage": p.coverage, "risk": p.risk}
            for p in metrics.risk_coverage(top, right)
        ],
    }


def _refused_at(answers: Sequence[Answer], top: Sequence[float], allowed: float) -> float:
    answerable = sorted(t for t, answer in zip(top, answers, strict=True) if answer.gold)
    unanswerable = [t for t, answer in zip(top, answers, strict=True) if not answer.gold]
    if not answerable or not unanswerable:
        return math.nan
    threshold = answerable[math.floor(allowed * len(answerable))]
    if threshold == 0:  # more than allowed was refused already; no threshold brings it back
        return math.nan
    return sum(t < threshold for t in unanswerable) / len(unanswerable)


def latency_figures(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Return p50 and p95 of wall and processor time, answered and abstained apart."""
    groups = {
        "answered": [answer for answer in answers if not answer.abstained],
        "abstained": [answer for answer in answers if answer.abstained],
    }
    return {
        name: {
            f"{clock}_ms_{label}": metrics.percentile(
                [getattr(answer, f"{clock}_ms") for answer in members], share
            )
            for clock in ("wall", "cpu")
            for label, share in (("p50", 0.5), ("p95", 0.95))
        }
        for name, members in groups.items()
        if members
    }
