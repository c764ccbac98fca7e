"""Which version of something stands, whatever was forgotten and brought back in between.

A version that is made current again keeps a tie to what had replaced it, which is forgotten: when
that comes back it has replaced it as before, and what replaces the older one later comes after both.
So a chain never has two versions that stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Link, LinkType
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx
    from realmemory.types import Trace


def reinstate(context: MemoryContext, tx: WriteTx, trace: Trace) -> None:
    """Let a version stand without an end although others, forgotten by now, had come after it."""
    tx.traces.set_validity(trace.id, valid_from=trace.valid_from, valid_to=None, successor=None)
    if trace.superseded_by is not None and trace.valid_to is not None:
        ends = (trace.id, trace.superseded_by, LinkType.RESTORED)
        tx.links.put([Link(*ends, trace.valid_to, context.clock.now())])


def rejoin(context: MemoryContext, tx: WriteTx, ids: Iterable[int]) -> None:
    """Let versions that stand again replace what was made current while they were forgotten."""
    found = tx.traces.get_many(ids).values()
    standing = [trace.id for trace in found if trace.status is Status.ACTIVE]
    _retie(context, tx, tx.succession.stood_in(standing))


def make_way(context: MemoryContext, tx: WriteTx, old: Trace, new_id: int) -> int:
    """Keep one line where a version is replaced that forgotten ones are tied to.

    Returns:
        What comes right after the old version: the first of the forgotten ones that had replaced
        it before, where the new one comes after the last of them; else ``new_id``.
    """
    before = tx.succession.stood_in([old.id])
    # What the old version had replaced, and what stands instead of it now, comes after it.
    _untie(tx, [tie for tie in before if tie.src == new_id])
    _retie(context, tx, [tie for tie in before if tie.src != new_id])
    ties, line = _tied_to(tx, old.id)
    _untie(tx, ties[:1])
    # What had replaced others, too, which stand, is left to them.
    if not line or set(tx.succession.stood_in(line[-1:])) - set(ties):
        return new_id
    _retie(context, tx, ties[1:])
    if new_id not in line:
        last = tx.traces.get(line[-1])
        # It never held: what it had replaced did, until now.
        tx.traces.set_validity(
            last.id, valid_from=last.valid_from, valid_to=last.valid_from, successor=new_id
        )
    return line[0]


def end_by(
    context: MemoryContext, tx: WriteTx, trace: Trace, when: float, successor: int | None = None
) -> None:
    """Let a version that still held, or lies in the archive, hold until a time at most."""
    over = trace.status is Status.ACTIVE and when <= context.clock.now()
    status = Status.SUPERSEDED if over else trace.status
    # One that was to begin later never holds.
    ended = max(when, trace.valid_from)
    tx.traces.set_status([trace.id], status, valid_to=ended, superseded_by=successor)


def _tied_to(tx: WriteTx, version: int) -> tuple[list[Link], list[int]]:
    """Return the ties that lead on from a version, and all forgotten ones that they lead to."""
    ties: list[Link] = []
    line: list[int] = []
    while tie := next(iter(tx.links.outgoing(line[-1:] or [version], LinkType.RESTORED)), None):
        if tie in ties:
            break
        ties.append(tie)
        line += [tie.dst, *tx.succession.after(tie.dst)]
    return ties, line


def _untie(tx: WriteTx, ties: Iterable[Link]) -> None:
    tx.links.remove((tie.src, tie.dst, tie.type) for tie in ties)


def _retie(context: MemoryContext, tx: WriteTx, ties: Sequence[Link]) -> None:
    """Let versions that were made current again give way as they had before."""
    for tie in ties:
        end_by(context, tx, tx.traces.get(tie.src), tie.weight, tie.dst)
    _untie(tx, ties)
