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
from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory.late import late_module
from realmemory.policies import logistic
from realmemory.policies.answerability import QUESTION_FEATURES, AnswerableProfile
from realmemory.policies.contrast import CONTRAST_FEATURES, ContrastProfile
from realmemory.policies.doubt import DOUBT_FEATURES, DoubtProfile
from realmemory.policies.surroundings import TURN_FEATURES, Surroundings, TurnProfile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.evidence import Floats, Table, Triple
    from realmemory.core.static_table import About

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

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
SUREST = 0.99
"""No profile was fitted on enough questions to be surer than that."""
_Z_SCALE = 6.0
_BM25_SCALE = 8.0


class Null(NamedTuple):
    """Number, mean and standard deviation of the cosines of unrelated rows."""

    number: int
    mean: float
    std: float

    def shrunk(self, prior: Null) -> Null:
        """Return the estimate pulled towards ``prior`` by as many rows as that counts.

        A handful of rows says little about what unrelated means.
        """
        total = self.number + prior.number
        mean = (self.number * self.mean + prior.number * prior.mean) / total
        square = sum(
            part.number * (part.std**2 + (part.mean - mean) ** 2) for part in (self, prior)
        )
        return Null(total, mean, max((square / total) ** 0.5, 1e-6))


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the channels say about the candidates of one question, by column of ``table``.

    ``coverage`` is the share of the query's words that the text holds, weighted by their rarity;
    ``alike`` counts words that only resemble one, too; ``matched`` counts those it holds, out of
    ``query_words``. ``maxsim`` and ``weakest`` are the mean and the least cosine of the query's
    words with their best counterparts in the text, ``letters_per_piece`` tells invented words.
    ``about`` is what the question alone says, None where no table of words was asked; ``apart``
    the share of the nearest texts that are written in another script than the question.
    ``rows`` counts the rows that the question could see; ``null`` describes the cosines of the
    query with unrelated rows; ``around`` tells the surroundings of conversation turns, None when
    there are none among the candidates.
    """

    table: Table
    query_words: int
    letters_per_piece: float
    rows: int
    null: Null
    around: Surroundings | None = None
    about: About | None = None
    apart: float = 0.0

    def column(self, name: str) -> Array:
        """Return a column for numpy: one value a candidate."""
        return self.table.array(name)

    @property
    def asked(self) -> Triple:
        """What the kernels know of the question: words, letters per piece, visible rows."""
        return (self.query_words, self.letters_per_piece, self.rows)

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Whether a text holds every word of the query."""
        matched = self.column("matched")
        found: NDArray[np.bool_] = (matched >= self.query_words) & (self.query_words > 0)
        return found

    def joined(self, other: Evidence, order: Sequence[int]) -> Evidence:
        """Return these candidates and others of the same question, in a given order."""
        turns = self.around is not None or other.around is not None
        around = self.surroundings.joined(other.surroundings, order) if turns else None
        return replace(self, table=self.table.joined(other.table, order), around=around)

    @property
    def surroundings(self) -> Surroundings:
        """The surroundings of all candidates."""
        return Surroundings.none(len(self.table)) if self.around is None else self.around


@dataclass(frozen=True, slots=True)
class RelevanceProfile:
    """Weights of the logistic model for one embedder, in the order of :data:`FEATURES`.

    A hit whose relevance is below ``hit_floor`` is dropped; ``answerable`` decides whether recall
    answers at all, ``contrast`` whether it does where a question names a speaker, ``doubt`` how far
    the best hit says what is asked for.
    """

    name: str
    weights: tuple[float, ...]
    bias: float
    hit_floor: float
    null: Null
    turns: TurnProfile
    answerable: AnswerableProfile
    contrast: ContrastProfile | None = None
    doubt: DoubtProfile | None = None


