"""Whether what lies nearest to a question is written in other letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.scripts import apart


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who approves refunds?", "Возвраты подтверждает финансовый отдел."),
        ("кто подтверждает возвраты?", "Refunds need approval from the finance desk."),
        ("кто строит маршруты?", "ASCII"),
        ("退款由谁批准", "Refunds need approval."),
        ("Who approves refunds?", "退款由财务批准"),
    ],
)
def test_another_script_is_apart(question, text):
    assert apart(question, [text]) == 1.0


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who approves refunds?", "Rückerstattungen genehmigt Zoë."),
        ("что пишет OR-Tools?", "Маршруты строит планировщик на OR-Tools и PostgreSQL."),
        ("кто строит маршруты?", "2026-03-04 12:30"),
        ("42?", "Refunds need approval."),
        ("猫はどこ", "猫は庭にいます"),
    ],
)
def test_words_of_another_script_or_none_are_not(question, text):
    assert apart(question, [text]) == 0.0


def test_it_is_a_share_and_nothing_nearby_says_nothing():
    assert apart("кто здесь?", ["Здесь Анна.", "Ann is here.", "Bob", "Боб"]) == 0.5
    assert apart("кто здесь?", []) == 0.0


@given(st.text(max_size=40), st.lists(st.text(max_size=200), max_size=5))
def test_any_text_has_a_share(question, texts):
    assert 0.0 <= apart(question, texts) <= 1.0
    assert apart(question, [question]) == 0.0 or any(c.isalpha() for c in question)
