"""Which turn of a conversation comes first: the one that tells, of whom the question asks."""

from __future__ import annotations

import pytest

MAY_8 = 1_683_504_000.0


def first(memory, question, *turns):
    said = [{"speaker": speaker, "text": text} for speaker, text in turns]
    memory.store_conversation(said, observed_at=MAY_8, session_id="s1")
    return memory.recall(question).items[0].text


@pytest.mark.parametrize(
    ("one", "other", "novel"), [("Joanna", "Nate", "desert"), ("Nate", "Joanna", "lighthouse")]
)
def test_the_first_of_two_speakers_named_is_the_one_who_did_it(memory, one, other, novel):
    answer = first(
        memory,
        f"What novel did {one} recommend to {other}?",
        ("Nate", "You should read the lighthouse novel, Joanna."),
        ("Joanna", "I will. You should read the desert novel, Nate."),
        ("Nate", "I will."),
        ("Joanna", "Good."),
    )
    assert novel in answer


def test_a_turn_that_says_next_to_nothing_stands_behind_one_that_tells(memory):
    answer = first(
        memory,
        "What has Ann done for her dog?",
        ("Bob", "So, the dog?"),
        ("Ann", "Agreed! My dog!"),
        ("Bob", "And now?"),
        ("Ann", "For my dog I have built a ramp out of old doors, since his hips are bad now."),
        ("Bob", "Haha."),
    )
    assert "ramp" in answer


def test_who_is_named_in_the_question_and_in_a_turn_is_no_answer_yet(memory):
    answer = first(
        memory,
        "What did Ann's dog Toby eat?",
        ("Ann", "Oh I love my dog Toby!"),
        ("Bob", "He is a good one."),
        ("Ann", "He learnt to open the fridge last week and ate a whole salmon, so it is locked."),
        ("Bob", "Haha."),
    )
    assert "salmon" in answer


@pytest.mark.parametrize(
    ("question", "repeating", "answer"),
    [
        (
            "Where did Ann's brother Pavel move?",
            "I miss my brother Pavel so much.",
            "He took a job at a shipyard and rents a flat in Gdansk since January.",
        ),
        (
            "What broke in Ann's kitchen?",
            "My kitchen, my poor kitchen!",
            "The pipe under the sink burst at four in the morning and flooded everything.",
        ),
        (
            "Что посадила Аня в саду?",
            "Как же я люблю свой сад!",
            "Этой весной мы высадили два ряда ревеня и инжир у стены.",
        ),
    ],
)
def test_who_only_repeats_what_a_question_names_stands_behind_who_tells(
    memory, question, repeating, answer
):
    me, you = ("Аня", "Боря") if "Аня" in question else ("Ann", "Bob")
    turns = [(me, repeating), (you, "Oh?" if me == "Ann" else "Да?"), (me, answer)]
    assert first(memory, question, *turns, (you, "Haha.")) == answer


@pytest.mark.parametrize(
    ("question", "answer", "beside"),
    [
        (
            "When does the pottery course begin?",
            "The pottery course begins in March, right after the holidays.",
            "The pottery course begins with a talk, right after the breakfast.",
        ),
        (
            "Who repairs the old organ?",
            "The old organ is repaired by Tobias, as far as known.",
            "The old organ is repaired by somebody, as far as known.",
        ),
        (
            "Сколько ульев стоит за домом?",
            "За домом стоит семь ульев, почти все зелёные.",
            "За домом стоит много ульев, почти все зелёные.",
        ),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_of_turns_alike_the_one_that_holds_the_sort_of_thing_asked_for_is_first(
    memory, question, answer, beside, order
):
    told = [("Ann", answer), ("Ann", beside)][::order]
    between = [("Bob", "I see, and the weather?"), ("Ann", "Rain, as ever."), ("Bob", "Too bad.")]
    assert first(memory, question, told[0], *between, told[1]) == answer
