"""Which questions ask in so many words for how something was, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.question.former import asks_for_former, held
from realmemory.policies.times.moments import Span
from realmemory.store.records import Version


@pytest.mark.parametrize(
    "question",
    [
        "where did Anna use to live?",
        "where did Anna live before?",
        "Where did Anna live before she moved to Vienna?",
        "what used to be our landlord's name?",
        "who was our previous landlord?",
        "what was the original price?",
        "what is the old door code?",
        "wo wohnte Miriam früher?",
        "Wo hat Miriam gewohnt, bevor sie umzog?",
        "Wie war der alte Türcode?",
        "Was war die ursprüngliche Miete?",
        "где раньше работал Олег?",
        "какая была прежняя цена?",
        "какой был старый пароль от двери?",
    ],
)
def test_words_for_the_past_ask_for_it(question):
    assert asks_for_former(question)


@pytest.mark.parametrize(
    "question",
    [
        "where did Anna live?",
        "where does Anna live now?",
        "how old is Anna?",
        "who has a one-year-old child?",
        "what has to be done before the release?",
        "what is the oven used to bake?",
        "can we meet earlier than nine?",
        "Wo wohnt Miriam?",
        "Wie alt ist Miriam?",
        "где живёт Олег?",
        "что прежде всего проверить?",
        "можно ли прийти раньше 9 утра?",
    ],
)
def test_the_past_tense_or_another_use_of_the_words_does_not(question):
    assert not asks_for_former(question)


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0, 1e9), st.floats(1, 1e9))
def test_a_version_held_where_its_time_and_the_named_one_overlap(begin, lasted, start, width):
    version, span = Version(begin, begin + lasted, None), Span(start, start + width)
    shared = min(version.end, span.end) - max(version.begin, span.start)
    assert held(version, [span]) == (shared > 0)
    assert held(version, []) == (version.end > version.begin)
