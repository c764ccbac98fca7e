"""Laws of the forgetting curve."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from realmemory import MemoryConfig
from realmemory.clock import DAY
from realmemory.policies import decay
from realmemory.policies.retention import retention
from realmemory.store.records import Dynamics

CONFIG = MemoryConfig()
NOW = 1.7e9
STRENGTHS = st.floats(0.01, 1.0)
AGES = st.floats(-1_000 * DAY, 1_000 * DAY)
REWARDS = st.floats(-1.0, 1.0).filter(bool)


def trace(base: float, age: float) -> Dynamics:
    return Dynamics(1, base, 0, NOW - age)


@given(base=STRENGTHS, age=AGES)
def test_retention_lies_between_zero_and_the_strength_and_only_falls(base, age):
    now, later = (retention(base, NOW - age, at, CONFIG.tau_episodic) for at in (NOW, NOW + DAY))
    assert 0.0 <= later <= now <= base


@given(base=STRENGTHS)
def test_the_floor_is_reached_when_it_is_said_to_be(base):
    fell = decay.fell_below_floor_at(CONFIG, base, NOW, CONFIG.tau_episodic)
    at = retention(base, NOW, fell, CONFIG.tau_episodic)
    expected = min(base, CONFIG.min_retention_recall)
    assert math.isclose(at, expected, rel_tol=1e-6)


@given(base=STRENGTHS, age=AGES, reward=REWARDS)
def test_a_reward_moves_strength_its_own_way_and_within_bounds(base, age, reward):
    after = decay.rewarded(CONFIG, trace(base, age), reward, NOW)
    assert 0.0 < after.base_strength <= CONFIG.strength_cap
    if reward > 0:
        assert after.base_strength >= base
        assert after.last_reinforced_at >= NOW - age
    else:
        assert after.base_strength <= base
        assert after.last_reinforced_at == NOW - age


@given(base=STRENGTHS, age=AGES, small=st.floats(0.01, 1.0), large=st.floats(0.01, 1.0))
def test_a_larger_reward_moves_at_least_as_far(base, age, small, large):
    small, large = sorted((small, large))
    for sign in (1, -1):
        less = decay.rewarded(CONFIG, trace(base, age), sign * small, NOW).base_strength
        more = decay.rewarded(CONFIG, trace(base, age), sign * large, NOW).base_strength
        assert sign * (more - less) >= -1e-12


@given(base=STRENGTHS, rewards=st.lists(st.floats(-1.0, -0.1), max_size=20))
def test_no_punishment_is_final(base, rewards):
    state = trace(base, DAY)
    for reward in rewards:
        state = decay.rewarded(CONFIG, state, reward, NOW)
    healed = decay.rewarded(CONFIG, state, 1.0, NOW)
    assert healed.base_strength >= CONFIG.initial_strength


@given(base=STRENGTHS, gap=st.floats(0.0, 400 * DAY), longer=st.floats(0.0, 400 * DAY))
def test_a_longer_gap_never_teaches_less(base, gap, longer):
    gap, longer = sorted((gap, longer))
    close = decay.restated(CONFIG, trace(base, gap), NOW).base_strength
    spaced = decay.restated(CONFIG, trace(base, longer), NOW).base_strength
    assert spaced >= close
