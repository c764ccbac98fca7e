"""The part of stage `candidates` that knows conversations: turns bring their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze
from realmemory.late import late_module
from realmemory.policies.question.shapes import addresses_assistant
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
    from collections.abc import Iterable, Mapping, Sequence

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
    named: Mapping[str, frozenset[str]],
) -> Surroundings:
    """Return what stands around each candidate.

    Args:
        question: What is asked.
        ids: The candidates, ascending.
        places: Where the turns among them stand.
        evidence: What the channels say about them.
        words: Their keyword scores, words that resemble those of the question included.
        named: The speakers whom the question names; see :func:`named_in`.
    """
    null = evidence.null
    signals = Signals(
        words=words.astype(np.float64),
        coverage=evidence.column("coverage"),
        meaning=standardised(evidence.column("cosine"), null.mean, null.std),
    )
    asked = Asked(
        named=_in_order(question, named),
        of_assistant=addresses_assistant(question.text),
    )
    return turn_features(np.asarray(ids), places, signals, asked)


def _in_order(question: Question, named: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the speakers in the order in which the question names them."""
    if len(named) < 2:
        return list(named)
    places = {term: at for at, term in reversed([*enumerate(analyze(question.text))])}
    last = len(places)
    return sorted(named, key=lambda name: min(places.get(term, last) for term in named[name]))


def named_in(question: Question, places: Sequence[TurnPlace]) -> dict[str, frozenset[str]]:
    """Return the speakers whom the question names, with the terms that it has of each name."""
    forms = question.forms
    speakers = sorted({place.speaker for place in places if place.speaker})
    named = {name: forms.intersection(analyze(name)) for name in speakers}
    return {name: terms for name, terms in named.items() if terms}
