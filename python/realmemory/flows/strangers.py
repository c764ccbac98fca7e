"""Stage `strangers`: whoever asks about somebody is not answered with somebody else."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from realmemory.core.evidence import best
from realmemory.flows.interaction import CHARS
from realmemory.policies.subject.counterparts import ONE
from realmemory.policies.subject.strangers import AS_GOOD, BEHIND, KEPT, LIKELY, Asked, Stranger

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.subject.grammar import Counterpart
    from realmemory.store.transactions import ReadView

_LOOKED = 24
"""Hits that are looked at, at least, for the names that the question holds."""


def strangers(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    candidates: Candidates,
    fused: Fused,
) -> Fused:
    """Return the order with little left of facts about others than those whom a question names.

    A turn is told by what stands around it, a long text names its subject anywhere, and what a
    better hit leads to need not name whom that one names.
    """
    if question.inquiry is not None or not fused.best:
        return fused
    asked = Asked.of(question.text, question.timeless, question.scope)
    said: dict[int, str] = {}
    strange: dict[int, str] = {}
    for places in _in_turn(question, fused, names=asked.named is not None):
        texts = _texts(view, candidates, fused, places)
        found = asked.others(texts, fused.confidences, partial(_is_one, context))
        said |= texts
        strange |= found
        if not found:
            break
    return _behind(question, fused, said, strange) if strange else fused


def _in_turn(question: Question, fused: Fused, *, names: bool) -> Iterator[Sequence[int]]:
    """Yield the hits that may be about others: what comes behind an answer matters little."""
    if names:
        yield best(fused.scores, max(question.depth, _LOOKED))
        return
    likely = [at for at in fused.best if fused.confidences[at] >= LIKELY]
    yield likely[:1]
    yield likely[1:]


def _texts(
    view: ReadView, candidates: Candidates, fused: Fused, places: Sequence[int]
) -> dict[int, str]:
    """Return the texts of those hits that are told by their own words."""
    around = candidates.evidence.around
    looked = [
        at
        for at in places
        if (around is None or not around.is_turn[at])
        and (fused.hops is None or fused.hops.bridge[at] <= 0.0)
    ]
    texts = view.excerpts.searched([candidates.ids[at] for at in looked], CHARS) if looked else {}
    said = {at: texts.get(candidates.ids[at], "") for at in looked}
    return {at: text for at, text in said.items() if 0 < len(text) < CHARS}


def _is_one(context: MemoryContext, found: Counterpart) -> bool:
    """Say whether two words are so alike in meaning that they may stand for one thing."""
    if not found.alike:
        return False
    return any(near.cosine >= ONE for near in context.embedder.nearest_words(*found[:2]))


def _behind(
    question: Question, fused: Fused, said: Collection[int], strange: Mapping[int, str]
) -> Fused:
    """Return the order with what is about others behind what may well be the answer."""
    confidences, scores = array("d", fused.confidences), array("d", fused.scores)
    named_ones = (scores[at] for at in said if at not in strange and _as_good(fused, at))
    place = max(named_ones, default=inf)
    for at in strange:
        confidences[at] *= KEPT
        scores[at] = min(scores[at], place * BEHIND)
    return replace(
        fused,
        confidences=confidences,
        scores=scores,
        best=best(scores, question.depth),
        strangers={at: Stranger(fused.scores[at], reason) for at, reason in strange.items()},
    )


def _as_good(fused: Fused, at: int) -> bool:
    """Say whether a fact may well be what is asked for, beside the first."""
    return fused.confidences[at] >= AS_GOOD * fused.confidences[fused.best[0]]
