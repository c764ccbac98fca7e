"""Which texts say that something is otherwise now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.news import left, overtaken, tells_news


@pytest.mark.parametrize(
    "text",
    [
        "My new email is ann@new.org",
        "Lee is the new lead of team Blue",
        "The standup has been moved to 10:00",
        "Bob no longer works at Google",
        "I don't eat meat any more",
        "Lena wohnt jetzt in Köln",
        "Wir nutzen nicht mehr Jenkins, sondern Argo",
        "Оля теперь живёт в Твери",
        "Ann SWITCHED teams",
        "The port changed",
        "SVN was replaced by git",
        "The branch got renamed",
        "We don't deploy on Friday anymore",
        "From now on, tabs",
        "Die neue Adresse ist Hafenstraße 3",
        "Wir nutzen nun Argo",
        "Ab sofort gilt Tempo 30",
        "Lena ist umgezogen",
        "Jan hat den Verein gewechselt",
        "Новый адрес: Лесная, 3",
        "Оля больше не работает в банке",
        "Оля переехала в Тверь",
        "Мы перешли на Go",
    ],
)
def test_words_of_change_tell_news(text):
    assert tells_news(text)


@pytest.mark.parametrize(
    "text", ["My email is ann@old.org", "I know the renewal date", "Der Neubau ist hoch", "снова"]
)
def test_other_words_tell_none(text):
    assert not tells_news(text)


def test_news_is_of_what_shares_with_the_question_what_it_holds_as_well():
    texts = {
        1: "My email is ann@old.org",
        2: "My new email is ann@new.org",
        3: "The new printer is on the second floor",
    }
    assert overtaken("what is my email?", texts) == {1: (2,), 2: ()}


@given(st.text(max_size=60), st.dictionaries(st.integers(1, 9), st.text(max_size=60), max_size=5))
def test_no_text_is_news_of_itself_or_of_what_was_not_found(question, texts):
    for old, news in overtaken(question, texts).items():
        assert old in texts
        assert old not in news
        assert set(news) <= texts.keys()


def test_what_is_left_stands_right_after_the_word_that_leaves_it():
    texts = {
        1: "Our database is MySQL",
        2: "We switched from MySQL to Postgres",
        3: "We switched the region for MySQL",
        4: "They switched from MySQL to Oracle",
    }
    assert left("which database do we use?", texts) == {1: (2,), 2: (), 3: (), 4: ()}
    assert left("do we use MySQL as a database?", texts)[1] == ()
