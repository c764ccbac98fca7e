"""Stage `hop`: what the first hits lead to, for questions that need more than those.

Rare words of a hit that the question lacks are searched for, and the conversation around a hit
counts. Nothing is looked for where the first answer is likely right, or where nothing but it is
wanted.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.flows.candidates import Candidates, evidence_of
from realmemory.flows.fuse import fuse, reordered
from realmemory.flows.interaction import CHARS, interact
from realmemory.late import late_module
from realmemory.policies.hops import LEADS, REACH, SEEDS, Leads, Order, called_for, hops, nearness
from realmemory.policies.ranking import weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")

_FOUND = 8
"""Traces that each hit may bring by its rare words."""


class _Led(NamedTuple):
    """Traces that one hit leads to, and how much leads there."""

    ids: NDArray[np.int64]
    worth: NDArray[np.float64]


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
    seeds = np.array([candidates.ids[at] for at in fused.best[:SEEDS]], dtype=np.int64)
    texts, near = _around(view, candidates, seeds)
    shared = [_sharing(context, question, candidates, texts.get(i, "")) for i in seeds.tolist()]
    found = np.unique(np.concatenate([part.ids[part.worth >= LEADS] for part in shared]))
    further = np.setdiff1d(found, candidates.ids)
    if len(further) and not _in_conversation(candidates) and candidates.timely is None:
        candidates = _joined(context, view, question, candidates, further)
        fused = fuse(preset, candidates, question)
    if not np.isin(seeds, np.asarray(candidates.ids)[np.asarray(fused.scores) > 0.0]).all():
        # Beside more candidates, a hit may be dropped.
        return candidates, fused
    at = np.searchsorted(candidates.ids, seeds)
    leads = Leads(_table(candidates.ids, shared), _table(candidates.ids, near))
    added = hops(_order(candidates, fused), at, leads, weight=weight, floor=floor)
    return candidates, reordered(fused, question, added)


def _wanted(question: Question, candidates: Candidates, fused: Fused) -> bool:
    if question.depth <= SEEDS or not fused.best or question.only_times:
        return False
    best = fused.best[0]
    coverage = candidates.evidence.table.column("alike")[best]
    return called_for(float(fused.confidences[best]), coverage, several=question.several)


def _order(candidates: Candidates, fused: Fused) -> Order:
    evidence = candidates.evidence
    confidences = np.asarray(fused.confidences)
    return Order(
        confidences=confidences,
        scores=np.asarray(fused.scores),
        undropped=confidences * weights(evidence.column("retention")),
        is_turn=evidence.surroundings.is_turn,
    )


def _around(
    view: ReadView, candidates: Candidates, seeds: NDArray[np.int64]
) -> tuple[dict[int, str], list[_Led]]:
    """Return the texts of the hits, and how near the turns around each were said."""
    talk = _in_conversation(candidates)
    places = view.conversations.around(seeds.tolist(), REACH) if talk else []
    wanted = {*seeds.tolist(), *(place.id for place in places)}
    texts = {i: part.text for i, part in view.excerpts.of(wanted, CHARS).items()}
    lengths = {memory_id: len(text) for memory_id, text in texts.items()}
    near = [nearness(seed, places, lengths) for seed in seeds.tolist()]
    return texts, [
        _Led(np.array(list(part), dtype=np.int64), np.array(list(part.values()))) for part in near
    ]


def _in_conversation(candidates: Candidates) -> bool:
    """Say whether turns are among the candidates; those bring their neighbours from the start."""
    return candidates.evidence.around is not None


def _joined(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    candidates: Candidates,
    further: NDArray[np.int64],
) -> Candidates:
    """Return the candidates with traces that no channel found, described like the others."""
    visible = candidates.visible
    found = context.index.engine.describe(question.text, question.vector, further, visible)
    own = Candidates(found.ids, evidence_of(question, found), visible)
    if context.embedder.compares_words:
        own = replace(own, evidence=interact(context, view, question, own))
    ids = np.concatenate([candidates.ids, own.ids])
    order = np.argsort(ids, kind="stable")
    return replace(
        candidates,
        ids=array("q", ids[order].tobytes()),
        evidence=candidates.evidence.joined(own.evidence, order),
    )


def _sharing(context: MemoryContext, question: Question, candidates: Candidates, text: str) -> _Led:
    """Return the traces that hold rare words of a hit, with what those are worth."""
    ids, worth = context.index.engine.bridged(
        text, question.text, candidates.ids, candidates.visible, k=_FOUND
    )
    return _Led(ids, worth.astype(np.float64))


def _table(ids: array[int], led: list[_Led]) -> NDArray[np.float64]:
    """Return one row for each hit, one column for each candidate."""
    table = np.zeros((len(led), len(ids)))
    for row, part in zip(table, led, strict=True):
        known = np.isin(part.ids, ids)
        row[np.searchsorted(ids, part.ids[known])] = part.worth[known]
    return table
