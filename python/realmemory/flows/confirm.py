"""A user's word on what is held back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.flows import validation
from realmemory.flows.forget import known
from realmemory.store.index_rows import FORGOTTEN_KEY
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.flows.context import MemoryContext


def confirm(context: MemoryContext, ids: Iterable[int] | int, *, reject: bool = False) -> int:
    """Let quarantined traces into recall, or archive them; return how many were held back.

    Raises:
        NotFoundError: An id is unknown; nothing was changed.
    """
    wanted = validation.checked_ids(ids)
    with context.store.write() as tx:
        held = [item.id for item in known(tx, wanted) if item.status is Status.QUARANTINED]
        if held:
            tx.traces.set_status(held, Status.ARCHIVED if reject else Status.ACTIVE)
            for memory_id in held if reject else ():
                # Unlike what faded by itself, it answers nothing.
                tx.traces.merge_meta(memory_id, {FORGOTTEN_KEY: True})
            tx.journal.append("reject" if reject else "confirm", {"ids": held})
    return len(held)
