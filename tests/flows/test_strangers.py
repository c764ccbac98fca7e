"""Whoever asks about somebody is not answered with somebody else, as far as names tell."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus
from realmemory.policies.subject.strangers import NOBODY_NAMED

AROUND = [
    "Team lunch is on Thursdays",
    "We recycle paper on Mondays",
    "The printer is on the second floor",
    "The garden needs water in July",
]


@pytest.fixture
def memory(tmp_path):
    with Hippocampus.open(tmp_path / "memory") as opened:
        opened.remember_many(AROUND)
        yield opened


@pytest.mark.parametrize(
    ("told", "asked", "of_another", "why"),
    [
        (
            "Petra's birthday is on 12 March",
            "when is Petra's birthday?",
            "when is Ben's birthday?",
            NOBODY_NAMED,
        ),
        (
            "Ticket 88 is assigned to Lee",
            "who has ticket 88?",
            "who has ticket 89?",
            "says it of ticket 88, not of ticket 89",
        ),
        ("Маша живёт в Казани", "где живёт Маша?", "где живёт Петя?", NOBODY_NAMED),
    ],
)
def test_confidence_in_a_fact_about_somebody_else_is_low_and_the_reason_is_said(
    memory, told, asked, of_another, why
):
    fact = memory.remember(told).memory_id
    known, unknown = memory.recall(asked), memory.recall(of_another)
    assert known.items[0].memory_id == fact
    assert known.items[0].confidence > 0.5
    assert known.detail is None
    assert unknown.items[0].confidence < 0.2
    assert why in unknown.detail


@pytest.mark.parametrize(
    ("told", "asked", "of_another", "reason"),
    [
        (
            "The staging database is encrypted",
            "is the staging database encrypted?",
            "is the production database encrypted?",
            "says it of staging, not of production",
        ),
        (
            "Gus is allergic to cats",
            "is Gus allergic to cats?",
            "what is emil allergic to?",
            "says it of gus, not of emil",
        ),
        (
            "Anna reviews Boris's code",
            "who reviews Boris's code?",
            "who reviews Anna's code?",
            "says it of boris, not of anna",
        ),
        (
            "Christine wohnt in Leeds",
            "Wo wohnt Christine?",
            "Wo wohnt Konrad?",
            "says it of christine, not of konrad",
        ),
        (
            "Ingrid's sister lives in Gothenburg",
            "where does Ingrid's sister live?",
            "where does Ingrid live?",
            "says it of their sister, not of ingrid",
        ),
    ],
)
def test_what_is_said_of_another_is_hardly_believed_and_told_apart(
    memory, told, asked, of_another, reason
):
    memory.remember(told)
    known, unknown = memory.recall(asked), memory.recall(of_another)
    assert known.items[0].text == told
    assert known.items[0].confidence > 0.7
    assert unknown.items[0].confidence < 0.2
    assert reason in unknown.detail


def test_who_does_it_to_somebody_comes_before_what_that_one_does(memory):
    memory.remember("Anna mentors Boris")
    right = memory.remember("Carl, our lead, mentors Anna on most days of the week").memory_id
    found = memory.recall("who mentors Anna?")
    assert found.items[0].memory_id == right
    assert found.items[0].confidence > 0.5


@pytest.mark.parametrize("asked", [17, 42, 128])
def test_the_number_of_a_thing_is_not_that_of_another_thing(memory, asked):
    rooms = [f"Room {n} is booked by team {n * 3 % 200} on day {n * 5 % 200}" for n in range(200)]
    memory.remember_many(rooms)
    found = memory.recall(f"which team booked room {asked}?").items
    assert found[0].text == rooms[asked]
    assert all(item.confidence < 0.2 for item in found[1:])


def test_a_number_of_nothing_known_is_hardly_believed(memory):
    memory.remember("Room 128 is booked by team 84 on day 84")
    assert memory.recall("which team booked room 84?").items[0].confidence < 0.2


def test_the_one_who_is_named_comes_before_another_who_fits_better(memory):
    memory.remember("Petra wants a chocolate cake for the birthday")
    ben = memory.remember("Ben likes lemon cake").memory_id
    found = memory.recall("which cake does Ben want for the birthday?")
    assert found.items[0].memory_id == ben


def test_an_explanation_tells_what_was_left_of_a_stranger(memory):
    fact = memory.remember("Petra's birthday is on 12 March").memory_id
    seen = memory.recall("when is Ben's birthday?", explain=True).explanation["candidates"]
    assert {found["id"] for found in seen if "stranger" in found} >= {fact}


@pytest.mark.parametrize(
    ("beside", "told", "asked", "missing"),
    [
        (
            "Anna never answers the phone before eight",
            "Anna's phone number is 030 4455667",
            "what is Anna's phone number?",
            "says no phone number",
        ),
        (
            "A buoy that is silent for thirty hours is lost",
            "A buoy costs 1,200 euros",
            "how much does a buoy cost?",
            "says no sum of money",
        ),
        (
            "Подписка продаётся только на год",
            "Подписка стоит 900 рублей",
            "сколько стоит подписка?",
            "no number",
        ),
    ],
)
def test_what_holds_no_such_quantity_as_is_asked_for_is_hardly_believed(
    memory, beside, told, asked, missing
):
    memory.remember(beside)
    unknown = memory.recall(asked)
    answer = memory.remember(told, force_new=True).memory_id
    known = memory.recall(asked)

    assert all(hit.confidence < 0.2 for hit in unknown.items)
    assert missing in unknown.detail
    assert known.items[0].memory_id == answer
    assert known.items[0].confidence > 0.5
    assert known.detail is None
