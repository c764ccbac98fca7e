"""Closed classes of words meet a word in whichever way its text was folded."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set
from realmemory.policies.words.little import DETERMINERS, NEGATIONS, PREPOSITIONS


def test_a_word_is_met_with_and_without_its_dots_and_its_apostrophe():
    assert word_set("ещё isn't") == {"ещё", "еще", "isn't", "isnt"}


def test_words_of_one_line_stand_for_each_other():
    assert first_of_line("take took taken\ngo went") == {
        "take": "take",
        "took": "take",
        "taken": "take",
        "go": "go",
        "went": "go",
    }


def test_no_determiner_is_a_preposition():
    assert DETERMINERS.isdisjoint(PREPOSITIONS)


def test_what_denies_in_one_word_denies_without_its_apostrophe():
    assert {"don't", "dont", "никогда", "never"} <= NEGATIONS
