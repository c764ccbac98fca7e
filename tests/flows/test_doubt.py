"""A small memory does not pretend to know what nobody told it."""

from __future__ import annotations

import pytest

from realmemory.api.shown import answer
from realmemory.policies.answerability import PROJECT_ROWS

NOTES = [
    "Anna started her new job as a data analyst at Brightwater in May.",
    "Anna lives in Utrecht, close to the old harbour.",
    "Anna prefers tea over coffee, mostly jasmine.",
    "Ben's laptop is a ThinkPad that keeps overheating.",
    "The boiler was serviced in February and is due again next winter.",
    "Our staging server is called heron and restarts nightly at 2.",
    "Марина живёт в Ярославле рядом с набережной.",
    "Сын Марины Егор в этом году идёт в первый класс.",
]


@pytest.fixture
def notes(memory):
    for note in NOTES:
        memory.remember(note, force_new=True)
    return memory


def surest(packet):
    return max(item.confidence for item in packet.items)


@pytest.mark.parametrize(
    ("held", "in_vain"),
    [
        ("Where does Anna live?", "What is Anna's shoe size?"),
        ("Where does Anna live?", "How much does Anna earn?"),
        ("Which laptop does Ben have?", "Which school did Ben go to?"),
        ("Где живёт Марина?", "Какой у Марины размер обуви?"),
    ],
)
def test_what_nobody_told_is_answered_less_surely(notes, held, in_vain):
    assert surest(notes.recall(in_vain)) + 0.3 < surest(notes.recall(held))


def test_the_reader_is_told_what_is_missing(notes):
    packet = notes.recall("What is Anna's shoe size?")

    assert packet.detail == 'what comes nearest says nothing like "shoe" or "size"'
    assert answer(packet, packet.query)["detail"] == packet.detail
    assert notes.recall("Where does Anna live?").detail is None


def test_the_order_is_not_touched(notes):
    packet = notes.recall("What is Anna's shoe size?", explain=True)
    rows = {row["id"]: row for row in packet.explanation["candidates"]}
    chance = packet.explanation["doubt"]["chance"]

    assert 0.0 < chance < 1.0
    for item in packet.items:
        assert item.confidence == pytest.approx(chance * rows[item.memory_id]["confidence"])


@pytest.mark.parametrize("text", ["Anna shoe size", "remind me of Anna", "Где"])
def test_what_asks_nothing_is_believed(notes, text):
    assert "doubt" not in notes.recall(text, explain=True).explanation


def test_turns_are_not_judged(memory):
    turns = [
        {"speaker": "Ann", "text": "I planted sixty tulips."},
        {"speaker": "Bo", "text": "Oh!"},
    ]
    memory.store_conversation(turns, session_id="garden")
    packet = memory.recall("What did Ann plant?", explain=True)

    assert packet.items
    assert "doubt" not in packet.explanation


def test_large_memories_are_believed(notes):
    notes.remember_many(
        [f"Room {at} of the annex holds {at * 7} folding chairs." for at in range(PROJECT_ROWS)]
    )
    packet = notes.recall("What is Anna's shoe size?", explain=True)

    assert packet.detail is None
    assert packet.explanation["doubt"]["chance"] == 1.0
