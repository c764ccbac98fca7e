"""Which questions ask what was at a time and leave open what, in three languages."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.question.inquiry import Inquiry, Then, at_the_time, inquiry_of, looks_ahead
from realmemory.policies.times.moments import spans, without_times

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC).timestamp()


def read(question):
    assert spans(question, NOW)
    return inquiry_of(question, without_times(question, NOW))


@pytest.mark.parametrize(
    "question",
    [
        "what happened yesterday?",
        "What did I do last weekend?",
        "what were we up to last week?",
        "anything new since Monday?",
        "what did we talk about yesterday?",
        "tell me what went on in October",
        "summarise last week",
        "Was habe ich gestern gemacht?",
        "Was war letzten Sommer los?",
        "Was ist im Mai 2023 passiert?",
        "Gibt es Neues seit Montag?",
        "что было вчера?",
        "Что я делал на прошлой неделе?",
        "Чем мы занимались летом?",
        "Что нового с понедельника?",
        "what have I done so far this month?",
        "what do I have tomorrow?",
        "what is planned for next week?",
        "Was steht morgen an?",
        "какие планы на завтра?",
    ],
)
def test_a_question_of_general_words_asks_for_whatever_was_then(question):
    assert read(question) == Inquiry()


@pytest.mark.parametrize(
    ("question", "about", "verb"),
    [
        ("what did Tom do last week?", ("Tom",), False),
        ("what did tom do last week", ("tom",), False),
        ("What has Tom been doing since Friday?", ("Tom",), False),
        ("what happened to the server last week?", ("server",), False),
        ("Was hat Jonas letzte Woche gemacht?", ("Jonas",), False),
        ("что делала Маша вчера?", ("Маша",), False),
        ("what did we decide yesterday?", (), True),
        ("what was decided yesterday?", (), True),
        ("what did I write down yesterday?", (), True),
        ("who called yesterday?", (), True),
        ("what did Tom eat on Monday?", ("Tom",), True),
        ("Was haben wir letzte Woche beschlossen?", (), True),
        ("Wen hat Anna gestern getroffen?", ("Anna",), True),
        ("что мы решили на прошлой неделе?", (), True),
        ("Что купил Олег вчера?", ("Олег",), True),
    ],
)
def test_it_may_name_somebody_and_what_was_done(question, about, verb):
    assert read(question) == Inquiry(about, verb=verb)


@pytest.mark.parametrize(
    "question",
    [
        "what did Tom say about the budget last week?",
        "which database did we choose last month?",
        "where did we go hiking last summer?",
        "what was the budget last week?",
        "How was the harbour fair seven days ago?",
        "Was hat Tom letzte Woche über das Budget gesagt?",
        "Welche Datenbank haben wir letzten Monat gewählt?",
        "что сказал Том о бюджете на прошлой неделе?",
        "какую базу данных мы выбрали в прошлом месяце?",
    ],
)
def test_a_topic_decides_by_its_words(question):
    assert read(question) is None


@pytest.mark.parametrize(
    ("question", "ahead"),
    [
        ("what is planned for March?", True),
        ("was steht im März an?", True),
        ("что будет в марте?", True),
        ("what happened in March?", False),
        ("was war im März los?", False),
        ("что было в марте?", False),
    ],
)
def test_who_asks_for_what_is_to_come_means_the_next_march(question, ahead):
    assert looks_ahead(question) is ahead


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_read_without_an_error(text, rest):
    found = inquiry_of(text, rest.casefold())
    assert found is None or len(found.about) <= 2


CANDIDATES = st.integers(1, 12)


@given(st.data())
def test_what_is_of_the_time_comes_before_what_is_not(data):
    count = data.draw(CANDIDATES)
    unit = st.lists(st.floats(0.0, 0.99), min_size=count, max_size=count)
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    inside, ordinary = np.array(data.draw(flags)), np.array(data.draw(unit))
    then = Then(np.where(inside, 1.0, 0.8), None, np.zeros(count))
    inquiry = Inquiry(verb=data.draw(st.booleans()))

    confidences, scores = at_the_time(inquiry, then, ordinary)

    assert ((confidences >= 0.0) & (confidences <= 0.99)).all()
    assert (scores <= confidences).all()
    assert (confidences[~inside] < 0.26).all()
    if inside.any() and not inside.all():
        assert confidences[inside].min() > confidences[~inside].max()
        assert scores[inside].min() > scores[~inside].max()
