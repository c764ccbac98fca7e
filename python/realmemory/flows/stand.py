"""Stage `stand`: where notes of a few patterns crowd the answer, what stands gets some places.

Lasting facts are looked for among themselves, and what replaced another fact by the words of the
old one as well: beside thousands of notes about the same matter neither may be a candidate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.core.evidence import best
from realmemory.core.rows import KIND_CODES, STATUS_CODES
from realmemory.flows.candidates import Candidates, evidence_of
from realmemory.flows.hop import widened
from realmemory.flows.interaction import interact
from realmemory.policies.crowds import crowded, making_room
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView

_FOUND = 8
"""Lasting facts, and replaced ones, that are looked at."""


def stand(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    first: tuple[Candidates, Fused],
) -> tuple[Candidates, Fused]:
    """Return candidates and order with what stands, where there is a crowd.

    Who names a time wants what was said then, not what holds at all times.
    """
    candidates, fused = first
    if candidates.then is not None or not crowded(fused.scores, fused.copies):
        return first
    likeness = _standing(context, view, preset, question, candidates.visible)
    further = likeness.keys() - set(candidates.ids)
    if further:
        candidates, fused = widened(context, view, preset, question, first, further=further)
    places = {i: at for at, i in enumerate(candidates.ids) if i in likeness}
    ranked = sorted(places, key=lambda i: (-likeness[i], i))
    scores = making_room(fused.scores, [places[i] for i in ranked])
    stood = {at: fused.scores[at] for at in places.values() if scores[at] != fused.scores[at]}
    first_now = best(scores, question.depth)
    return candidates, replace(fused, scores=scores, best=first_now, stood=stood)


def _standing(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    visible: ScanFilter,
) -> dict[int, float]:
    """Return what stands with how well it answers beside the others, now or in its old words."""
    engine = context.index.engine

    def relevance(ids: Iterable[int], chosen: ScanFilter) -> dict[int, float]:
        """Return that of those which pass a filter, seen beside each other."""
        described = engine.describe(question.text, question.vector, sorted(ids), chosen)
        own = Candidates(described.ids, evidence_of(question, described), chosen)
        confidences, scores = preset.scores(interact(context, view, question, own))
        # What even so is below the floor of a hit has a score of zero.
        found = zip(own.ids, confidences, scores, strict=True)
        return {i: confidence for i, confidence, score in found if score > 0.0}

    def nearest(chosen: ScanFilter) -> list[int]:
        return engine.topk(question.vector, _FOUND, chosen).order

    past = replace(visible, statuses=(STATUS_CODES[Status.SUPERSEDED],), min_strength=0.0)
    ends = view.succession.ends(nearest(past))
    present = set(ends.values())
    if Kind.SEMANTIC in question.kinds:
        present.update(nearest(replace(visible, kinds=(KIND_CODES[Kind.SEMANTIC],))))
    found = relevance(present, visible)
    for old, value in relevance(ends, past).items():
        found[ends[old]] = max(found.get(ends[old], 0.0), value)
    return found
