"""Relevance: the calibrated probability that a trace answers a question.

A logistic model over what the channels say. Its weights are a *profile* of one embedder, fitted
by ``python -m realmemory.eval.calibrate`` on named data and stored with its evidence; the
features are chosen so that they mean the same in every space: a cosine by itself and against the
cosines of unrelated rows, and how much of the question's rare words a text holds.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from realmemory.policies.answerability import QUESTION_FEATURES, AnswerableProfile
from realmemory.policies.surroundings import TURN_FEATURES, Surroundings, TurnProfile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FEATURES = (
    "cosine",
    "cosine_z",
    "coverage",
    "alike",
    "bm25",
    "complete",
    "cosine_lead",
    "coverage_lead",
    "rows",
    "maxsim",
    "maxsim_lead",
    "weakest",
)
"""Names of the columns of :func:`features`."""

PRIOR_ROWS = 24
"""Rows that the prior of unrelated cosines counts for."""
_SUREST = 0.99
"""No profile was fitted on enough questions to be surer than that."""
_Z_SCALE = 6.0
_BM25_SCALE = 8.0


@dataclass(frozen=True, slots=True)
class Null:
    """Number, mean and standard deviation of the cosines of unrelated rows."""

    count: int
    mean: float
    std: float

    def shrunk(self, prior: Null) -> Null:
        """Return the estimate pulled towards ``prior`` by as many rows as that counts.

        A handful of rows says little about what unrelated means.
        """
        total = self.count + prior.count
        mean = (self.count * self.mean + prior.count * prior.mean) / total
        square = sum(part.count * (part.std**2 + (part.mean - mean) ** 2) for part in (self, prior))
        return Null(total, mean, max((square / total) ** 0.5, 1e-6))


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the channels say about the candidates of one question, one element a candidate.

    ``coverage`` is the share of the query's words that the text holds, weighted by their rarity;
    ``alike`` counts words that only resemble one, too; ``matched`` counts those it holds, out of
    ``query_words``. ``maxsim`` and ``weakest`` are the mean and the least cosine of the query's
    words with their best counterparts in the text, ``letters_per_piece`` tells invented words.
    ``rows`` counts the rows that the question could see; ``null`` describes the cosines of the
    query with unrelated rows; ``surroundings`` count for conversation turns.
    """

    cosine: Array
    bm25: Array
    coverage: Array
    alike: Array
    matched: Array
    maxsim: Array
    weakest: Array
    retention: Array
    query_words: int
    letters_per_piece: float
    rows: int
    null: Null
    surroundings: Surroundings

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Whether a text holds every word of the query."""
        found: NDArray[np.bool_] = (self.matched >= self.query_words) & (self.query_words > 0)
        return found

    def joined(self, other: Evidence, order: NDArray[np.int64]) -> Evidence:
        """Return these candidates and others of the same question, in a given order."""

        def both(ours: Array, theirs: Array) -> Array:
            return np.concatenate([ours, theirs])[order]

        return replace(
            self,
            cosine=both(self.cosine, other.cosine),
            bm25=both(self.bm25, other.bm25),
            coverage=both(self.coverage, other.coverage),
            alike=both(self.alike, other.alike),
            matched=both(self.matched, other.matched),
            maxsim=both(self.maxsim, other.maxsim),
            weakest=both(self.weakest, other.weakest),
            retention=both(self.retention, other.retention),
            surroundings=self.surroundings.joined(other.surroundings, order),
        )


@dataclass(frozen=True, slots=True)
class RelevanceProfile:
    """Weights of the logistic model for one embedder, in the order of :data:`FEATURES`.

    A hit whose relevance is below ``hit_floor`` is dropped; ``answerable`` decides whether recall
    answers at all.
    """

    name: str
    weights: tuple[float, ...]
    bias: float
    hit_floor: float
    null: Null
    turns: TurnProfile
    answerable: AnswerableProfile


def features(evidence: Evidence, prior: Null) -> Array:
    """Return the feature matrix, shape (candidates, features), columns as in :data:`FEATURES`.

    ``prior`` is what is known of unrelated cosines in this space before any row was seen.
    """
    cosine, coverage = evidence.cosine, evidence.coverage
    null = evidence.null.shrunk(prior)
    z = np.clip((cosine - null.mean) / null.std / _Z_SCALE, -1.0, 3.0)
    bm25 = evidence.bm25 / (evidence.bm25 + _BM25_SCALE)
    return np.column_stack(
        [
            cosine,
            z,
            coverage,
            evidence.alike,
            bm25,
            evidence.complete.astype(np.float64),
            _lead(np.maximum(z, 0.0)),
            _lead(evidence.alike),
            np.full(len(cosine), np.log1p(evidence.rows) / 10.0),
            evidence.maxsim,
            _lead(evidence.maxsim),
            evidence.weakest,
        ]
    )


def shortlist(evidence: Evidence, size: int) -> NDArray[np.int64]:
    """Return the positions of the candidates that meaning and words together put first."""
    order = np.argsort(-(evidence.cosine + evidence.alike), kind="stable")
    return order[:size]


def own_logits(profile: RelevanceProfile, evidence: Evidence) -> Array:
    """Return the log-odds of relevance by a candidate's own words and meaning."""
    logits: Array = features(evidence, profile.null) @ np.array(profile.weights) + profile.bias
    return logits


