"""Learning from use: rewards and explicit links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import validation
from realmemory.policies import decay, plasticity
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx


def feedback(context: MemoryContext, ids: Iterable[int] | int, reward: float) -> int:
    """Reward or weaken traces in proportion to ``reward``; return how many were touched.

    A positive reward also renews the timer, scales the binds that are not committed yet, and
    brings an archived trace back.

    Raises:
        InvalidInputError: An id or the reward is out of range; nothing was changed.
    """
    wanted = validation.checked_ids(ids)
    value = validation.checked_reward(reward)
    if not wanted or value == 0:
        return 0
    now = context.clock.now()
    with context.store.write() as tx:
        context.pending.flush(tx)
        touched = [item for item in wanted if _reward_one(context, tx, item, value, now)]
        tx.meta.add("pending_rewards", len(touched))
        tx.eligibility.scale(touched, factor=max(0.0, 1.0 + value))
        tx.journal.append("feedback", {"ids": touched, "reward": value})
    return len(touched)


def _reward_one(
    context: MemoryContext, tx: WriteTx, memory_id: int, reward: float, now: float
) -> bool:
    trace = tx.traces.get_many([memory_id]).get(memory_id)
    if trace is None:
        return False
    known = tx.traces.dynamics([memory_id])[memory_id]
    tx.traces.set_dynamics([decay.rewarded(context.config, known, reward, now)])
    if reward > 0:
        tx.usage.used([memory_id], now)
        if trace.status is Status.ARCHIVED:
            tx.traces.set_status([memory_id], Status.ACTIVE)
    return True


def link_memories(context: MemoryContext, ids: Iterable[int], strength: float) -> int:
    """Tie traces to each other, symmetrically; return the number of directed binds.

    Raises:
        InvalidInputError: Fewer than two distinct ids, or a strength outside (0, 1].
        NotFoundError: An id is unknown; nothing was changed.
    """
    wanted = validation.checked_ids(ids)
    if len(wanted) < 2:
        raise InvalidInputError(
            "linking needs at least two different memories; nothing was changed",
            code="invalid_id",
        )
    if not validation.checked_fraction(strength, "strength"):
        raise InvalidInputError(
            "strength must be above 0; nothing was changed", code="invalid_range"
        )
    with context.store.write() as tx:
        known = tx.traces.dynamics(wanted)
        for item in wanted:
            if item not in known:
                raise NotFoundError(f"memory {item} is unknown; nothing was linked")
        binds = plasticity.explicit_binds(wanted, strength, at=context.clock.now())
        tx.eligibility.add(binds)
        tx.journal.append("link", {"ids": wanted, "strength": strength})
    return len(binds)
