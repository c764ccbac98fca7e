"""The part of stage `candidates` that knows conversations: turns bring their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze, query_forms
from realmemory.policies.surroundings import REACH, Surroundings, turn_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.policies.relevance import Evidence
    from realmemory.store.records import TurnPlace


def places_around(context: MemoryContext, ids: Sequence[int]) -> list[TurnPlace]:
    """Return where the turns among the traces stand, with their neighbours."""
    with context.store.read() as view:
        return view.conversations.around(ids, REACH) if view.conversations.any() else []


def describe(
    question: Question, ids: NDArray[np.int64], places: Sequence[TurnPlace], evidence: Evidence
) -> Surroundings:
    """Return what stands around each candidate."""
    if not places:
        return Surroundings.none(len(ids))
    listed = ids.tolist()
    return turn_features(
        listed,
        places,
        dict(zip(listed, evidence.bm25.tolist(), strict=True)),
        dict(zip(listed, evidence.cosine.tolist(), strict=True)),
        _named(question, {place.speaker for place in places}),
    )


def _named(question: Question, speakers: set[str]) -> list[str]:
    """Return the speakers whose name the question holds."""
    asked = {form for forms in query_forms(question.text) for form in forms}
    return sorted(name for name in speakers if name and not asked.isdisjoint(analyze(name)))
