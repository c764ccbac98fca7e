"""Settling a conflict: one of two memories holds, or both do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError
from realmemory.flows import validation
from realmemory.flows.forget import known
from realmemory.flows.revise import supersede
from realmemory.store.records import LinkType
from realmemory.types import Status

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx
    from realmemory.types import Trace

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
        traces = {trace.id: trace for trace in known(tx, pair)}
        found = [
            (link.src, link.dst, link.type)
            for link in tx.links.of(pair, [LinkType.CONFLICT])
            if {link.src, link.dst} == set(pair)
        ]
        tx.links.remove(found)
        if keep == BOTH:
            tx.links.connect(*pair, LinkType.RESOLVED)
        else:
            winner, loser = pair if keep == pair[0] else reversed(pair)
            _give_way(context, tx, traces[loser], traces[winner])
        tx.journal.append("resolve", {"ids": list(pair), "keep": keep})
    return bool(found)


def _give_way(context: MemoryContext, tx: WriteTx, loser: Trace, winner: Trace) -> None:
    for trace in (loser, winner):
        if trace.status is Status.SUPERSEDED:
            raise InvalidInputError(
                f"memory {trace.id} is history already; nothing was changed",
                code="already_superseded",
            )
    # Two that come after each other would both be history once that time has come.
    if loser.superseded_by is not None or loser.id in tx.succession.after(winner.id):
        revised = winner.id if loser.superseded_by is None else loser.id
        raise InvalidInputError(
            f"a revision of memory {revised} is announced; nothing was changed. To take that back, "
            f"forget it and restore {revised}.",
            code="already_superseded",
        )
    supersede(context, tx, loser, winner.id, context.clock.now())
