"""Stage `doubt`: whether what comes nearest in a small memory says what the question asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.flows.interaction import searched_texts
from realmemory.policies.doubt import Asked, doubt_of, share_among

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.doubt import Doubt
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView


def doubt(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    found: tuple[Candidates, Fused],
) -> Doubt | None:
    """Judge the best hit; None where nothing is asked for, or a turn comes nearest.

    A turn says half of what it means by what stands around it.
    """
    candidates, fused = found
    evidence, explained = candidates.evidence, question.options.explain
    # An explanation shows it also where it does not count; so weights are fitted.
    if not explained and (preset.doubt is None or share_among(evidence.rows) == 0.0):
        return None
    asked = Asked.of(question.text)
    if asked is None or question.inquiry is not None or not fused.best:
        return None
    at = fused.best[0]
    if evidence.around is not None and evidence.around.is_turn[at]:
        return None
    at = _worded_so(candidates, fused, at)
    text = searched_texts(view, candidates, [candidates.ids[at]])[0]
    nearest = context.embedder.nearest_words(question.text, text)
    if not nearest:
        return None
    weakest = evidence.table.column("weakest")[at]
    return doubt_of(preset.doubt, asked, text, nearest, weakest=weakest, rows=evidence.rows)


def _worded_so(candidates: Candidates, fused: Fused, at: int) -> int:
    """Return what a hit is news of, if it is: news answers what that answers, and says it otherwise."""
    told = (old for old, new in fused.overtaken.items() if new == candidates.ids[at])
    old = next(told, None)
    return at if old is None else candidates.place_of(old)
