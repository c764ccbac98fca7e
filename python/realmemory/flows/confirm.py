"""A user's word: on what is held back, and on what seems to contradict itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import NotFoundError
from realmemory.flows import validation
from realmemory.store.records import LinkType
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
        traces = tx.traces.get_many(wanted)
        missing = [item for item in wanted if item not in traces]
        if missing:
            raise NotFoundError(f"there is no memory with the id {missing[0]}; nothing was changed")
        held = [item for item in wanted if traces[item].status is Status.QUARANTINED]
        if held:
            tx.traces.set_status(held, Status.ARCHIVED if reject else Status.ACTIVE)
            tx.journal.append("reject" if reject else "confirm", {"ids": held})
    return len(held)


def resolve(context: MemoryContext, first: int, second: int) -> bool:
    """Say that two traces in conflict are both true; return whether they were in conflict.

    Raises:
        NotFoundError: An id is unknown; nothing was changed.
    """
    ids = validation.checked_ids([first, second])
    with context.store.write() as tx:
        for item in ids:
            tx.traces.get(item)
        found = [
            link
            for link in tx.links.of(ids, [LinkType.CONFLICT])
            if {link.src, link.dst} == {first, second}
        ]
        if found:
            tx.links.remove([(link.src, link.dst, link.type) for link in found])
            tx.links.connect(first, second, LinkType.RESOLVED)
            tx.journal.append("resolve", {"ids": ids})
    return bool(found)