def relevance(profile: RelevanceProfile, evidence: Evidence) -> Array:
    """Return the probability that each candidate answers the question."""
    logits = own_logits(profile, evidence)
    around = evidence.surroundings
    if around.is_turn.any():
        turns = profile.turns.logits(logits, around.features)
        logits = np.where(around.is_turn, turns, logits)
    return np.asarray(_SUREST / (1.0 + np.exp(-np.clip(logits, -40.0, 40.0))))


def _lead(values: Array) -> Array:
    """Return how far each value lies above the best of the others (negative below it)."""
    if len(values) < 2:
        return values.copy()
    order = np.sort(values)
    others = np.where(values >= order[-1], order[-2], order[-1])
    lead: Array = values - others
    return lead


@cache
def profile_for(embedder_name: str) -> RelevanceProfile:
    """Return the profile fitted for an embedder, or the general one."""
    # By its path: what reads resources from archives takes longer to load than a recall.
    table = json.loads(Path(__file__).with_name("profiles.json").read_text("utf-8"))
    family = _family(embedder_name, table)
    entry = table[family]
    return RelevanceProfile(
        name=family,
        weights=tuple(entry["weights"].get(name, 0.0) for name in FEATURES),
        bias=entry["bias"],
        hit_floor=entry["hit_floor"],
        null=Null(PRIOR_ROWS, entry["null_mean"], entry["null_std"]),
        turns=_turn_profile(entry.get("turns")),
        answerable=_answerable_profile(entry["answerable"]),
    )


def _family(embedder_name: str, table: Iterable[str]) -> str:
    """Return the entry of a model: one and the same may be named with its maker or by a folder."""
    for name in table:
        kind, _, model = name.partition(":")
        if embedder_name.startswith(name):
            return name
        if model and embedder_name.startswith(kind + ":") and model in embedder_name.casefold():
            return name
    return "general"


def _turn_profile(entry: dict[str, Any] | None) -> TurnProfile:
    """Return the fitted turn profile; without one, surroundings change nothing."""
    if entry is None:
        return TurnProfile(scale=1.0, weights=(0.0,) * len(TURN_FEATURES), bias=0.0)
    return TurnProfile(
        scale=entry["scale"],
        weights=tuple(entry["weights"][name] for name in TURN_FEATURES),
        bias=entry["bias"],
        level=entry["level"],
    )


def _answerable_profile(entry: dict[str, Any]) -> AnswerableProfile:
    return AnswerableProfile(
        weights=tuple(entry["weights"].get(name, 0.0) for name in QUESTION_FEATURES),
        bias=entry["bias"],
        floor=entry["floor"],
        stands_out=entry.get("stands_out", math.inf),
        lone_floor=entry.get("lone_floor"),
    )
