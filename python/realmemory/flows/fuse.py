"""Stage `fuse`: one order out of all channels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from realmemory.policies.ranking import at_the_time, over_sessions, timeliness
from realmemory.types import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.question import Question
    from realmemory.policies.hops import Hops
    from realmemory.policies.ranking import Preset

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A trace with its place in the order.

    ``confidence`` is the probability that it is relevant, ``score`` what it is ordered by.
    """

    id: int
    source: Source
    cosine: float
    retention: float
    confidence: float
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Confidence and score of every candidate, and the positions of the best, best first.

    ``shifts`` is what a re-ranker added to the log-odds of each score, NaN where it did not read;
    None without one. ``trouble`` says why a re-ranker that is configured did not read at all.
    ``hops`` is what the second hop made of the scores, None without one.
    """

    confidences: Array
    scores: Array
    best: NDArray[np.int64]
    shifts: Array | None = None
    trouble: str | None = None
    hops: Hops | None = None

    def hits(self, candidates: Candidates, direct_floor: float) -> list[Ranked]:
        """Return the best as hits; one whose cosine is below ``direct_floor`` came by words."""
        evidence = candidates.evidence
        return [
            Ranked(
                id=int(candidates.ids[at]),
                source=Source.DIRECT if evidence.cosine[at] >= direct_floor else Source.KEYWORD,
                cosine=float(evidence.cosine[at]),
                retention=float(evidence.retention[at]),
                confidence=float(self.confidences[at]),
                score=float(self.scores[at]),
            )
            for at in self.best
        ]


def fuse(preset: Preset, candidates: Candidates, question: Question) -> Fused:
    """Score the candidates and find the best as deep as asked, ties broken by id."""
    confidences, scores = preset.scores(candidates.evidence)
    if question.only_times and candidates.timely is not None:
        confidences = scores = at_the_time(candidates.timely)
    elif candidates.timely is not None:
        # The time of a turn is among what makes its confidence.
        is_turn = candidates.evidence.surroundings.is_turn
        scores = np.where(is_turn, scores, scores * timeliness(candidates.timely))
    if question.several:
        scores = over_sessions(scores, candidates.evidence.surroundings.sessions)
    return Fused(confidences, scores, _best(scores, candidates, question))


def reordered(fused: Fused, candidates: Candidates, question: Question, added: Hops) -> Fused:
    """Return the order that follows when the second hop is counted."""
    best = _best(added.after, candidates, question)
    return replace(fused, scores=added.after, best=best, hops=added)


def _best(scores: Array, candidates: Candidates, question: Question) -> NDArray[np.int64]:
    order = np.lexsort((candidates.ids, -scores))[: question.depth]
    return np.asarray(order[scores[order] > 0])
