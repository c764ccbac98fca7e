"""Stage `hop`: what the first hits lead to, for questions that need more than those.

Rare words of a hit that the question lacks are searched for, and the conversation around a hit
counts. Nothing is looked for where the first answer is likely right, or where nothing but it is
wanted.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.flows.candidates import Candidates, evidence_of
from realmemory.flows.fuse import fuse, reordered
from realmemory.flows.interaction import CHARS, interact
from realmemory.policies.hops import LEADS, REACH, SEEDS, Leads, Order, called_for, hops, nearness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView

_FOUND = 8
"""Traces that each hit may bring by its rare words."""


def hop(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    first: tuple[Candidates, Fused],
) -> tuple[Candidates, Fused]:
    """Return candidates and order with what the first hits lead to, where it is called for."""
    candidates, fused = first
    weight, floor = context.config.hop_weight, preset.hop_floor
    if not weight or floor is None or not _wanted(question, candidates, fused):
        return first
    seeds = [candidates.ids[at] for at in fused.best[:SEEDS]]
    texts, near = _around(view, candidates, seeds)
    shared = context.index.engine.bridged(
        [texts.get(seed, "") for seed in seeds],
        question.text,
        candidates.ids,
        candidates.visible,
        k=_FOUND,
    )
    if not any(shared) and not any(near):
        return first
    found = {i for part in shared for i, worth in part.items() if worth >= LEADS}
    further = found.difference(candidates.ids)
    if further and not _in_conversation(candidates) and candidates.then is None:
        candidates = joined(context, view, question, candidates, further)
        fused = fuse(preset, candidates, question)
    places = {memory_id: at for at, memory_id in enumerate(candidates.ids)}
    at = [places[seed] for seed in seeds]
    if not all(fused.scores[place] > 0.0 for place in at):
        # Beside more candidates, a hit may be dropped.
        return candidates, fused
    leads = Leads(_by_place(places, shared), _by_place(places, near))
    added = hops(_order(candidates, fused), at, leads, weight=weight, floor=floor)
    return candidates, reordered(fused, question, added)


def _wanted(question: Question, candidates: Candidates, fused: Fused) -> bool:
    if question.depth <= SEEDS or not fused.best or question.inquiry:
        return False
    best = fused.best[0]
    coverage = candidates.evidence.table.column("alike")[best]
    return called_for(float(fused.confidences[best]), coverage, several=question.several)


def _order(candidates: Candidates, fused: Fused) -> Order:
    around = candidates.evidence.around
    return Order(
        confidences=fused.confidences,
        scores=fused.scores,
        undropped=candidates.evidence.table.undropped(fused.confidences, fused.scores),
        is_turn=[] if around is None else around.is_turn.tolist(),
    )


def _around(
    view: ReadView, candidates: Candidates, seeds: Sequence[int]
) -> tuple[dict[int, str], list[dict[int, float]]]:
    """Return the texts of the hits, and how near the turns around each were said."""
    talk = _in_conversation(candidates)
    places = view.conversations.around(seeds, REACH) if talk else []
    wanted = {*seeds, *(place.id for place in places)}
    texts = {i: part.text for i, part in view.excerpts.of(wanted, CHARS).items()}
    lengths = {memory_id: len(text) for memory_id, text in texts.items()}
    return texts, [nearness(seed, places, lengths) for seed in seeds]


def _in_conversation(candidates: Candidates) -> bool:
    """Say whether turns are among the candidates; those bring their neighbours from the start."""
    return candidates.evidence.around is not None


def joined(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    candidates: Candidates,
    further: Iterable[int],
) -> Candidates:
    """Return the candidates with traces that no channel found, described like the others."""
    visible = candidates.visible
    found = context.index.engine.describe(question.text, question.vector, sorted(further), visible)
    own = Candidates(found.ids, evidence_of(question, found), visible)
    described = interact(context, view, question, own)
    ids = [*candidates.ids, *own.ids]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return replace(
        candidates,
        ids=array("q", [ids[at] for at in order]),
        evidence=candidates.evidence.joined(described, order),
    )


def widened(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    found: tuple[Candidates, Fused],
    *,
    further: Iterable[int],
) -> tuple[Candidates, Fused]:
    """Return candidates and order with traces that no channel found, which have no score yet."""
    candidates, fused = found
    wider = joined(context, view, question, candidates, further)
    confidences, _ = preset.scores(wider.evidence)
    return wider, fused.among(confidences, [wider.place_of(i) for i in candidates.ids])


def _by_place(
    places: Mapping[int, int], led: Iterable[Mapping[int, float]]
) -> list[dict[int, float]]:
    """Return what leads to traces by their places among the candidates."""
    return [{places[i]: worth for i, worth in part.items() if i in places} for part in led]