def features(evidence: Evidence, prior: Null) -> Array:
    """Return the feature matrix, shape (candidates, features), columns as in :data:`FEATURES`.

    ``prior`` is what is known of unrelated cosines in this space before any row was seen.
    """
    cosine, alike, maxsim = (evidence.column(name) for name in ("cosine", "alike", "maxsim"))
    null = evidence.null.shrunk(prior)
    z = np.clip((cosine - null.mean) / null.std / _Z_SCALE, -1.0, 3.0)
    bm25 = evidence.column("bm25")
    return np.column_stack(
        [
            cosine,
            z,
            evidence.column("coverage"),
            alike,
            bm25 / (bm25 + _BM25_SCALE),
            evidence.complete.astype(np.float64),
            _lead(np.maximum(z, 0.0)),
            _lead(alike),
            np.full(len(cosine), np.log1p(evidence.rows) / 10.0),
            maxsim,
            _lead(maxsim),
            evidence.column("weakest"),
        ]
    )


def own_logits(profile: RelevanceProfile, evidence: Evidence) -> Array:
    """Return the log-odds of relevance by a candidate's own words and meaning."""
    logits: Array = features(evidence, profile.null) @ np.array(profile.weights) + profile.bias
    return logits


def relevance(profile: RelevanceProfile, evidence: Evidence) -> Array:
    """Return the probability that each candidate answers the question.

    Fits and tests use this; recall has the engine compute the same, see :func:`log_odds`.
    """
    return SUREST * logistic.chances(_with_turns(profile, evidence, own_logits(profile, evidence)))


def log_odds(profile: RelevanceProfile, evidence: Evidence) -> Floats:
    """Return the log-odds behind :func:`relevance`, by the engine's kernel."""
    own = evidence.table.own_logits(
        evidence.asked, evidence.null, profile.null, profile.weights, profile.bias
    )
    if evidence.around is None:
        return own
    return _with_turns(profile, evidence, np.asarray(own))


def _with_turns(profile: RelevanceProfile, evidence: Evidence, own: Array) -> Array:
    """Return the log-odds with those of turns judged by what stands around them."""
    around = evidence.around
    if around is None or not around.is_turn.any():
        return own
    return np.where(around.is_turn, profile.turns.logits(own, around.features), own)


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
        contrast=_contrast_profile(entry.get("contrast")),
        doubt=_doubt_profile(entry.get("doubt")),
    )


def _family(embedder_name: str, table: Iterable[str]) -> str:
    """Return the entry of a model: one and the same may be named with its maker or by a folder."""
    # Where a model runs changes nothing about its cosines.
    if embedder_name.startswith("remote:"):
        embedder_name = f"local:{embedder_name.removeprefix('remote:')}"
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
    paged = entry.get("paged")
    names = (*TURN_FEATURES, "own")
    return TurnProfile(
        scale=entry["scale"],
        weights=tuple(entry["weights"].get(name, 0.0) for name in TURN_FEATURES),
        bias=entry["bias"],
        level=entry["level"],
        paged=None if paged is None else tuple(paged.get(name, 0.0) for name in names),
    )


def _answerable_profile(entry: dict[str, Any]) -> AnswerableProfile:
    return AnswerableProfile(
        weights=tuple(entry["weights"].get(name, 0.0) for name in QUESTION_FEATURES),
        bias=entry["bias"],
        floor=entry["floor"],
        stands_out=entry.get("stands_out", math.inf),
        lone_floor=entry.get("lone_floor"),
        wide_floor=entry.get("wide_floor"),
        apart=entry.get("apart", 0.0),
    )


def _contrast_profile(entry: dict[str, Any] | None) -> ContrastProfile | None:
    if entry is None:
        return None
    return ContrastProfile(
        weights=tuple(entry["weights"].get(name, 0.0) for name in CONTRAST_FEATURES),
        bias=entry["bias"],
        floor=entry["floor"],
        doubtful=entry["doubtful"],
    )


def _doubt_profile(entry: dict[str, Any] | None) -> DoubtProfile | None:
    if entry is None:
        return None
    return DoubtProfile(
        weights=tuple(entry["weights"].get(name, 0.0) for name in DOUBT_FEATURES),
        bias=entry["bias"],
        doubtful=entry["doubtful"],
    )
