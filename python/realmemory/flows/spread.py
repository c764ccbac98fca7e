"""Stage `spread`: what the associative graph adds to a short answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.core.rows import STATUS_CODES
from realmemory.flows.fuse import Ranked
from realmemory.late import late_module
from realmemory.policies.ranking import associated_score
from realmemory.types import Source, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")

_SEEDS = 3


def spread(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    visible: ScanFilter,
    ranked: Sequence[Ranked],
) -> list[Ranked]:
    """Return traces that are linked to the best hits, as long as there is room for them.

    Nothing comes back where no link exists, and nothing that has faded: it answers what it is asked.
    """
    room = question.k - len(ranked)
    if not ranked or room <= 0:
        return []
    seeds = {item.id: 1.0 for item in ranked[:_SEEDS]}
    context.graph.refresh(view)
    activation = context.graph.spread(seeds, now=question.now)
    for item in ranked:
        activation.pop(item.id, None)
    partners = _visible(context, question, _alive(context, question, visible), list(activation))
    partners.sort(key=lambda item: (-activation[item.id], item.id))
    return partners[:room]


def _alive(context: MemoryContext, question: Question, visible: ScanFilter) -> ScanFilter:
    statuses = (code for code in visible.statuses if code != STATUS_CODES[Status.ARCHIVED])
    floor = 0.0 if question.history else context.config.min_retention_recall
    return replace(visible, statuses=tuple(statuses), min_retention=floor)


def _visible(
    context: MemoryContext, question: Question, visible: ScanFilter, ids: Sequence[int]
) -> list[Ranked]:
    """Describe those of the traces that the question may see."""
    if not ids:
        return []
    engine = context.index.engine
    wanted = np.array(ids, dtype=np.int64)
    admitted = wanted[engine.accepted(wanted, visible)]
    cosines = np.maximum(np.nan_to_num(engine.cosines(question.vector, admitted)), 0.0)
    retentions = engine.retentions(admitted, visible)
    return [
        _associated(context, memory_id, cosine, retention)
        for memory_id, cosine, retention in zip(
            admitted.tolist(), cosines.tolist(), retentions.tolist(), strict=True
        )
    ]


def _associated(context: MemoryContext, memory_id: int, cosine: float, retention: float) -> Ranked:
    score = associated_score(context.config, cosine, retention)
    return Ranked(memory_id, Source.ASSOCIATED, cosine, retention, confidence=score, score=score)
