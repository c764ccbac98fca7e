"""The part of the facade that tends what is known: reward, tie, settle, release, forget, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory import flows
from realmemory.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.outcomes import ForgetReceipt


class Curation(Upkeep):
    """What is done to memories by their ids, once their use has shown what they are worth."""

    def feedback(self, ids: Iterable[int] | int, reward: float) -> int:
        """Reward (up to 1) or weaken (down to -1) memories after use; return how many.

        Unknown ids are ignored.

        Raises:
            InvalidInputError: The reward lies outside [-1, 1].
        """
        return flows.feedback.feedback(self._context, ids, reward)

    def link_memories(self, ids: Iterable[int], strength: float = 1.0) -> int:
        """Say that memories belong together; return the number of directed binds.

        Raises:
            InvalidInputError: Fewer than two ids, or a strength outside (0, 1].
            NotFoundError: An id is unknown.
        """
        return flows.feedback.link_memories(self._context, ids, strength)

    def resolve(self, one_id: int, other_id: int, *, keep: int | str) -> bool:
        """Settle what two memories say differently; return whether they were in conflict.

        Args:
            one_id: One of the two.
            other_id: The other.
            keep: The id of the one that holds (the other becomes history), or ``both``.

        Raises:
            InvalidInputError: ``keep`` is neither of the two nor ``both``, or one is history.
            NotFoundError: Unknown id.
        """
        return flows.resolve.resolve(self._context, one_id, other_id, keep=keep)

    def confirm(self, ids: Iterable[int] | int, *, reject: bool = False) -> int:
        """Let memories that were held back into recall; return how many were held back.

        Args:
            ids: The memories.
            reject: Put them into the archive instead.

        Raises:
            NotFoundError: An id is unknown; nothing was changed.
        """
        return flows.confirm.confirm(self._context, ids, reject=reject)

    def forget(
        self, ids: Iterable[int] | int, *, hard: bool = False, backups: str = "keep"
    ) -> ForgetReceipt:
        """Take memories out of recall; they stay restorable unless ``hard`` erases them.

        Args:
            ids: The memories.
            hard: Erase the texts for good.
            backups: What a hard forget does about backups: ``keep`` names those that still hold
                the text, ``rewrite`` frees them of it.

        Raises:
            NotFoundError: An id was never known; nothing was forgotten.
        """
        return flows.forget.forget(self._context, ids, hard=hard, backups=backups)

    def restore(self, ids: Iterable[int] | int) -> int:
        """Bring archived and faded memories back; return how many came back.

        A superseded one is current again once all that came after it was forgotten.

        Raises:
            NotFoundError: An id is unknown or was erased.
        """
        return flows.forget.restore(self._context, ids)

    def pin(self, ids: Iterable[int] | int) -> int:
        """Keep memories from fading; return how many were not pinned before."""
        return flows.forget.set_pinned(self._context, ids, pinned=True)

    def unpin(self, ids: Iterable[int] | int) -> int:
        """Let memories fade again; return how many were pinned before."""
        return flows.forget.set_pinned(self._context, ids, pinned=False)
