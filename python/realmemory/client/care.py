"""What an async program does to memories beside storing and asking, and to the whole memory."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from realmemory.client import items
from realmemory.client.opened import Opened
from realmemory.errors import NotFoundError
from realmemory.flows import validation
from realmemory.flows.reembed import reembed
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ConsolidationReport, UndoReport

_Result = TypeVar("_Result")


class Care(Opened):
    """Teaching, settling, releasing and upkeep, under the names of :class:`realmemory.Hippocampus`.

    An id that is not visible in the namespace is as good as unknown.
    """

    async def feedback(self, ids: Iterable[int] | int, reward: float) -> int:
        """Reward (up to 1) or weaken (down to -1) memories after use; return how many.

        Unknown ids are ignored.

        Raises:
            InvalidInputError: The reward lies outside [-1, 1].
        """
        wanted = validation.checked_ids(ids)
        return await self._call(
            lambda memory: memory.feedback(list(filter(self._seen_in(memory), wanted)), reward)
        )

    async def link_memories(self, ids: Iterable[int], strength: float = 1.0) -> int:
        """Say that memories belong together; return the number of directed binds.

        Raises:
            InvalidInputError: Fewer than two ids, or a strength outside (0, 1].
            NotFoundError: An id is unknown, or not visible here.
        """
        return await self._of(ids, lambda memory, wanted: memory.link_memories(wanted, strength))

    async def resolve(self, one_id: int, other_id: int, *, keep: int | str) -> bool:
        """Settle what two memories say differently; return whether they were in conflict.

        Args:
            one_id: One of the two.
            other_id: The other.
            keep: The id of the one that holds (the other becomes history), or ``both``.

        Raises:
            InvalidInputError: ``keep`` is neither of the two nor ``both``, or one is history.
            NotFoundError: Unknown, or not visible here.
        """
        return await self._of(
            [one_id, other_id], lambda memory, _: memory.resolve(one_id, other_id, keep=keep)
        )

    async def confirm(self, ids: Iterable[int] | int, *, reject: bool = False) -> int:
        """Let memories that were held back into recall; return how many were held back.

        Args:
            ids: The memories.
            reject: Put them into the archive instead.

        Raises:
            NotFoundError: An id is unknown, or not visible here.
        """
        return await self._of(ids, lambda memory, wanted: memory.confirm(wanted, reject=reject))

    async def restore(self, ids: Iterable[int] | int) -> int:
        """Bring archived and faded memories back; return how many came back.

        Raises:
            NotFoundError: An id is unknown, was erased, or is not visible here.
        """
        return await self._of(ids, lambda memory, wanted: memory.restore(wanted))

    async def pin(self, ids: Iterable[int] | int) -> int:
        """Keep memories from fading; return how many were not pinned before."""
        return await self._of(ids, lambda memory, wanted: memory.pin(wanted))

    async def unpin(self, ids: Iterable[int] | int) -> int:
        """Let memories fade again; return how many were pinned before."""
        return await self._of(ids, lambda memory, wanted: memory.unpin(wanted))

    async def count(self, *, status: str | None = Status.ACTIVE) -> int:
        """Return how many memories this namespace sees; None counts those of every status."""
        return await self._call(lambda memory: memory.count(scope=self.scope, status=status))

    async def stats(self) -> dict[str, Any]:
        """Return what the whole database holds and what happened to it."""
        return await self._call(lambda memory: memory.stats())

    async def consolidate(
        self, *, dry_run: bool = False, if_due: bool = False
    ) -> ConsolidationReport:
        """Let the whole database sleep, see :meth:`realmemory.Hippocampus.consolidate`."""
        return await self._call(lambda memory: memory.consolidate(dry_run=dry_run, if_due=if_due))

    async def undo(self, run: str | None = None) -> UndoReport:
        """Take back what a sleep archived and promoted; None means the last that moved anything.

        Raises:
            NotFoundError: No such sleep is in the journal; nothing was changed.
        """
        return await self._call(lambda memory: memory.undo(run))

    async def reembed(self, batch_size: int = 64) -> dict[str, Any]:
        """Fill in the vectors that are missing, for the whole database; resumable.

        Returns:
            The fields of :class:`realmemory.flows.reembed.ReembedReport`.
        """
        report = await self._call(lambda memory: reembed(memory.context, batch=batch_size))
        return asdict(report)

    async def _of(
        self,
        ids: Iterable[int] | int,
        function: Callable[[Hippocampus, list[int]], _Result],
    ) -> _Result:
        """Call a function with ids all of which are visible here."""
        wanted = validation.checked_ids(ids)

        def called(memory: Hippocampus) -> _Result:
            for memory_id in wanted:
                items.visible(memory, memory_id, self.scope)
            return function(memory, wanted)

        return await self._call(called)

    def _seen_in(self, memory: Hippocampus) -> Callable[[int], bool]:
        def seen(memory_id: int) -> bool:
            try:
                items.visible(memory, memory_id, self.scope)
            except NotFoundError:
                return False
            return True

        return seen
