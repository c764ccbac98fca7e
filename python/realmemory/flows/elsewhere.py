"""Stage `elsewhere`: whether a project that was not asked knows what nothing here answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.types import AbstainReason

if TYPE_CHECKING:
    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView

_UNANSWERED = frozenset(
    [AbstainReason.NOTHING_MATCHED, AbstainReason.BELOW_FLOOR, AbstainReason.FLAT_NOISE]
)
_LOOKED_AT = 3
_SHARE = 0.6
"""Share of what the question's words weigh that a memory elsewhere must hold."""
_WORDS = 2
"""Words of the question that it must hold, where there are as many."""


def elsewhere(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    visible: ScanFilter,
    reason: AbstainReason | None,
) -> AbstainReason | None:
    """Return why the answer is empty: an answer by words in another scope is a reason to look there.

    It is only said that there is one: what it says stays in its scope.
    """
    if reason not in _UNANSWERED or question.scope is None or not question.words:
        return reason
    others = set(view.scopes.ids()).difference(visible.scopes or ())
    if not others:
        return reason
    beyond = replace(visible, scopes=tuple(sorted(others)))
    found = context.index.engine.gather(
        question.text, question.vector, beyond, k=_LOOKED_AT, scan_k=0, fuzzy=False
    ).table
    least = min(_WORDS, question.words)
    known = any(
        share >= _SHARE and words >= least
        for share, words in zip(found.column("coverage"), found.column("matched"), strict=True)
    )
    return AbstainReason.ONLY_OTHER_SCOPE if known else reason
