"""The part of stage `refine` that compares words with words (late interaction).

Only the candidates that look best are read from the store for it; the others keep the words that
they share or resemble, which is what late interaction would at least find.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.policies.scripts import NEAREST, apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.policies.relevance import Evidence
    from realmemory.store.transactions import ReadView

CHARS = 1500
"""What is looked at of a text; one that is longer has passages."""
_SHORTLIST = 56
"""Candidates beside the hits asked for; the answer is nearly always among them."""


def searched_texts(view: ReadView, candidates: Candidates, ids: Sequence[int]) -> list[str]:
    """Return what is searched of each candidate; of a long text its nearest passage."""
    parts = candidates.passages
    nearest = {memory_id: parts[memory_id].nearest for memory_id in ids if memory_id in parts}
    texts = view.excerpts.searched(ids, CHARS)
    texts |= view.excerpts.within(nearest) if nearest else {}
    # A trace that another process erased since the search has no words left.
    return [texts.get(memory_id, "") for memory_id in ids]


def interact(
    context: MemoryContext, view: ReadView, question: Question, candidates: Candidates
) -> Evidence:
    """Return the evidence with late interaction; of a long text its nearest passage counts.

    Without vectors of words, the words that are shared or resemble each other have to do.
    """
    evidence = candidates.evidence
    if not context.embedder.compares_words:
        return evidence
    chosen = evidence.table.shortlist(_SHORTLIST + question.k)
    texts = searched_texts(view, candidates, [candidates.ids[at] for at in chosen])
    found = context.embedder.interact(question.text, texts)
    if not found.words:
        return evidence
    table = evidence.table.compared(chosen, found)
    cosine = evidence.table.column("cosine")
    nearest = sorted(range(len(chosen)), key=[-cosine[at] for at in chosen].__getitem__)[:NEAREST]
    return replace(
        evidence,
        table=table,
        letters_per_piece=found.letters_per_piece,
        about=context.embedder.about(question.text),
        apart=apart(question.text, [texts[at] for at in nearest]),
    )
