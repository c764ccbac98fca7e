"""The part of stage `candidates` that knows conversations: turns bring their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze
from realmemory.late import late_module
from realmemory.policies.shapes import addresses_assistant
from realmemory.policies.surroundings import (
    REACH,
    Asked,
    Signals,
    Surroundings,
    standardised,
    turn_features,
)

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.flows.question import Question
    from realmemory.policies.relevance import Evidence
    from realmemory.store.records import TurnPlace
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")


def places_around(view: ReadView, ids: Iterable[int]) -> list[TurnPlace]:
    """Return where the turns among the traces stand, with their neighbours."""
    return view.conversations.around(ids, REACH) if view.conversations.any() else []


def describe(
    question: Question,
    ids: array[int],
    places: Sequence[TurnPlace],
    evidence: Evidence,
    words: NDArray[np.float32],
) -> Surroundings:
    """Return what stands around each candidate.

    Args:
        question: What is asked.
        ids: The candidates, ascending.
        places: Where the turns among them stand.
        evidence: What the channels say about them.
        words: Their keyword scores, words that resemble those of the question included.
    """
    null = evidence.null
    signals = Signals(
        words=words.astype(np.float64),
        coverage=evidence.column("coverage"),
        meaning=standardised(evidence.column("cosine"), null.mean, null.std),
    )
    asked = Asked(
        named=_named(question, {place.speaker for place in places}),
        of_assistant=addresses_assistant(question.text),
    )
    return turn_features(np.asarray(ids), places, signals, asked)


def _named(question: Question, speakers: set[str]) -> list[str]:
    """Return the speakers whose name the question holds."""
    forms = question.forms
    return sorted(name for name in speakers if name and not forms.isdisjoint(analyze(name)))
