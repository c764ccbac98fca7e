"""Settling a conflict: one of two memories holds, or both do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import validation
from realmemory.store.records import LinkType
from realmemory.types import Status

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx

BOTH = "both"
"""Both memories are true; the conflict was none."""


def resolve(context: MemoryContext, one_id: int, other_id: int, *, keep: int | str) -> bool:
    """Settle what two memories say differently; return whether they were in conflict.

    Args:
        context: The memory.
        one_id: One of the two.
        other_id: The other.
        keep: The id of the one that holds, the other becomes history; or ``both``.

    Raises:
        InvalidInputError: ``keep`` is neither of the two nor ``both``, or the one to give way
            was superseded before; nothing was changed.
        NotFoundError: An id is unknown; nothing was changed.
    """
    pair = (validation.checked_id(one_id), validation.checked_id(other_id))
    if pair[0] == pair[1] or keep not in (*pair, BOTH):
        raise InvalidInputError(
            f"keep is one of two different memories or 'both', got {keep!r} for {pair}; "
            "nothing was changed",
            code="invalid_choice",
        )
    with context.store.write() as tx:
        traces = tx.traces.get_many(pair)
        for memory_id in pair:
            if memory_id not in traces:
                raise NotFoundError(f"memory {memory_id} is unknown; nothing was changed")
        found = [
            (link.src, link.dst, link.type)
            for link in tx.links.of(pair, [LinkType.CONFLICT])
            if {link.src, link.dst} == set(pair)
        ]
        tx.links.remove(found)
        if keep == BOTH:
            tx.links.connect(*pair, LinkType.RESOLVED)
        else:
            winner, loser = (pair[0], pair[1]) if keep == pair[0] else (pair[1], pair[0])
            _give_way(context, tx, loser, winner)
        tx.journal.append("resolve", {"ids": list(pair), "keep": keep})
    return bool(found)


def _give_way(context: MemoryContext, tx: WriteTx, loser: int, winner: int) -> None:
    traces = tx.traces.get_many([loser, winner])
    for memory_id, trace in traces.items():
        if trace.status is Status.SUPERSEDED:
            raise InvalidInputError(
                f"memory {memory_id} is history already; nothing was changed",
                code="already_superseded",
            )
    ended = max(traces[loser].valid_from, context.clock.now())
    tx.traces.set_status([loser], Status.SUPERSEDED, valid_to=ended, superseded_by=winner)
    tx.links.remove(
        (link.src, link.dst, link.type) for link in tx.links.of([loser], [LinkType.CONFLICT])
    )
