"""Stage `fuse`: one order out of all channels."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.evidence import best
from realmemory.core.text import count_query_words
from realmemory.late import late_module
from realmemory.policies.question.former import held, then_likely
from realmemory.policies.question.inquiry import at_the_time
from realmemory.policies.ranking import over_sessions, timeliness
from realmemory.store.succession import following
from realmemory.types import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.evidence import Floats
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.question import Question
    from realmemory.policies.hops import Hops
    from realmemory.policies.ranking import Preset
    from realmemory.policies.subject.strangers import Stranger

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")


_HARDLY = 1
"""Words beside the time that a question names, up to which the time decides."""


class Ranked(NamedTuple):
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
    ``hops`` is what the second hop made of the scores, None without one; ``copies`` names the
    better hit of which a candidate is a near-copy, by their positions; ``stood`` is the score of
    what a crowd made room for before it did; ``missed`` says that nothing is of the time that the
    question names; ``strangers`` is what is about others than those whom the question names;
    ``overtaken`` names the later memory by which another may not hold any more, by their ids.
    """

    confidences: Floats
    scores: Floats
    best: Sequence[int]
    shifts: Array | None = None
    trouble: str | None = None
    hops: Hops | None = None
    copies: Mapping[int, int] = field(default_factory=dict)
    stood: Mapping[int, float] = field(default_factory=dict)
    missed: bool = False
    strangers: Mapping[int, Stranger] = field(default_factory=dict)
    overtaken: Mapping[int, int] = field(default_factory=dict)

    def among(self, more: Floats, places: Sequence[int]) -> Fused:
        """Return the same among more candidates, which have a confidence but no score yet.

        Args:
            more: Confidences of all candidates; those of the present ones stay as they are.
            places: Where each present candidate is now.
        """
        confidences, scores = array("d", more), array("d", bytes(8 * len(more)))
        for at, place in enumerate(places):
            confidences[place], scores[place] = self.confidences[at], self.scores[at]
        return replace(
            self,
            confidences=confidences,
            scores=scores,
            best=[places[at] for at in self.best],
            hops=None if self.hops is None else self.hops.among(len(more), places),
            copies={places[at]: places[better] for at, better in self.copies.items()},
            stood={places[at]: score for at, score in self.stood.items()},
            strangers={places[at]: stranger for at, stranger in self.strangers.items()},
        )

    def hits(self, candidates: Candidates, direct_floor: float, chance: float) -> list[Ranked]:
        """Return the best as hits.

        Args:
            candidates: What was ranked.
            direct_floor: Cosine below which a hit came by words.
            chance: Probability that the question can be answered, by what no single hit shows.
        """
        return self._ranked(candidates, self.best, direct_floor, chance)

    def hit(self, candidates: Candidates, at: int, direct_floor: float, chance: float) -> Ranked:
        """Return the candidate at a place as a hit; arguments as of :meth:`hits`."""
        return self._ranked(candidates, (at,), direct_floor, chance)[0]

    def _ranked(
        self, candidates: Candidates, places: Sequence[int], direct_floor: float, chance: float
    ) -> list[Ranked]:
        table = candidates.evidence.table
        cosine, retention = table.column("cosine"), table.column("retention")
        return [
            Ranked(
                id=candidates.ids[at],
                source=Source.DIRECT if cosine[at] >= direct_floor else Source.KEYWORD,
                cosine=cosine[at],
                retention=retention[at],
                confidence=float(self.confidences[at]) * chance,
                score=float(self.scores[at]),
            )
            for at in places
        ]


def fuse(preset: Preset, candidates: Candidates, question: Question) -> Fused:
    """Score the candidates and find the best as deep as asked, ties broken by id."""
    then, missed, around = candidates.then, False, candidates.evidence.around
    evidence, hardly = candidates.evidence, then is not None and _asks_hardly_more(question)
    if around is not None and hardly:
        evidence = replace(evidence, around=around.alone())
    confidences, scores = preset.scores(evidence)
    if candidates.versions:
        confidences, scores = _as_it_was(question, candidates, confidences, scores)
    if question.inquiry is not None and then is not None:
        confidences, scores = at_the_time(question.inquiry, then, np.asarray(confidences))
        missed = not then.answers(confidences)
    elif then is not None:
        timely = np.asarray(scores) * timeliness(then.closeness)
        # The time of a turn is among what makes its confidence.
        is_turn = candidates.evidence.surroundings.is_turn
        scores = timely if hardly else np.where(is_turn, scores, timely)
    if around is not None and question.several:
        scores = over_sessions(np.asarray(scores), around.sessions)
    # The candidates are in order of their ids, so that ties go to the lower one.
    first = best(scores, question.depth)
    if then is not None and question.inquiry is None:
        missed = bool(first) and not then.touched_by(first)
    return Fused(confidences, scores, first, missed=missed)


def _asks_hardly_more(question: Question) -> bool:
    """Say whether a question that names a time holds hardly a word beside it."""
    if question.inquiry is not None:
        return True
    return count_query_words(question.timeless) <= _HARDLY


def _as_it_was(
    question: Question, candidates: Candidates, confidences: Floats, scores: Floats
) -> tuple[Floats, Floats]:
    """Return confidences and scores where what held at the time that is asked for answers as well."""
    likely, raised = array("d", confidences), array("d", scores)
    for memory_id, version in candidates.versions.items():
        at = candidates.found(memory_id)
        over = version.end <= question.now
        if at is None or not over or not held(version, question.spans):
            continue
        chain = following(candidates.versions, memory_id)
        places = [place for one in chain if (place := candidates.found(one)) is not None]
        replacing = max((confidences[place] for place in places), default=0.0)
        likely[at] = raised[at] = then_likely(confidences[at], replacing)
    return likely, raised


def reordered(fused: Fused, question: Question, added: Hops) -> Fused:
    """Return the order that follows when the second hop is counted."""
    return replace(fused, scores=added.after, best=best(added.after, question.depth), hops=added)
