"""Which words introduce a correction, and that they count for nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.gate.corrections import introduction
from realmemory.policies.gate.reading import fact_signature, tells_news
from realmemory.policies.gate.signature import compare

INTRODUCTIONS = [
    "Correction: ",
    "UPDATE - ",
    "Edit: ",
    "Actually, ",
    "Actually ",
    "Sorry, I meant ",
    "In fact, ",
    "Korrektur: ",
    "Nachtrag – ",
    "Tatsächlich: ",
    "Исправление: ",
    "Поправка: ",
    "На самом деле ",
    "Извини, я имел в виду: ",
]


@given(st.sampled_from(INTRODUCTIONS), st.text("abcdefgh 0123", min_size=1).filter(str.strip))
def test_what_is_introduced_states_what_it_would_without(words, rest):
    rest = f"kickoff {rest.strip()}"
    assert introduction(words + rest) == words
    corrected = fact_signature(words + rest)
    assert corrected.corrects
    assert tells_news(words + rest)
    assert compare(fact_signature(rest), corrected).differences == ()


@pytest.mark.parametrize(
    "text",
    [
        "Update the README before the release",
        "Correction fluid is in the drawer",
        "Edit, save and run the tests",
        "Sorry, the shop is closed",
        "The kickoff is on 12 May",
        "Исправление ошибок занимает день",
        "Correction:",
        "",
    ],
)
def test_the_same_words_elsewhere_introduce_nothing(text):
    assert introduction(text) == ""
    assert not fact_signature(text).corrects


@given(st.text(max_size=60))
def test_an_introduction_is_a_beginning_and_leaves_something(text):
    found = introduction(text)
    assert text.startswith(found)
    assert not found or text != found
