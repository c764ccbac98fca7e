"""Forgetting on request, and its undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import NotFoundError
from realmemory.flows import validation
from realmemory.store.records import Dynamics
from realmemory.types import ForgetReceipt, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace


def forget(context: MemoryContext, ids: Iterable[int] | int, *, hard: bool) -> ForgetReceipt:
    """Archive traces, or with ``hard`` erase them; forgetting twice is harmless.

    A hard forget removes the text from rows, variants, keyword index, vectors and the
    write-ahead log; the receipt names the backups that still hold it.

    Raises:
        NotFoundError: An id was never known; nothing was forgotten.
    """
    wanted = validation.checked_ids(ids)
    with context.store.write() as tx:
        context.pending.flush(tx)
        traces = tx.traces.get_many(wanted)
        buried = tx.traces.deleted_ids(wanted)
        for memory_id in wanted:
            if memory_id not in traces and memory_id not in buried:
                raise NotFoundError(f"memory {memory_id} is unknown; nothing was forgotten")
        gone = [item for item in wanted if item in traces and (hard or _live(traces[item]))]
        if hard:
            tx.traces.delete(gone)
        else:
            tx.traces.set_status(gone, Status.ARCHIVED)
        tx.journal.append("forget", {"ids": gone, "hard": hard})
    if hard:
        context.index.discard_snapshots()
        context.store.checkpoint()
    return ForgetReceipt(
        forgotten=tuple(gone),
        already_forgotten=tuple(item for item in wanted if item not in gone),
        hard=hard,
    )


def _live(trace: Trace) -> bool:
    return trace.status is not Status.ARCHIVED


def restore(context: MemoryContext, ids: Iterable[int] | int) -> int:
    """Bring archived traces back with a fresh timer; return how many came back.

    Raises:
        NotFoundError: An id is unknown or was erased; nothing was restored.
    """
    wanted = validation.checked_ids(ids)
    now = context.clock.now()
    with context.store.write() as tx:
        traces = _known(tx, wanted)
        back = [item for item in traces if item.status is Status.ARCHIVED]
        tx.traces.set_status([item.id for item in back], Status.ACTIVE)
        tx.traces.set_dynamics(
            Dynamics(
                item.id,
                base_strength=max(item.base_strength, context.config.initial_strength),
                reinforced_count=item.reinforced_count,
                last_reinforced_at=max(item.last_reinforced_at, now),
            )
            for item in back
        )
        tx.journal.append("restore", {"ids": [item.id for item in back]})
    return len(back)


def set_pinned(context: MemoryContext, ids: Iterable[int] | int, *, pinned: bool) -> int:
    """Protect traces from fading, or stop doing so; return how many changed.

    Raises:
        NotFoundError: An id is unknown; nothing was changed.
    """
    wanted = validation.checked_ids(ids)
    with context.store.write() as tx:
        changed = [item.id for item in _known(tx, wanted) if item.pinned is not pinned]
        tx.traces.pin(changed, pinned=pinned)
        tx.journal.append("pin" if pinned else "unpin", {"ids": changed})
    return len(changed)


def _known(view: ReadView, ids: Sequence[int]) -> list[Trace]:
    traces = view.traces.get_many(ids)
    for memory_id in ids:
        if memory_id not in traces:
            raise NotFoundError(f"memory {memory_id} is unknown or was erased; nothing was changed")
    return [traces[memory_id] for memory_id in ids]
