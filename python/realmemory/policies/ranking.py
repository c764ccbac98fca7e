"""How relevance and retention make confidence and score; one preset a class.

``calibrated`` is the default: confidence is the probability that a hit is relevant, the score is
that times what is left of the trace. ``classic`` is the reference design's: the score is the
confidence.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from realmemory.late import late_module
from realmemory.policies import relevance
from realmemory.policies.answerability import invented
from realmemory.policies.currency import alive_first
from realmemory.policies.odds import log_odds
from realmemory.policies.retention import weight
from realmemory.policies.surroundings import HIT_FLOOR
from realmemory.types import AbstainReason, Grouping

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.config import MemoryConfig
    from realmemory.core.evidence import Floats
    from realmemory.policies.contrast import ContrastProfile
    from realmemory.policies.doubt import DoubtProfile
    from realmemory.policies.relevance import Evidence, RelevanceProfile
    from realmemory.policies.surroundings import Surroundings, TurnProfile

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

_TOP = 3
_NEW = 0.65
_FADED = 0.6
_SUREST = 0.9999
_AGAIN = 0.94
"""What another turn of a session counts, to a question that wants several things."""
_BELIEVABLE = 0.01
"""Confidence that one hit has to reach, whatever stands out: no answer of our own conversations or
of others was ever below .02, but one that only its surroundings bring lies between."""

_NAMED = 0.3
"""Share of the question's rare words that a turn holds where they found it: its speaker, its day, or
what it answers may be all that they say of it, and such a turn need not look like an answer."""


class Preset(Protocol):
    """A way to order candidates and to judge the best of them."""

    @property
    def compares_words(self) -> bool:
        """Whether it looks at the words of texts: late interaction, and near-copies."""
        ...

    @property
    def contrast(self) -> ContrastProfile | None:
        """How whose matters answer a question is judged; None judges nothing by it."""
        ...

    @property
    def doubt(self) -> DoubtProfile | None:
        """How it is judged whether the best hit says what is asked for; None does not judge."""
        ...

    def said(self, around: Surroundings) -> Floats:
        """Return what orders the turns of one speaker, by what they say."""
        ...

    @property
    def hop_floor(self) -> float | None:
        """Confidence from which what the first hits lead to counts; None follows nothing."""
        ...

    def scores(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Return confidence and score of each candidate; a score of 0 drops it."""
        ...

    def abstention(
        self, evidence: Evidence, confidences: Floats, best: Sequence[int]
    ) -> AbstainReason | None:
        """Return why the hits at the positions ``best`` cannot be trusted, or None."""
        ...


