"""Stage `vary`: near-copies of a better hit make room for what is said in other words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.core.evidence import best
from realmemory.policies.copies import CHARS, POOL, copies, discounted, in_reach

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView


def vary(
    view: ReadView, preset: Preset, question: Question, candidates: Candidates, fused: Fused
) -> Fused:
    """Return the order in which near-copies count less, where one answer is wanted.

    Who asks for several things wants the copies. Turns are left alone: people repeat themselves,
    and the turns around say which is meant.
    """
    if not preset.compares_words or question.several or question.inquiry:
        return fused
    scores, around = fused.scores, candidates.evidence.around
    top = best(scores, POOL)
    top = top[: in_reach([scores[at] for at in top], question.depth)]
    if around is not None:
        top = [at for at in top if not around.is_turn[at]]
    texts = view.excerpts.of([candidates.ids[at] for at in top], CHARS) if len(top) > 1 else {}
    top = [at for at in top if candidates.ids[at] in texts]
    found = copies([texts[candidates.ids[at]].text for at in top])
    if not found:
        return fused
    copied = {top[at]: top[before] for at, before in found.items()}
    lowered = discounted(scores, copied)
    return replace(fused, scores=lowered, best=best(lowered, question.depth), copies=copied)
