"""Of whom or what else a text says what a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.subject.counterparts import Inquired


def counterpart(question, text):
    inquired = Inquired.of(question)
    found = None if inquired is None else inquired.counterpart(text)
    return None if found is None else (found.asked, found.said)


@pytest.mark.parametrize(
    ("question", "text", "asked", "said"),
    [
        ("does otto speak Polish?", "Xenia speaks Polish and Czech", "otto", "xenia"),
        ("is Petra married to Sylvia?", "Peter is married to Sylvia", "petra", "peter"),
        ("can dmitri restart the queue?", "Yuki can restart the queue", "dmitri", "yuki"),
        ("does dmitri have a key?", "Lena has a key", "dmitri", "lena"),
        ("Wann hat Berta Geburtstag?", "Julia hat am 4. Mai Geburtstag", "berta", "julia"),
        ("was spielt bernd", "Matthias spielt Cello", "bernd", "matthias"),
        ("водит ли степан трактор", "Олег водит трактор", "степан", "олег"),
        ("на что аллергия у глеба", "У Павла аллергия на пыль", "глеба", "павла"),
    ],
)
def test_who_else_does_it(question, text, asked, said):
    assert counterpart(question, text) == (asked, said)


@pytest.mark.parametrize(
    ("question", "text", "asked", "said"),
    [
        ("what is hedwig's phone number?", "Marta's phone number is 555", "hedwig", "marta"),
        ("who is Hana's manager?", "Hana is Ivo's manager", "hana", "ivo"),
        ("Wo ist Ottos Büro?", "Roberts Büro ist Raum 12", "ottos", "roberts"),
        ("когда день рождения бориса", "День рождения Юли 4 мая", "бориса", "юли"),
        ("where does Fay live?", "Fay's mother lives in Porto", "fay", "their mother"),
        ("Где живёт Марина?", "Брат Марины живёт в Туле", "марина", "their брат"),
        ("У Ивана есть аллергия?", "У сестры Ивана аллергия", "ивана", "their сестры"),
    ],
)
def test_whose_it_is(question, text, asked, said):
    assert counterpart(question, text) == (asked, said)


@pytest.mark.parametrize(
    ("question", "text", "asked", "said"),
    [
        ("does the web app work?", "The mobile app works", "web", "mobile"),
        ("where are the summer tyres?", "The winter tyres are in the barn", "summer", "winter"),
        ("was the 2023 report audited?", "The 2024 report was audited", "2023", "2024"),
        ("is the suite of the lexer slow?", "The suite of the parser is slow", "lexer", "parser"),
        ("what does the new API return?", "The old API returns XML", "new", "old"),
        ("Wo steht der blaue Drucker?", "Der rote Drucker steht hier", "blaue", "rote"),
        ("где летняя резина?", "Зимняя резина на балконе", "летняя", "зимняя"),
        ("was the meeting of 5 May off?", "The meeting of 4 May was off", "5 may", "4 may"),
    ],
)
def test_which_one_of_a_sort_it_is(question, text, asked, said):
    assert counterpart(question, text) == (asked, said)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("who owes Emil money?", "Emil owes Fay 50 euros"),
        ("who bought a flat from Karl?", "Karl bought his flat from Lena"),
        ("whom did Team Blue beat?", "Team Red beat Team Blue in the final"),
        ("which service calls the tax service?", "The tax service calls the stock service"),
        ("did Omar buy the domain from Tess?", "Tess bought the domain from Omar"),
    ],
)
def test_who_does_it_to_whom(question, text):
    assert counterpart(question, text) is not None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("who owes Fay money?", "Emil owes Fay 50 euros"),
        ("who did Ivo train?", "Ivo trained Jana on the forklift"),
        ("which service does the tax service call?", "The tax service calls the stock service"),
        ("who lives with Anna?", "Anna lives with Boris"),
        ("who married Anna?", "Anna married Boris"),
        ("who is Anna's cousin?", "Anna is Boris's cousin"),
        ("does Kate play the violin?", "Katherine plays the violin"),
        ("did Anna eat lunch?", "Lunch was eaten by everybody"),
        ("who is Ingrid married to?", "Ingrid's husband is Olaf"),
        ("does Ingrid have siblings?", "Ingrid's sister lives in Bergen"),
        ("when is my wife's birthday?", "Marta's birthday is on 4 May"),
        ("where is the new printer?", "The laser printer is on the second floor"),
        ("who handles payments?", "Stripe processes payments"),
        ("who has a declined card?", "Failed card charges are retried"),
        ("was the March 12 review postponed?", "The review of 12 March was postponed"),
        ("was the review of March 12 postponed?", "The review of 12 March was postponed"),
        ("how long do the importer tests take?", "The tests of the importer are slow"),
        ("what is wrong with the red printer?", "The red printer is broken"),
        ("which office is closed?", "Berlin is shut"),
        ("на каком этаже живёт Марина", "Марина живёт на первом этаже"),
        ("Как зовут мужа Лиды?", "Муж Лиды Даниил преподаёт математику"),
        ("Wem gehört Gantry?", "Gantry gehört dem Zahlungsteam"),
        ("кто отвечает за Стриж?", "За Стриж отвечает команда платежей"),
        ("where does Anna live?", "Анна живёт в Туле"),
    ],
)
def test_an_answer_has_no_counterpart(question, text):
    assert counterpart(question, text) is None


WORDS = """
who what does is the of Anna's anna Boris reviews review code production staging database was у ли
живёт Марина Марины брат wo wohnt Konrad Otto's sister 4 May . ? , '
""".split()  # noqa: SIM905 - a word list reads as one


def test_a_question_may_end_with_its_verb():
    assert counterpart("tell me what Anna does", "Anna does the accounts") is None


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)))
def test_nothing_is_about_another_than_itself(text):
    assert counterpart(text, text) is None
