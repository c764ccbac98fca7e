"""Whom a question names, and which texts are about others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.subject.strangers import Named
from realmemory.policies.times.moments import without_times

NOW = 1_790_000_000.0
NAMES = ("Ben", "Petra", "Noah", "Lisbon", "Globex", "Маша", "Петя", "Казань")


def misses(question, text, scope=None):
    named = Named.of(question, without_times(question, NOW), scope)
    return named is not None and bool(named.missed_by(text))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("when is Ben's birthday?", "Petra's birthday is on 12 March"),
        ("what is Noah allergic to?", "Emma is allergic to nuts"),
        ("which port does Postgres run on?", "Redis runs on port 6380"),
        ("где живёт Петя?", "Маша живёт в Казани"),
        ("what is bug 4312?", "Bug 4400: the CSV misses the header"),
        ("who is ticket 89 assigned to?", "Ticket 88 is assigned to Lee"),
        ("when was version 2.2 released?", "Version 2.1 was released on 3 May"),
        ("what does checkout_v3 change?", "checkout_v2 changes the cart"),
        ("is Emil allergic to cats?", "Gus is allergic to cats"),
        ("Есть ли у Павла аллергия на кошек?", "У Глеба аллергия на кошек"),
        ("when is Julian's birthday?", "Julia's birthday is on 4 May"),
        ("where does Roberta live?", "Robert lives in Leeds"),
        ("what is Will's dog called?", "Vera's dog is called Rex"),
        ("when is Dr. Weiss in?", "Dr. Huber is in on Mondays"),
        ("the key is gone. Benches aside, where is Ben?", "Petra is at the lake"),
    ],
)
def test_another_one_is_a_stranger(question, text):
    assert misses(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("when is Ben's birthday?", "Ben was born on 12 March"),
        ("what is Ben's address?", "mail for ben@example.org goes to Main Street 3"),
        ("какое у Зои зрение?", "Зое нужны очки минус три."),
        ("where does Kate work?", "Katherine works at Globex"),
        ("where does Anna live?", "Анна живёт в Казани"),
        ("does Postgres keep the events?", "PostgreSQL keeps the events"),
        ("is Jon on call?", "Jonathan is on call"),
        ("what does Sara's aunt do?", "Sarah's aunt is a vet"),
        ("is Hedvig in?", "Hedwig is in"),
        ("Ist Emil da?", "Der Chef ist da"),
        ("на чём играет Александр?", "Саша играет на скрипке"),
        ("Где живёт Павел?", "У Павла квартира в Омске"),
        ("is Anna allergic to nuts?", "She is allergic to nuts"),
        ("how do Indian customers pay?", "Customers in India pay by card"),
        ("who is Tom's boss at Globex?", "Tom's boss is Eva"),
        ("how do we run the CI?", "Continuous integration runs on every push"),
        ("what did we deploy on Monday in May 2023?", "The gateway went live"),
        ("Wo ist mein Wagen?", "Das Auto steht in der Garage"),
        ("WHO OWNS THE LEDGER", "Lee owns the accounts"),
        ("what costs more than 40 euros?", "The lamp costs 45 euros"),
        ("how long is the trial of 14 days?", "The trial ends after two weeks"),
        ("where is the key?", "The key lies in the blue box"),
    ],
)
def test_what_may_be_meant_is_none(question, text):
    assert not misses(question, text)


def test_the_name_of_the_project_that_is_asked_need_not_be_said():
    assert misses("which port does Globex use?", "The port is 8080")
    assert not misses("which port does Globex use?", "The port is 8080", scope="globex")


@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from([name.lower() for name in NAMES] + ["the", "дом", "in", "5"])),
)
def test_who_is_named_in_a_text_is_never_missed_by_it(name, words):
    assert not misses(f"where is {name} now?", " ".join([*words, name.upper()]))


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_question_and_text_can_be_judged(question, text):
    assert not misses(question, f"{text} {question}")
