"""What happens again is kept again, with its own time; what is only said again is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from realmemory import WriteRequest
from realmemory.clock import DAY

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


TOLD = (
    "The harbour crane stopped with an oil leak",
    "Took the heart pills",
    "Насос в подвале сломался",
    "Ich habe die Kakteen gegossen",
)
"""What happened when it was told."""


@pytest.mark.parametrize("event", TOLD)
def test_an_event_that_is_told_again_another_day_happened_again(memory, clock, event):
    told = []
    for day in (1, 4, 9):
        clock.set(november(day))
        told.append(memory.remember(event))

    assert all(result.created for result in told)
    for day in (4, 9):
        assert asked(memory, f"What happened on November {day}?") == [november(day)]
    assert told[1].decision.reasons == ("occasion",)


def test_an_event_that_is_told_twice_of_one_day_is_one(memory, clock):
    clock.set(november(1, hour=23))
    first = memory.remember(TOLD[0])
    clock.advance(2 * 3_600.0)

    assert memory.remember(TOLD[0]).memory_id == first.memory_id


@pytest.mark.parametrize(
    "fact",
    [
        "We chose the oak table for the hall",
        "Ida likes fried rice",
        "The barn was in the old yard",
        "Olga moved to the harbour",
        "Лена переехала в порт",
        "The heart pills are taken at night",
        "The ferry to Visby lost its ramp in a storm, so that six lorries had to wait on the quay",
    ],
)
def test_what_lasts_or_is_done_once_is_no_event_for_being_told_again(memory, clock, fact):
    ids = set()
    for _ in range(4):
        ids.add(memory.remember(fact).memory_id)
        clock.advance(5 * DAY)

    assert len(ids) == 1


RETURNING = (
    ("Our caterer is Olivia", "Our caterer is Magnus", "who is our caterer now?"),
    ("We close the shop on Mondays", "We never close the shop on Mondays", "is the shop closed?"),
    ("Наш садовник — Егор", "Наш садовник — Фёдор", "кто наш садовник?"),
)


@pytest.mark.parametrize(("first", "then", "question"), RETURNING)
def test_what_holds_again_after_it_was_contradicted_is_what_holds(
    memory, clock, first, then, question
):
    begin, told = clock.now(), []
    for text in (first, then, first):
        told.append(memory.remember(text))
        clock.advance(20 * DAY)

    items = memory.recall(question).items
    assert items[0].memory_id == told[2].memory_id
    assert items[0].conflicts_with == (told[1].memory_id,)
    assert told[2].conflicts == (told[1].memory_id,)
    assert memory.get(told[0].memory_id).observed_at == begin
    assert memory.remember(first).memory_id == told[2].memory_id


def test_what_was_settled_as_no_conflict_is_told_again_and_not_anew(memory, clock):
    first, then, _ = RETURNING[0]
    one = memory.remember(first).memory_id
    clock.advance(20 * DAY)
    other = memory.remember(then).memory_id
    memory.resolve(one, other, keep="both")
    clock.advance(20 * DAY)

    assert memory.remember(first).memory_id == one


def test_what_contradicted_it_and_was_forgotten_makes_nothing_new_of_it(memory, clock):
    first, then, _ = RETURNING[0]
    one = memory.remember(first).memory_id
    clock.advance(20 * DAY)
    memory.forget(memory.remember(then).memory_id)
    clock.advance(20 * DAY)

    assert memory.remember(first).memory_id == one


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "line by line"])
def test_a_list_that_contradicts_itself_stays_as_long_as_it_is(memory, clock, at_once):
    lines = [text for first, then, _ in RETURNING for text in (first, then)]
    for _ in range(4):
        for part in [lines] if at_once else [[line] for line in lines]:
            memory.remember_many(part)
            clock.advance(1.0)
        clock.advance(10 * DAY)

    assert len(memory.list(limit=100)) == len(lines)


def test_telling_them_in_a_loop_is_bounded_within_a_day(memory, clock):
    clock.set(november(1))
    for _ in range(20):
        for text in RETURNING[0][:2]:
            memory.remember(text)
            clock.advance(1.0)

    assert len(memory.list(limit=100)) <= 6
