"""What happens again is kept again, with its own time; what is only said again is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from realmemory import WriteRequest

WATERED = "Watered the plants in the living room"
DAYS = (1, 8, 15, 22)


def november(day: int, hour: int = 10) -> float:
    return datetime(2026, 11, day, hour, tzinfo=UTC).timestamp()


def asked(memory, question, **options):
    packet = memory.recall(question, now=november(30), **options)
    return [item.observed_at for item in packet.items]


def test_what_happened_on_several_days_is_found_by_each(memory):
    results = [memory.remember(WATERED, when=november(day)) for day in DAYS]

    assert all(result.created for result in results)
    assert all(result.conflicts == () for result in results)
    for day in DAYS:
        assert asked(memory, f"What happened on November {day}?") == [november(day)]


def test_an_event_is_linked_to_when_it_happened_before(memory):
    first = memory.remember(WATERED, when=november(1))
    again = memory.remember(WATERED, when=november(8))

    assert again.decision.action == "link"
    assert again.decision.reasons == ("occasion",)
    assert first.memory_id in again.decision.related_ids


def test_the_same_event_told_again_is_one_memory(memory):
    told = [memory.remember(WATERED, when=november(day)) for day in DAYS]
    again = [memory.remember(WATERED, when=november(day)) for day in DAYS]
    reworded = memory.remember("In the living room watered the plants", when=november(15))

    assert [one.memory_id for one in again] == [one.memory_id for one in told]
    assert reworded.memory_id == told[2].memory_id
    assert not any(one.created for one in again)


def test_a_date_alone_is_the_whole_day(memory):
    known = memory.remember(WATERED, when=november(1, hour=0))

    assert memory.remember(WATERED, when=november(1, hour=19)).memory_id == known.memory_id


def test_hours_apart_are_two_events(memory):
    memory.remember("Took the blue pill", when=november(1, hour=8))

    assert memory.remember("Took the blue pill", when=november(1, hour=20)).created


def test_what_is_repeated_without_a_time_is_the_last_time(memory):
    told = [memory.remember(WATERED, when=november(day)) for day in (8, 22, 1)]

    assert memory.remember(WATERED).memory_id == told[1].memory_id


def test_without_a_time_the_same_text_is_one_memory(memory, clock):
    ids = set()
    for _ in range(5):
        ids.add(memory.remember("The gate key hangs behind the door").memory_id)
        clock.advance(3 * 86_400.0)

    assert len(ids) == 1


def test_a_state_that_returns_is_later_than_what_came_between(memory):
    broken = "The lift in the harbour house is broken"
    repaired = "The lift in the harbour house is repaired"
    first = memory.remember(broken, when=november(1))
    memory.remember(repaired, when=november(5))
    last = memory.remember(broken, when=november(25))

    assert last.created
    assert last.memory_id != first.memory_id
    assert max(asked(memory, "lift in the harbour house")) == november(25)
    assert memory.get(first.memory_id).observed_at == november(1)


@pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
def test_a_batch_decides_as_single_writes_do(memory, known):
    days = (1, 8, 1, 15, 8, 22)
    times = [*map(november, days), None]
    if known:
        for scope in ("batch", "single"):
            memory.remember(WATERED, scope=scope, when=november(8))
    batch = memory.remember_many(
        [WriteRequest(text=WATERED, scope="batch", when=when) for when in times]
    )
    single = [memory.remember(WATERED, scope="single", when=when) for when in times]

    assert [one.created for one in batch] == [one.created for one in single]
    assert sum(one.created for one in batch) == len(DAYS) - known


def test_of_many_occasions_each_is_known_again(memory):
    days = [WriteRequest(text=WATERED, when=november(1) + day * 86_400.0) for day in range(40)]
    first = memory.remember_many(days)
    again = memory.remember_many(days)

    assert [one.memory_id for one in again] == [one.memory_id for one in first]
    assert max(len(one.decision.related_ids) for one in first) <= 10
