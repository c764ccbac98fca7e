"""Whether texts hold the sort of thing that is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.question.interrogatives import fitting

ASKED = "When does the pottery course begin?"
TELLS = "It begins in March."


@given(st.lists(st.floats(0, 1), max_size=8).map(sorted))
def test_what_is_liker_the_question_holds_its_answer_no_less(likeness):
    found = fitting(ASKED, [TELLS] * len(likeness), likeness)
    assert found == sorted(found)
    assert all(0.0 <= value <= 1.0 for value in found)


def test_what_shares_nothing_with_the_question_holds_no_answer_to_it():
    assert fitting(ASKED, [TELLS, TELLS, TELLS], [0.0, 0.1, 0.9]) == [
        0.0,
        pytest.approx(0.5),
        1.0,
    ]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (ASKED, "It begins with a talk."),
        ("What is taught in the pottery course?", TELLS),
        ("The pottery course.", TELLS),
    ],
)
def test_what_is_not_asked_for_or_not_said_counts_for_nothing(question, text):
    assert fitting(question, [text], [1.0]) == [0.0]
