"""Stage `rerank`: a re-ranker, where the memory has one, reads the best candidates.

It reads a turn with what is indexed of it, its speaker, date and the turns before, and of a long
text the nearest passage. It changes the order only: confidence and abstention stay those of the
profile, which was fitted without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from realmemory.flows.interaction import searched_texts
from realmemory.policies import reranking

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView


_BEHIND = 0.999


def rerank(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    candidates: Candidates,
    fused: Fused,
) -> Fused:
    """Return the candidates in the order that the re-ranker makes of the best of them."""
    order = np.lexsort((candidates.ids, -fused.scores))
    pool = order[fused.scores[order] > 0][: reranking.POOL]
    if context.reranker is None or len(pool) < 2:
        return fused
    texts = searched_texts(view, candidates, candidates.ids[pool].tolist())
    reading = context.reranker.read(question.text, texts)
    if reading.scores is None:
        return replace(fused, trouble=reading.trouble)
    shifts = np.full(len(order), np.nan)
    shifts[pool] = reranking.shifts(reading.scores, context.config.reranker_weight)
    scores = fused.scores.copy()
    scores[pool] = reranking.shifted(fused.scores[pool], shifts[pool])
    # What was not read stays behind what was.
    rest = np.isnan(shifts)
    scores[rest] = np.minimum(scores[rest], scores[pool].min() * _BEHIND)
    best = np.lexsort((candidates.ids, -scores))[: question.depth]
    return replace(fused, scores=scores, best=best[scores[best] > 0], shifts=shifts)
