"""Part of the write flow: what is told again, and told anew.

A text that says no time is told of the present. An incident that is told again on another occasion
happened again; a fact that was contradicted since it was told holds again. Either is a memory of its
own, with its own time, so that what held and what happened when stays known. Everything else that is
told again strengthens what is known, whose time stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.clock import DAY
from realmemory.policies.gate.happenings import happened
from realmemory.policies.gate.occasions import on_a_later_occasion, same_occasion
from realmemory.policies.novelty import conflicting
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.flows.draft import Draft
    from realmemory.policies.novelty import Neighbour
    from realmemory.store.transactions import WriteTx

_TURNS = 3
"""How often in a day a fact may come to hold again: a list that contradicts itself is told in a loop."""


class Anew(NamedTuple):
    """Which known traces a draft is no repetition of, and what contradicted them since."""

    past: frozenset[int] = frozenset()
    against: tuple[int, ...] = ()


def told_anew(
    tx: WriteTx,
    draft: Draft,
    neighbours: Sequence[Neighbour],
    conflicts: Mapping[int, Sequence[int]],
) -> Anew:
    """Say of which traces near a draft it is told anew rather than again.

    Args:
        tx: The write transaction.
        draft: What is told; one that says its time is compared by that.
        neighbours: The traces near it.
        conflicts: What contradicts each of them.
    """
    if draft.request.when is not None:
        return Anew()
    past = set()
    if draft.request.kind == Kind.EPISODIC and happened(draft.signature):
        past = {item.id for item in neighbours if on_a_later_occasion(item.observed_at, draft.when)}
    since = _contradicted_since(tx, draft, neighbours, conflicts)
    against = sorted({other for others in since.values() for other in others})
    return Anew(frozenset(past | since.keys()), tuple(against))


def _contradicted_since(
    tx: WriteTx,
    draft: Draft,
    neighbours: Sequence[Neighbour],
    conflicts: Mapping[int, Sequence[int]],
) -> dict[int, list[int]]:
    """Return what stands against each neighbour, was told later, and holds.

    Notes of one pattern may have seemed to contradict each other before they were known for a series.
    """
    same = [item for item in neighbours if not item.differences]
    if sum(item.observed_at // DAY == draft.when // DAY for item in same) >= _TURNS:
        return {}
    rivals = {other for item in same for other in conflicts.get(item.id, ())}
    if not rivals:
        return {}
    others = tx.traces.get_many(rivals.intersection(conflicting(neighbours, draft.signature)))
    found = {
        item.id: [
            other
            for other in conflicts.get(item.id, ())
            if other in others
            and others[other].status is Status.ACTIVE
            and _in_between(item.observed_at, others[other].observed_at, draft.when)
        ]
        for item in same
    }
    return {memory_id: since for memory_id, since in found.items() if since}


def _in_between(known: float, other: float, now: float) -> bool:
    """Say whether something was told between two tellings of another.

    What was told together and is told once more, as a list is that is fed again, stays in its order.
    """
    together = same_occasion(known, other) and not same_occasion(other, now)
    return known < other < now and not together
