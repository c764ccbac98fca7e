"""News of one part of a memory leaves the rest of it alone."""

from __future__ import annotations


def test_what_changed_in_one_part_does_not_answer_for_another(memory, clock):
    memory.remember("Jonas owns the ingestion pipeline, Priya owns the frontend")
    clock.advance(86_400)
    memory.remember("Priya is on leave from October; Tomasz takes over the frontend")

    assert memory.recall("who owns ingestion?").items[0].text.startswith("Jonas")
    assert memory.recall("who owns the frontend?").items[0].text.startswith("Priya is on leave")


def test_the_same_words_of_another_thing_are_no_news(memory, clock):
    memory.remember("A restore drill took 47 minutes for the full database")
    clock.advance(86_400)
    memory.remember("CI moved to Forgejo runners; a full run now takes 6 minutes")

    first = memory.recall("how long does a restore take?").items[0]
    assert first.text.startswith("A restore drill")
    assert first.confidence >= 0.7


def test_a_date_with_a_point_stays_one(memory, clock):
    memory.remember("Das Sommerfest ist am 4. Juli")
    clock.advance(86_400)
    memory.remember("Das Sommerfest wurde auf den 11. Juli verschoben")

    assert "11. Juli" in memory.recall("wann ist das Sommerfest?").items[0].text
