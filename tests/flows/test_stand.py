"""Thousands of notes about a matter do not hide the fact that stands for it."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, Kind
from realmemory.clock import DAY, FakeClock
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.static import StaticEmbedder

QUESTION = "what is the rule for error handling?"
OLD = "Errors are handled by the caller, who looks at the returned code."
RULE = "Functions raise typed exceptions, and only the outermost layer catches them."
LASTING = "Alerts go to the person on duty and to nobody else."
NOTES = [
    f"{name} {did} error handling in the {part} team (entry {number})."
    for number, (name, did, part) in enumerate(
        (name, did, part)
        for name in ("Arlo", "Bente", "Cosma", "Dorte", "Emre", "Fenna")
        for did in ("spent the whole afternoon on", "closed an old discussion about")
        for part in ("catalogue", "gateway", "mailer", "sync")
    )
]


@pytest.fixture(params=[StaticEmbedder, HashingEmbedder])
def any_crowd(tmp_path, request):
    """A crowd, by an embedder that compares words with words and by one that does not."""
    with Hippocampus.open(tmp_path / "memory", embedder=request.param()) as memory:
        memory.update_fact(memory.remember(OLD).memory_id, RULE)
        for text in NOTES:
            memory.remember(text, force_new=True)
        yield memory


def test_a_crowd_makes_room_whether_or_not_the_embedder_compares_words(any_crowd):
    assert RULE in texts(any_crowd.recall(QUESTION, k=10))


@pytest.fixture
def crowd(tmp_path):
    """Notes of two patterns, a rule that replaced another, and a lasting fact about something."""
    clock = FakeClock(1e9)
    with Hippocampus.open(tmp_path / "memory", clock=clock) as memory:
        old = memory.remember(OLD).memory_id
        memory.remember(LASTING, kind=Kind.SEMANTIC)
        clock.advance(DAY)
        memory.update_fact(old, RULE)
        for text in NOTES:
            memory.remember(text, force_new=True)
        yield memory


def texts(packet):
    return [item.text for item in packet.items]


def test_a_fact_that_replaced_another_is_found_by_the_words_of_the_old(crowd):
    packet = crowd.recall(QUESTION, k=10, explain=True)
    found = texts(packet)
    assert found[0] in NOTES
    assert RULE in found
    assert OLD not in found
    item = packet.items[found.index(RULE)]
    row = next(r for r in packet.explanation["candidates"] if r["id"] == item.memory_id)
    # Room was left to it; nobody claims that it is likelier than it is.
    assert row["stood"] < row["score"]
    chance = packet.explanation["doubt"]["chance"]
    assert item.confidence == pytest.approx(chance * row["confidence"])
    assert item.confidence < packet.items[0].confidence


def test_a_longer_answer_begins_like_a_shorter_one(crowd):
    longest = texts(crowd.recall(QUESTION, k=50))
    for k in range(1, 12):
        assert texts(crowd.recall(QUESTION, k=k)) == longest[:k]


def test_the_first_places_stay_those_of_the_best(crowd):
    found = texts(crowd.recall(QUESTION, k=10))
    assert set(found[:4]) <= set(NOTES)
    assert set(found) - set(NOTES) >= {RULE}


def test_a_kind_that_is_not_wanted_gets_no_place(crowd):
    found = texts(crowd.recall(QUESTION, k=10, kinds=[Kind.EPISODIC]))
    assert LASTING not in found
    assert texts(crowd.recall(QUESTION, k=10, kinds=[Kind.SEMANTIC]))[:1] != [NOTES[0]]


def test_without_a_crowd_nothing_is_moved(crowd):
    packet = crowd.recall("who gets the alerts?", k=10, explain=True)
    assert packet.items[0].text == LASTING
    assert all("stood" not in row for row in packet.explanation["candidates"])


def test_a_question_about_a_time_is_left_to_what_was_said_then(crowd):
    packet = crowd.recall(QUESTION.replace("?", " today?"), k=10, explain=True)
    assert packet.items[0].text in NOTES
    assert all("stood" not in row for row in packet.explanation["candidates"])
