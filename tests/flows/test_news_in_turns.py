"""What is told to have changed in conversations: the later turn first, where it answers by itself."""

from __future__ import annotations

import pytest

from realmemory.clock import DAY

OTHERS = [
    ("The sea was rough the whole weekend.", "We baked bread with too much salt."),
    ("My bicycle chain squeaks again.", "The museum of clocks was closed."),
    ("A heron stood on the neighbour's roof.", "I finally watched the film about the bridge."),
]
"""What the same two talked about besides."""


def said(memory, session, *turns):
    memory.store_conversation(
        [{"speaker": speaker, "text": text} for speaker, text in turns], session_id=session
    )


def texts(memory, question):
    return [item.text for item in memory.recall(question).items]


def talked(memory, clock, earlier, later):
    """Let two people talk on two days, each time of this and of other things."""
    said(memory, "first", earlier, *(("Ola", one) for one, _ in OTHERS))
    clock.advance(12 * DAY)
    said(memory, "second", later, *(("Mats", other) for _, other in OTHERS))
    clock.advance(DAY)


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("The choir rehearsal is on Tuesday at seven.", "The choir rehearsal moved to Thursday at eight.", "When is the choir rehearsal?"),
        ("The deposit for the boathouse is 200 euros.", "Deposit for the boathouse: 260 euros.", "What is the deposit for the boathouse?"),
        ("The spare tent is in the attic.", "The spare tent is in the shed.", "Where is the spare tent?"),
        ("Репетиция хора во вторник в 19:00.", "Репетиция хора в четверг в 20:00.", "Когда репетиция хора?"),
    ],
)  # fmt: skip
def test_the_later_of_two_turns_comes_first(memory, clock, earlier, later, question):
    talked(memory, clock, ("Ola", earlier), ("Mats", later))
    assert texts(memory, question)[:2] == [later, earlier]


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("The ferry to Vis leaves at 7:10.", "The ferry to Brac leaves at 9:40.", "When does the ferry to Vis leave?"),
        ("The blue tent is in the attic.", "Is the blue tent still in the shed?", "Where is the blue tent?"),
        ("I live in Turku.", "I moved to Espoo.", "Where does Ola live?"),
    ],
)  # fmt: skip
def test_another_matter_a_question_and_another_speaker_tell_no_news(
    memory, clock, earlier, later, question
):
    talked(memory, clock, ("Ola", earlier), ("Mats", later))
    assert texts(memory, question)[0] == earlier


def test_of_two_turns_of_one_session_the_later_comes_first(memory):
    said(
        memory,
        "evening",
        ("Ola", "Dinner is at six at the harbour grill."),
        ("Mats", "My bicycle chain squeaks again."),
        ("Ola", "Dinner is at eight at the harbour grill."),
        ("Mats", "The sea was rough the whole weekend."),
    )
    assert texts(memory, "When is dinner at the harbour grill?")[0].startswith("Dinner is at eight")
