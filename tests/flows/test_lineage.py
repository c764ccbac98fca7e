"""Forgetting and restoring versions in any order: one of a chain stands, and nothing is lost."""

from __future__ import annotations

import pytest

from realmemory import InvalidInputError, Status
from realmemory.clock import DAY

QUOTAS = tuple(f"The quota is {size} GB" for size in (10, 20, 30))
QUOTA = "what is the quota?"


@pytest.fixture
def versions(memory, clock):
    """Return the ids of three versions of a fact, each replaced by the next."""
    ids = [memory.remember(QUOTAS[0]).memory_id]
    for text in QUOTAS[1:]:
        clock.advance(DAY)
        ids.append(memory.update_fact(ids[-1], text).memory_id)
    return ids


@pytest.mark.parametrize("hard", [False, True])
def test_forgetting_a_version_in_the_middle_uncovers_nothing(memory, versions, hard):
    first, second, third = versions

    assert memory.forget(second, hard=hard).uncovered == ()
    assert memory.restore(first) == 0
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [third]
    with pytest.raises(InvalidInputError, match=f"Revise the live one, {third}"):
        memory.update_fact(first, "The quota is 40 GB")


@pytest.mark.parametrize("hard", [False, True])
def test_forgetting_versions_one_by_one_uncovers_them_one_by_one(memory, versions, hard):
    first, second, third = versions

    assert memory.forget(third, hard=hard).uncovered == (second,)
    assert memory.restore(first) == 0
    for old in (first, second):
        with pytest.raises(InvalidInputError, match=f"Restore {second} to make it current"):
            memory.update_fact(old, "The quota is 40 GB")
    assert memory.forget(second, hard=hard).uncovered == (first,)
    assert memory.restore(first) == 1
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [first]


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_forgetting_all_that_came_after_uncovers_what_was_before(memory, versions, hard, together):
    first, second, third = versions
    if not together:
        memory.forget(second)

    gone = [third, second] if together else third
    assert memory.forget(gone, hard=hard).uncovered == (first,)
    assert memory.restore(first) == 1
    assert memory.get(first).status is Status.ACTIVE


def test_a_version_that_was_forgotten_too_is_current_when_it_is_restored(memory, versions):
    first, second, third = versions
    assert memory.forget([second, third]).uncovered == (first,)
    assert memory.restore(second) == 1
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [second]
    assert memory.restore(first) == 0


def validity(memory, ids):
    return [(trace.status, trace.valid_to, trace.superseded_by) for trace in map(memory.get, ids)]


@pytest.mark.parametrize("again", ["restore", "remember"])
def test_a_revision_that_was_taken_back_replaces_again_when_it_comes_back(memory, versions, again):
    first, second, third = versions
    before = validity(memory, versions)
    memory.forget([second, third])
    memory.restore(first)

    if again == "restore":
        assert memory.restore(third) == 1
    else:
        assert memory.remember(QUOTAS[2]).memory_id == third
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [third]
    memory.restore(second)
    assert validity(memory, versions) == before


def test_what_replaces_a_restored_version_comes_after_the_forgotten_ones(memory, clock, versions):
    first, second, third = versions
    memory.forget([second, third])
    memory.restore(first)
    clock.advance(DAY)
    fourth = memory.update_fact(first, "The quota is 40 GB").memory_id

    assert memory.restore([second, third]) == 2
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [fourth]
    assert [trace.id for trace in memory.history(first)] == [*versions, fourth]
    assert memory.get(first).valid_to == memory.get(fourth).valid_from
    held = memory.recall(QUOTA, as_of=clock.now() - 1.0).items
    assert [hit.memory_id for hit in held] == [first]


def test_a_restored_version_that_is_erased_leaves_its_place_to_what_came_before(memory, versions):
    first, second, third = versions
    memory.forget(third)
    memory.restore(second)
    memory.forget(second, hard=True)
    memory.restore(first)
    assert memory.restore(third) == 1
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [third]
    assert [trace.id for trace in memory.history(third)] == [first, third]


def test_facts_that_one_had_replaced_stay_when_another_of_them_is_revised(memory):
    pair = [memory.remember(text).memory_id for text in ("Kim keeps the keys", "Tom pays the rent")]
    both = memory.update_fact(pair[0], "Lea does everything").memory_id
    memory.update_fact(pair[1], "Lea does everything")
    memory.forget(both)
    memory.restore(pair)

    memory.update_fact(pair[0], "Ann keeps the keys")
    assert memory.recall("who pays the rent?").items[0].memory_id == pair[1]
    memory.restore(both)
    assert memory.get(pair[1]).superseded_by == both


def test_a_revision_that_holds_before_an_announced_one_ends_what_held_till_then(memory, clock):
    old = memory.remember("The team has 5 members").memory_id
    later = clock.now() + 30 * DAY
    announced = memory.update_fact(old, "The team has 7 members", when=later).memory_id
    new = memory.update_fact(announced, "The team has 6 members").memory_id

    assert [hit.memory_id for hit in memory.recall("how many members?").items] == [new]
    assert memory.get(old).status is Status.SUPERSEDED
    assert memory.get(old).valid_to == clock.now()


@pytest.fixture
def orphan(memory, versions):
    """Return a forgotten version, all that came after it erased."""
    memory.forget(versions[0])
    memory.forget(versions[1:], hard=True)
    return versions[0]


def test_a_forgotten_version_that_is_said_again_holds_again(memory, orphan):
    assert memory.remember(QUOTAS[0]).memory_id == orphan
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [orphan]
    assert memory.get(orphan).valid_to is None


def test_a_reward_brings_history_back_as_history(memory, orphan):
    memory.feedback(orphan, 1.0)
    assert memory.get(orphan).status is Status.SUPERSEDED
    assert memory.restore(orphan) == 1
    assert [hit.memory_id for hit in memory.recall(QUOTA).items] == [orphan]


def test_a_version_of_several_facts_uncovers_each_of_them(memory):
    pair = [memory.remember(text).memory_id for text in ("Kim keeps the keys", "Tom pays the rent")]
    new = memory.update_fact(pair[0], "Lea does everything").memory_id
    assert memory.update_fact(pair[1], "Lea does everything").memory_id == new

    assert memory.forget(new).uncovered == tuple(pair)
    assert memory.restore(pair) == 2


def test_an_announced_end_does_not_come_early_for_what_is_restored(memory, clock):
    old = memory.remember("The team has 5 members").memory_id
    later = clock.now() + 30 * DAY
    new = memory.update_fact(old, "The team has 7 members", when=later).memory_id
    memory.forget(old)

    assert memory.restore(old) == 1
    assert [hit.memory_id for hit in memory.recall("how many members?").items] == [old, new]
    clock.advance(31 * DAY)
    memory.forget(old)
    assert memory.restore(old) == 1
    assert memory.get(old).status is Status.SUPERSEDED
