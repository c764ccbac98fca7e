"""What news of a memory counts for a question: for the time it names, and for what it wants to know."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest


def _at(clock, day):
    clock.set(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


CHANGES = [
    (
        "The greenhouse is heated to 18 degrees",
        "We raised the heating of the greenhouse to 22 degrees",
    ),
    ("Our payroll runs on Sage", "We replaced Sage with Personio for the payroll"),
    ("The landlord of the flat is Mr Quist", "The new landlord of the flat is Mrs Ferreira"),
    (
        "Das Lager liegt in Wedel",
        "Das Lager wurde nach Pinneberg verlegt, es ist jetzt in Pinneberg",
    ),
    ("Тренировки у Глеба по средам", "Тренировки у Глеба перенесли на субботу"),
]
QUESTIONS = [
    ("how warm was the greenhouse in {}?", "February"),
    ("what did the payroll run on in {}?", "February"),
    ("who was the landlord of the flat in {}?", "February"),
    ("wo war das Lager im {}?", "Februar"),
    ("когда были тренировки у Глеба в {}?", "феврале"),
]
LATER = {"February": "May", "Februar": "Mai", "феврале": "мае"}


@pytest.mark.parametrize(("told", "asked"), list(zip(CHANGES, QUESTIONS, strict=True)))
def test_who_names_a_time_is_told_what_held_then(memory, clock, told, asked):
    (first, second), (question, month) = told, asked
    _at(clock, "2026-01-12T10:00")
    old = memory.remember(first).memory_id
    _at(clock, "2026-04-20T10:00")
    new = memory.remember(second).memory_id
    _at(clock, "2026-06-15T10:00")
    before, after = (memory.recall(question.format(name)) for name in (month, LATER[month]))
    assert before.items[0].memory_id == old
    assert after.items[0].memory_id == new


def test_as_of_sees_news_that_was_known_by_then(memory, clock):
    told = []
    for day, text in (
        ("2026-01-12T10:00", "Our tickets are kept in Trello"),
        ("2026-03-02T10:00", "We moved the tickets from Trello to Linear"),
        ("2026-05-04T10:00", "We moved the tickets from Linear to Plane"),
    ):
        _at(clock, day)
        told.append(memory.remember(text).memory_id)
    _at(clock, "2026-06-15T10:00")
    for day, right in (("2026-02-01", 0), ("2026-04-01", 1), ("2026-06-01", 2)):
        then = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        packet = memory.recall("where are the tickets kept?", as_of=then)
        assert packet.items[0].memory_id == told[right]


def test_what_is_told_later_of_the_time_itself_stays_news(memory, clock):
    _at(clock, "2026-01-12T10:00")
    memory.remember("The kiln fires at 1180 degrees")
    _at(clock, "2026-04-20T10:00")
    new = memory.remember("Since February the kiln now fires at 1220 degrees").memory_id
    _at(clock, "2026-06-15T10:00")
    packet = memory.recall("how hot did the kiln fire in March?")
    assert packet.items[0].memory_id == new


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (
            (
                "Ballet for Edda is on Mondays at 16:00 with Mrs Hale",
                "Ballet for Edda was moved to Fridays",
            ),
            ("who teaches Edda ballet?", "when does Edda have ballet?"),
        ),
        (
            (
                "Der Deutschkurs ist am Montag um 18 Uhr bei Frau Okafor",
                "Der Deutschkurs wurde auf Freitag um 19 Uhr verschoben",
            ),
            ("bei wem ist der Deutschkurs?", "wann ist der Deutschkurs?"),
        ),
    ],
)
def test_news_of_one_side_leaves_the_answer_to_another_question(memory, clock, told, asked):
    (first, second), (other, same) = told, asked
    old = memory.remember(first).memory_id
    clock.advance(5 * 86_400.0)
    new = memory.remember(second).memory_id
    clock.advance(86_400.0)
    assert memory.recall(other).items[0].memory_id == old
    assert memory.recall(same).items[0].memory_id == new


def test_what_is_over_is_news_whatever_is_asked(memory, clock):
    memory.remember("The regatta takes place on 3 June")
    clock.advance(5 * 86_400.0)
    new = memory.remember("The regatta was cancelled").memory_id
    assert memory.recall("when is the regatta?").items[0].memory_id == new