@dataclass(frozen=True, slots=True)
class CalibratedPreset:
    """Confidence by a fitted profile; the score is that, weighed by retention, see :func:`weighed`.

    Of those that answer equally well the more alive comes first, see :func:`alive_first`.
    """

    profile: RelevanceProfile

    @property
    def compares_words(self) -> bool:
        """It does; a profile may still give it no weight."""
        return True

    @property
    def contrast(self) -> ContrastProfile | None:
        """That of the profile."""
        return self.profile.contrast

    @property
    def doubt(self) -> DoubtProfile | None:
        """That of the profile."""
        return self.profile.doubt

    def said(self, around: Surroundings) -> Floats:
        """Return what turns count by their words and where they stand."""
        return self.profile.turns.said(around.features)

    @property
    def hop_floor(self) -> float | None:
        """That of every hit."""
        return self.profile.hit_floor

    def scores(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Return confidence and score of each candidate."""
        logits, table = relevance.log_odds(self.profile, evidence), evidence.table
        confidences, scores = self._scored(evidence, logits)
        covered, retention = table.column("coverage"), table.column("retention")
        return confidences, alive_first(scores, confidences, covered, retention)

    def _scored(self, evidence: Evidence, logits: Floats) -> tuple[Floats, Floats]:
        """Return confidences and scores; what is no hit has none, and turns have a floor of their own."""
        floor, around = self.profile.hit_floor, evidence.around
        if around is None:
            return evidence.table.scores(logits, floor)
        confidences, scores = evidence.table.scores(logits, min(floor, HIT_FLOOR))
        hits = zip(confidences, scores, around.is_turn, strict=True)
        return confidences, array("d", (s if turn or c >= floor else 0.0 for c, s, turn in hits))

    def abstention(
        self, evidence: Evidence, confidences: Floats, best: Sequence[int]
    ) -> AbstainReason | None:
        """Abstain when the memory is unlikely to hold an answer."""
        if not best or invented(evidence):
            return AbstainReason.NOTHING_MATCHED
        judge = self.profile.answerable
        turns = self.profile.turns
        if not any(_believable(turns, evidence, confidences, at) for at in best):
            return AbstainReason.BELOW_FLOOR
        if judge.answers(evidence, confidences, self.profile.null):
            return None
        return AbstainReason.BELOW_FLOOR


def _believable(turns: TurnProfile, evidence: Evidence, confidences: Floats, at: int) -> bool:
    """Say whether one hit could be an answer at all.

    That a turn holds a time where one is asked for puts it before others; it makes none an answer.
    """
    around = evidence.around
    if around is None or not around.is_turn[at]:
        return confidences[at] >= _BELIEVABLE
    odds = log_odds(confidences[at]) - turns.for_fitting(around.features[at])
    return odds >= log_odds(_BELIEVABLE) or evidence.table.column("coverage")[at] >= _NAMED


@dataclass(frozen=True, slots=True)
class ClassicPreset:
    """The reference design's formulas.

    ``direct``: cosine x (0.3 + 0.7 r), raised to the keyword weight by a complete keyword match;
    ``keyword``: w_keyword x coverage x (0.3 + 0.7 r), for cosines below ``cos_min_recall``.
    """

    config: MemoryConfig

    @property
    def compares_words(self) -> bool:
        """The reference design knows neither late interaction nor near-copies."""
        return False

    @property
    def contrast(self) -> ContrastProfile | None:
        """The reference design does not know who speaks."""
        return None

    @property
    def doubt(self) -> DoubtProfile | None:
        """The reference design trusts what it finds."""
        return None

    def said(self, around: Surroundings) -> Floats:
        """Return zeros: the reference design knows no turns."""
        return np.zeros(len(around.is_turn))

    @property
    def hop_floor(self) -> float | None:
        """The reference design knows no second hop."""
        return None

    def scores(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Return confidence and score of each candidate, which are the same."""
        cosine, kept = evidence.column("cosine"), weight(evidence.column("retention"))
        keyword = self.config.w_keyword * evidence.column("coverage") * kept
        direct = cosine * kept
        direct = np.where(evidence.complete, np.maximum(direct, keyword), direct)
        score = np.where(cosine >= self.config.cos_min_recall, direct, keyword)
        return score, score

    def abstention(
        self,
        evidence: Evidence,
        confidences: Floats,  # noqa: ARG002 - other presets look at it
        best: Sequence[int],
    ) -> AbstainReason | None:
        """Abstain below the null mean plus a margin, and on flat noise; see the configuration."""
        if not best:
            return AbstainReason.NOTHING_MATCHED
        if evidence.complete[best].any():
            return None
        cosines = evidence.column("cosine")[best]
        top, margin = float(cosines.max()), self.config.exact_abstain_rel_margin
        if margin > 0 and top < evidence.null.mean + margin:
            return AbstainReason.BELOW_FLOOR
        floor, spread = self.config.cos_min_strong_recall, self.config.abstain_spread_cos
        if floor > 0 and top < floor and top - float(cosines.min()) < spread:
            return AbstainReason.FLAT_NOISE
        return None


def weighed(confidence: Array, retention: Array) -> Array:
    """Return the score of a trace by its confidence, weighed by how alive it is.

    A new one scores 0.65 of its confidence. One that has faded entirely has six tenths of the odds,
    which hardly moves what is clearly an answer, and the strongest gains what that one loses. The
    engine computes the same.
    """
    sure = np.minimum(confidence / relevance.SUREST, 1.0)
    odds = _FADED + 2.0 * (1.0 - _FADED) * retention
    return np.asarray(_NEW * relevance.SUREST * sure * odds / (1.0 - sure + sure * odds))


def timeliness(closeness: Array) -> Array:
    """Return the factor by which the time that a question names scales a score: a soft boost.

    What lies elsewhere in time counts half; it is never hidden, for people misremember dates. Over
    the 17 questions of either half of our own corpus that name a time the MRR is .779 and .744
    where it keeps seven tenths, .809 and .773 with a half, .814 and .803 with three tenths.
    """
    return np.asarray(0.5 + 0.5 * closeness)


def over_sessions(scores: Array, sessions: NDArray[np.int64]) -> Array:
    """Return scores for a question that wants several things, which one session rarely holds.

    The n-th best turn of a session counts ``0.94 ** n``. Over 110 questions of our own
    conversations and of others that count, list or compare, recall@10 rises from .55 to .58; larger
    discounts lose it again.

    Args:
        scores: Of all candidates.
        sessions: Number of the session of each, -1 for none.
    """
    order = np.lexsort((-scores, sessions))
    sorted_sessions = sessions[order]
    first = np.searchsorted(sorted_sessions, sorted_sessions)
    rank = np.empty(len(scores))
    rank[order] = np.arange(len(scores)) - first
    return np.asarray(np.where(sessions >= 0, scores * _AGAIN**rank, scores))


def session_score(scores: Sequence[float], grouping: Grouping) -> float:
    """Return the score of a session from those of its hits, best first.

    Several good hits say more than one, many poor ones nothing: odds count by the root of the sum
    of their squares; or, to compare sessions of equal length, the mean of the best three scores.
    """
    if grouping is Grouping.SESSION_MEAN:
        return sum(scores[:_TOP]) / _TOP
    odds = math.hypot(*(score / (1.0 - min(score, _SUREST)) for score in scores))
    return odds / (1.0 + odds)


def associated_score(config: MemoryConfig, cosine: float, retention: float) -> float:
    """Return the score of a trace that only the associative graph brought."""
    return config.assoc_confidence_penalty * max(cosine, 0.05) * weight(retention)


def preset_for(config: MemoryConfig, embedder_name: str) -> Preset:
    """Return the preset that a configuration names, with the embedder's profile."""
    if config.ranking == "classic":
        return ClassicPreset(config)
    return CalibratedPreset(relevance.profile_for(embedder_name))
