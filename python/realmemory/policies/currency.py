"""What holds now comes first among hits that answer equally well."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_EQUAL = 1e-6
"""Share of a score that two may differ by and still be equal."""
_AS_GOOD = 0.9
"""Share of the confidence of an old version from which the new one is as good an answer."""


class Standing(NamedTuple):
    """A hit, as far as its order is concerned; ``successor`` is what replaced it.

    ``score`` is what it was ordered by, where a near-copy counts less; ``confidence`` is its own.
    """

    id: int
    score: float
    confidence: float
    observed_at: float
    successor: int | None


def current_first(hits: Sequence[Standing]) -> list[int]:
    """Return the ids of hits, which are given best first, in the order to show them.

    Of equal ones the latest comes first, and a version that was replaced comes behind the one that
    holds, unless it answers clearly better: a question may be about how it was.
    """
    order = _latest_first(hits)
    for old in hits:
        if old.successor is None:
            continue
        at = {hit.id: place for place, hit in enumerate(order)}
        new = at.get(old.successor)
        if new is None or new < at[old.id] or order[new].confidence < _AS_GOOD * old.confidence:
            continue
        order.insert(at[old.id], order.pop(new))
    return [hit.id for hit in order]


def _latest_first(hits: Sequence[Standing]) -> list[Standing]:
    order: list[Standing] = []
    begin = 0
    for end in range(1, len(hits) + 1):
        if end == len(hits) or not _equal(hits[begin], hits[end]):
            order += sorted(hits[begin:end], key=lambda hit: -hit.observed_at)
            begin = end
    return order


def _equal(one: Standing, other: Standing) -> bool:
    # The score alone may have been made equal, to give a hit its place.
    return isclose(one.score, other.score, rel_tol=_EQUAL) and isclose(
        one.confidence, other.confidence, rel_tol=_EQUAL
    )
