"""What may be shared: nothing by default, and the rule that says no is always the same one."""

from __future__ import annotations

import dataclasses

import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.policies.sharing import ProjectRule, Shareability, SharingPolicy, classify
from realmemory.types import Kind, Origin, Status

NOW = 1.7e9
SHOP = SharingPolicy(projects=(ProjectRule("shop"),))


@pytest.fixture(scope="module")
def fact(tmp_path_factory):
    """A memory that everything speaks for."""
    with Hippocampus.open(tmp_path_factory.mktemp("m"), clock=FakeClock(NOW - 60)) as memory:
        written = memory.remember("The backup runs at noon", scope="shop", kind="semantic")
        trace = memory.get(written.memory_id)
    return dataclasses.replace(trace, reinforced_count=2)


def verdict(fact, policy=SHOP, findings=(), **changes):
    return classify(policy, dataclasses.replace(fact, **changes), findings, NOW).status


def test_nothing_is_shareable_by_default(fact):
    assert verdict(fact, SharingPolicy()) is Shareability.NOT_SHAREABLE_PROJECT
    assert verdict(fact) is Shareability.ELIGIBLE


# Each step takes one more thing away; the first rule that says no is the answer.
STEPS = (
    (Shareability.TOO_LITTLE_REINFORCED, {"reinforced_count": 1}),
    (Shareability.NOT_SHAREABLE_KIND, {"kind": Kind.EPISODIC}),
    (Shareability.NOT_ACTIVE, {"status": Status.ARCHIVED}),
    (Shareability.NOT_SHAREABLE_PROJECT, {"scope": "depot"}),
    (Shareability.BLOCKED, {"tags": ("Private ",)}),
)


@pytest.mark.parametrize("count", range(1, len(STEPS) + 1))
def test_rules_have_their_order(fact, count):
    changes = {}
    for _, change in STEPS[:count]:
        changes |= change
    assert verdict(fact, **changes) is STEPS[count - 1][0]


@pytest.mark.parametrize(
    "changes",
    [
        {"tags": ("credentials",)},
        {"meta": {"tags": ["x", "SECRET"]}},
        {"meta": {"tags": "private"}},
        {"origin": Origin.PEER},
        {"text": "The API key = is in the safe"},
    ],
)
def test_some_things_never_leave(fact, changes):
    policy = dataclasses.replace(SHOP, never_patterns=(r"api key\s*=",))
    assert verdict(fact, policy, **changes) is Shareability.BLOCKED


def test_whatever_the_screen_finds_never_leaves(fact):
    said = classify(SHOP, fact, ["personal:email"], NOW)
    assert said.status is Shareability.BLOCKED
    assert "personal:email" in said.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.SUPERSEDED},
        {"status": Status.QUARANTINED},
        {"valid_to": NOW - 1},
        {"expires_at": NOW - 1},
        {"valid_from": NOW + 60},
        {"observed_at": NOW + 60},
    ],
)
def test_only_what_holds_now_is_shared(fact, changes):
    assert verdict(fact, **changes) is Shareability.NOT_ACTIVE


def test_a_project_may_have_rules_of_its_own_and_zero_is_one(fact):
    loose = SharingPolicy(projects=(ProjectRule("Shop", (Kind.EPISODIC,), 0),))
    assert verdict(fact, loose, kind=Kind.EPISODIC, reinforced_count=0) is Shareability.ELIGIBLE
    assert verdict(fact, loose) is Shareability.NOT_SHAREABLE_KIND
    none = SharingPolicy(projects=(ProjectRule("shop", ()),))
    assert verdict(fact, none) is Shareability.NOT_SHAREABLE_KIND
    assert verdict(fact, kind=Kind.TURN) is Shareability.NOT_SHAREABLE_KIND
