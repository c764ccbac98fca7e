"""Trace dynamics: how retention fades, how use renews it, when a trace is promoted or archived.

Exponential forgetting with a strength that reinforcement raises follows the reference design;
see ARCHITECTURE.md for where each formula is used.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from realmemory.types import Kind

if TYPE_CHECKING:
    from realmemory.config import MemoryConfig
    from realmemory.store.records import TraceState

_VANISHED = 1e-9
_WEAKEST = 0.01


def time_constant(config: MemoryConfig, kind: Kind) -> float:
    """Return the time constant of a kind in seconds; infinite means that it does not fade."""
    return time_constants(config)[list(Kind).index(kind)]


def time_constants(config: MemoryConfig) -> tuple[float, float, float]:
    """Return the time constants of all kinds, in the order of :class:`Kind`."""
    return (config.tau_episodic, config.tau_semantic, config.tau_turn)


def retention(base: float, last_reinforced_at: float, now: float, tau: float) -> float:
    """Return ``base * exp(-age / tau)`` in [0, 1]; a trace from the future has not aged."""
    age = max(0.0, now - last_reinforced_at)
    value = base * math.exp(-age / tau)
    return 0.0 if value < _VANISHED else min(1.0, value)


def retention_of(config: MemoryConfig, state: TraceState, now: float) -> float:
    """Return the retention of a trace; a pinned one does not fade."""
    tau = math.inf if state.pinned else time_constant(config, state.kind)
    return retention(state.base_strength, state.last_reinforced_at, now, tau)


def retention_weight(value: float) -> float:
    """Return the factor by which retention scales relevance: ``0.3 + 0.7 * r``."""
    return 0.3 + 0.7 * value


def reinforced(config: MemoryConfig, base: float) -> float:
    """Return the base strength after the text was stated again.

    At least the strength of a new trace, so that a weakened one can be learned anew.
    """
    return min(config.strength_cap, max(base, config.initial_strength) * config.reinforce_bump)


def rewarded(config: MemoryConfig, base: float, reward: float) -> float:
    """Return the base strength after a reward in [-1, 1], in proportion to its size.

    A positive reward scales the reinforcement bump; a negative one shrinks the strength, but
    never to a point from which it cannot come back.
    """
    if reward > 0:
        bump = 1.0 + (config.reinforce_bump - 1.0) * reward
        return min(config.strength_cap, max(base, _WEAKEST) * bump)
    return max(_WEAKEST, base * (1.0 + reward))


def promotable(
    config: MemoryConfig, *, kind: Kind, reinforced_count: int, created_at: float, now: float
) -> bool:
    """Say whether an episode has earned to become semantic knowledge."""
    return (
        kind is Kind.EPISODIC
        and reinforced_count >= config.promote_after_reinforcements
        and now - created_at >= config.promote_min_age_s
    )


def fell_below_floor_at(config: MemoryConfig, base: float, last: float, tau: float) -> float:
    """Return when retention reaches the recall floor; infinite when it never does."""
    if math.isinf(tau):
        return math.inf
    if base <= config.min_retention_recall:
        return last
    return last + tau * math.log(base / config.min_retention_recall)
