"""Stage `rerank`: a re-ranker, where the memory has one, reads the best candidates.

It reads a turn with what is indexed of it, its speaker, date and the turns before, and of a long
text the nearest passage. It changes the order only: confidence and abstention stay those of the
profile, which was fitted without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.core.evidence import best
from realmemory.flows.interaction import searched_texts
from realmemory.late import late_module
from realmemory.policies import reranking

if TYPE_CHECKING:
    import numpy as np

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")

_BEHIND = 0.999


def rerank(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    candidates: Candidates,
    fused: Fused,
) -> Fused:
    """Return the candidates in the order that the re-ranker makes of the best of them."""
    pool = best(fused.scores, reranking.POOL)
    if context.reranker is None or len(pool) < 2:
        return fused
    texts = searched_texts(view, candidates, [candidates.ids[at] for at in pool])
    reading = context.reranker.read(question.text, texts)
    if reading.scores is None:
        return replace(fused, trouble=reading.trouble)
    scores = np.array(fused.scores)
    shifts = np.full(len(scores), np.nan)
    shifts[pool] = reranking.shifts(reading.scores, context.config.reranker_weight)
    scores[pool] = reranking.shifted(scores[pool], shifts[pool])
    # What was not read stays behind what was.
    rest = np.isnan(shifts)
    scores[rest] = np.minimum(scores[rest], scores[pool].min() * _BEHIND)
    return replace(fused, scores=scores, best=best(scores, question.depth), shifts=shifts)
