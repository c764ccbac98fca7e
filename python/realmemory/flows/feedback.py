"""Learning from use: rewards and explicit links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import validation
from realmemory.flows.forget import revive
from realmemory.policies import decay, plasticity
from realmemory.store.records import Link, LinkType
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx
    from realmemory.types import Trace

PACKET_S = 3_600.0
"""Seconds for which a reward still belongs to the packet that a trace was shown in."""
REWARDS = "pending_rewards"
"""Name in the store's facts of how many were rewarded since the last sleep."""
_RECALLS = 64
"""Latest recalls among which that packet is looked for."""


def feedback(context: MemoryContext, ids: Iterable[int] | int, reward: float) -> int:
    """Reward or weaken traces in proportion to ``reward``; return how many were touched.

    A negative reward counts by the confidence with which the trace was shown just before.
    A positive reward also renews the timer, scales the binds that are not committed yet, and
    brings an archived or a faded trace back.

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
        shown = _shown(tx, now) if value < 0 else {}
        touched = [
            item
            for item in wanted
            if _reward_one(context, tx, item, decay.news(value, shown.get(item)), now)
        ]
        if value > 0:
            _preserve_companions(context, tx, touched, value, now)
        tx.meta.add(REWARDS, len(touched))
        tx.eligibility.scale(touched, factor=max(0.0, 1.0 + value))
        tx.journal.append("feedback", {"ids": touched, "reward": value})
    return len(touched)


def _shown(tx: WriteTx, now: float) -> dict[int, float]:
    """Return the confidence with which each trace was last shown, where that was just before."""
    shown: dict[int, float] = {}
    for event in tx.journal.page(types=["recall"], newest_first=True, limit=_RECALLS):
        if 0 <= now - event.ts <= PACKET_S:
            hits = [*event.data.get("hits", ()), *event.data.get("beside", ())]
            for memory_id, confidence in hits:
                shown.setdefault(int(memory_id), float(confidence))
    return shown


def _reward_one(
    context: MemoryContext, tx: WriteTx, memory_id: int, reward: float, now: float
) -> bool:
    trace = tx.traces.get_many([memory_id]).get(memory_id)
    if trace is None:
        return False
    lost = trace.status is Status.ARCHIVED or _faded(context, trace, now)
    known = tx.traces.dynamics([memory_id])[memory_id]
    changed = decay.rewarded(context.config, known, reward, now, pinned=trace.pinned)
    tx.traces.set_dynamics([changed])
    if reward > 0:
        tx.usage.used([memory_id], now)
        if lost:
            revive(context, tx, [trace])
    return True


def _faded(context: MemoryContext, trace: Trace, now: float) -> bool:
    """Say whether time took an active trace below the floor, not an earlier verdict."""
    if trace.status is not Status.ACTIVE or decay.weakened(context.config, trace.base_strength):
        return False
    return decay.below_floor(context.config, trace, now)


def _preserve_companions(
    context: MemoryContext, tx: WriteTx, rewarded: list[int], reward: float, now: float
) -> None:
    """Renew part of the timer of what was shown together with a rewarded trace just before."""
    shown = tx.eligibility.partners(rewarded, cause=plasticity.CO_RECALL, since=now - PACKET_S)
    share = reward * context.config.preserve_share
    tx.traces.set_dynamics(
        decay.preserved(known, share, now) for known in tx.traces.dynamics(shown).values()
    )


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
        now = context.clock.now()
        binds = plasticity.explicit_binds(wanted, strength, at=now)
        tx.eligibility.add(binds)
        stated = [(bind.src, bind.dst) for bind in binds]
        tx.links.put(Link(src, dst, LinkType.RELATED, strength, now) for src, dst in stated)
        tx.journal.append("link", {"ids": wanted, "strength": strength})
    return len(binds)
