"""What a question asks for by its form, and what that does to the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.question.shapes import Shape, addresses_assistant, shape_of
from realmemory.policies.ranking import over_sessions


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("How many trips did Ann make?", Shape.COUNT),
        ("Сколько раз Вера ездила на дачу?", Shape.COUNT),
        ("How long did the repair take?", Shape.DURATION),
        ("Сколько дней длился ремонт?", Shape.DURATION),
        ("List all the books that Bob read.", Shape.LIST),
        ("Какие книги читал Глеб?", Shape.LIST),
        ("What do Ann and Bob have in common?", Shape.COMPARE),
        ("In which order did the events happen?", Shape.ORDER),
        ("Where does Ann live?", Shape.PLAIN),
        ("Где живёт Вера?", Shape.PLAIN),
    ],
)
def test_the_form_of_an_answer(question, shape):
    assert shape_of(question) is shape
    assert shape_of(question).several is (shape is not Shape.PLAIN)


WORDS = [
    *("how", "many", "long", "often", "total", "number", "count", "order", "sequence", "timeline"),
    *("step", "by", "compare", "differ", "versus", "vs", "both", "common", "contradict", "list"),
    *("all", "summary", "overview", "every", "what", "which", "name", "of", "the", "books", "are"),
    *("did", "is", "in", "difference", "between", "Ann", "chronologically", "each", "give", "me"),
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_a_question_in_ascii_has_the_form_that_the_rules_see(words):
    """A letter beyond ASCII has every rule look; without one most questions are let pass."""
    question = " ".join(words)
    assert shape_of(question) is shape_of(f"{question} \u00e9")


def test_a_second_person_is_addressed():
    assert addresses_assistant("What did you recommend?")
    assert addresses_assistant("Что ты посоветовал?")
    assert not addresses_assistant("What did Ann recommend to the youth club?")


def test_another_turn_of_a_session_counts_a_little_less():
    scores = np.array([0.9, 0.85, 0.84, 0.5, 0.88])
    sessions = np.array([3, 3, 1, -1, 3])
    expected = [0.9, 0.85 * 0.94**2, 0.84, 0.5, 0.88 * 0.94]
    np.testing.assert_allclose(over_sessions(scores, sessions), expected)
