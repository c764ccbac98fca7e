"""Stage `strangers`: whoever asks about somebody is not answered with somebody else."""

from __future__ import annotations

from array import array
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from realmemory.core.evidence import best
from realmemory.flows.interaction import CHARS
from realmemory.policies.strangers import AS_GOOD, BEHIND, KEPT, Named

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView

_LOOKED = 24
"""Hits that are looked at, at least."""


def strangers(view: ReadView, question: Question, candidates: Candidates, fused: Fused) -> Fused:
    """Return the order with little left of facts about others than those whom a question names.

    A turn is told by what stands around it, a long text names its subject anywhere, and what a
    better hit leads to need not name whom that one names.
    """
    if question.inquiry is not None or not fused.best:
        return fused
    named = Named.of(question.text, question.timeless, question.scope)
    if named is None:
        return fused
    around = candidates.evidence.around
    looked = [
        at
        for at in best(fused.scores, max(question.depth, _LOOKED))
        if (around is None or not around.is_turn[at])
        and (fused.hops is None or fused.hops.bridge[at] <= 0.0)
    ]
    texts = view.excerpts.searched([candidates.ids[at] for at in looked], CHARS)
    said = {at: texts.get(candidates.ids[at], "") for at in looked}
    others = {at for at, text in said.items() if 0 < len(text) < CHARS and named.missed_by(text)}
    if not others:
        return fused
    confidences, scores = array("d", fused.confidences), array("d", fused.scores)
    named_ones = (scores[at] for at in looked if at not in others and _as_good(fused, at))
    place = max(named_ones, default=inf)
    for at in others:
        confidences[at] *= KEPT
        scores[at] = min(scores[at], place * BEHIND)
    return replace(
        fused,
        confidences=confidences,
        scores=scores,
        best=best(scores, question.depth),
        strangers={at: fused.scores[at] for at in others},
    )


def _as_good(fused: Fused, at: int) -> bool:
    """Say whether a fact may well be what is asked for, beside the first."""
    return fused.confidences[at] >= AS_GOOD * fused.confidences[fused.best[0]]
