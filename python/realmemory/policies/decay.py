"""Trace dynamics: how retention fades, how use renews it, when a trace is promoted or archived.

Exponential forgetting with a strength that reinforcement raises follows the reference design.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.policies.retention import retention
from realmemory.store.records import Dynamics
from realmemory.types import Kind

if TYPE_CHECKING:
    from realmemory.config import MemoryConfig
    from realmemory.store.records import TraceState
    from realmemory.types import Trace

_WEAKEST = 0.01
_EVIDENT = 0.5


def time_constant(config: MemoryConfig, kind: Kind) -> float:
    """Return the time constant of a kind in seconds; infinite means that it does not fade."""
    return time_constants(config)[list(Kind).index(kind)]


def time_constants(config: MemoryConfig) -> tuple[float, float, float]:
    """Return the time constants of all kinds, in the order of :class:`Kind`."""
    return (config.tau_episodic, config.tau_semantic, config.tau_turn)


def retention_of(config: MemoryConfig, state: TraceState | Trace, now: float) -> float:
    """Return the retention of a trace; a pinned one does not fade."""
    tau = math.inf if state.pinned else time_constant(config, state.kind)
    return retention(state.base_strength, state.last_reinforced_at, now, tau)


def below_floor(config: MemoryConfig, state: TraceState | Trace, now: float) -> bool:
    """Say whether the ordinary pass of recall leaves a trace out."""
    return retention_of(config, state, now) < config.min_retention_recall


def weakened(config: MemoryConfig, base: float) -> bool:
    """Say whether feedback took a trace below the floor, where even a fresh one is left out."""
    return base < config.min_retention_recall


def starting_strength(config: MemoryConfig, importance: float) -> float:
    """Return the base strength of a new trace; importance in [0, 1] lifts it to the cap."""
    return config.initial_strength + importance * (config.strength_cap - config.initial_strength)


def spacing(config: MemoryConfig, gap: float) -> float:
    """Return how much a reinforcement counts after ``gap`` seconds without one, in (0, 1].

    Repetition teaches less the closer it follows (spacing effect, Cepeda et al. 2006):
    ``w + (1 - w) * (1 - exp(-gap / tau_spacing))``, where w is the weight of massed repetition.
    """
    fresh = 1.0 - math.exp(-max(0.0, gap) / config.tau_spacing)
    return config.massed_weight + (1.0 - config.massed_weight) * fresh


def restated(config: MemoryConfig, known: Dynamics, now: float) -> Dynamics:
    """Return the dynamics of a trace whose fact was stated again.

    It is at least as strong as a new trace, so that a weakened one can be learned anew.
    """
    bump = _bump(config, now - known.last_reinforced_at, 1.0)
    base = min(config.strength_cap, max(known.base_strength, config.initial_strength) * bump)
    return _reinforced(known, base, now, 1.0)


def rewarded(
    config: MemoryConfig, known: Dynamics, reward: float, now: float, *, pinned: bool = False
) -> Dynamics:
    """Return the dynamics of a trace after a reward in [-1, 1], in proportion to its size.

    A positive reward scales the bump and the renewal of the timer, and lifts a weakened trace
    that share of its way back to the strength of a new one; a negative one shrinks the strength.
    However often a mild verdict is repeated, it takes a trace no lower than once a new one: that
    it did not answer one question says little about the next. A pinned trace stays in recall.
    """
    base = known.base_strength
    if reward <= 0:
        share = 1.0 + reward
        least = max(
            _WEAKEST, least_of_pinned(config) if pinned else config.initial_strength * share
        )
        return known._replace(base_strength=min(base, max(least, base * share)))
    grown = base * _bump(config, now - known.last_reinforced_at, reward)
    healed = base + reward * (config.initial_strength - base)
    return _reinforced(known, min(config.strength_cap, max(grown, healed)), now, reward)


def news(reward: float, confidence: float | None) -> float:
    """Return what a verdict says of a trace that was shown with a confidence, None for not shown.

    That a hit of confidence 0.02 did not help is what the memory said itself.
    """
    return reward if reward >= 0 or confidence is None else reward * confidence


def least_of_pinned(config: MemoryConfig) -> float:
    """Return the strength at which a trace that does not fade is still recalled."""
    return config.min_retention_recall


def preserved(known: Dynamics, share: float, now: float) -> Dynamics:
    """Return the dynamics of a trace that helped without being named: a share of a new timer."""
    return known._replace(last_reinforced_at=_renewed(known.last_reinforced_at, share, now))


def revived(config: MemoryConfig, known: Dynamics, now: float) -> Dynamics:
    """Return the dynamics of a trace that came back from the archive."""
    base = max(known.base_strength, config.initial_strength)
    return known._replace(
        base_strength=base, last_reinforced_at=_renewed(known.last_reinforced_at, 1.0, now)
    )


def _bump(config: MemoryConfig, gap: float, share: float) -> float:
    return 1.0 + (config.reinforce_bump - 1.0) * spacing(config, gap) * share


def _renewed(last: float, share: float, now: float) -> float:
    return last + share * max(0.0, now - last)


def _reinforced(known: Dynamics, base: float, now: float, share: float) -> Dynamics:
    another_day = math.floor(now / DAY) > math.floor(known.last_reinforced_at / DAY)
    return Dynamics(
        known.id,
        base_strength=base,
        reinforced_count=known.reinforced_count + 1,
        last_reinforced_at=_renewed(known.last_reinforced_at, share, now),
        reinforced_days=known.reinforced_days + (another_day and share >= _EVIDENT),
    )


def promotable(
    config: MemoryConfig, *, kind: Kind, reinforced_days: int, created_at: float, now: float
) -> bool:
    """Say whether an episode has earned to become semantic knowledge.

    What counts is on how many days it was confirmed, not how often within one.
    """
    return (
        kind is Kind.EPISODIC
        and reinforced_days >= config.promote_after_reinforcements
        and now - created_at >= config.promote_min_age_s
    )


def fell_below_floor_at(config: MemoryConfig, base: float, last: float, tau: float) -> float:
    """Return when retention reaches the recall floor; infinite when it never does.

    Tests use this; the store computes the same of every row (``store/fading.py``).
    """
    if math.isinf(tau):
        return math.inf
    if base <= config.min_retention_recall:
        return last
    return last + tau * math.log(base / config.min_retention_recall)
