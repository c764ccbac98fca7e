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
    *,
    named: Iterable[str],
) -> Surroundings:
    """Return what stands around each candidate.

    Args:
        question: What is asked.
        ids: The candidates, ascending.
        places: Where the turns among them stand.
        evidence: What the channels say about them.
        words: Their keyword scores, words that resemble those of the question included.
        named: The speakers whom the question names.
    """
    null = evidence.null
    signals = Signals(
        words=words.astype(np.float64),
        coverage=evidence.column("coverage"),
        meaning=standardised(evidence.column("cosine"), null.mean, null.std),
    )
    asked = Asked(
        named=sorted(named),
        of_assistant=addresses_assistant(question.text),
    )
    return turn_features(np.asarray(ids), places, signals, asked)


def named_in(question: Question, places: Sequence[TurnPlace]) -> dict[str, frozenset[str]]:
    """Return the speakers whom the question names, with the terms that it has of each name."""
    forms = question.forms
    speakers = sorted({place.speaker for place in places if place.speaker})
    named = {name: forms.intersection(analyze(name)) for name in speakers}
    return {name: terms for name, terms in named.items() if terms}
