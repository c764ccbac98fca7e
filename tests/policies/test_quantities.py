"""What quantity a question asks for, and whether a text holds one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.subject.quantities import Quantity, Sort


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("How much does a buoy cost?", Sort.MONEY),
        ("what does the tenant pay per month?", Sort.MONEY),
        ("what is Nadia's salary?", Sort.MONEY),
        ("сколько стоит годовая подписка?", Sort.MONEY),
        ("Wie viel Miete zahlt Esther?", Sort.MONEY),
        ("Was kostet ein Fahrrad?", Sort.MONEY),
        ("how much does the tractor weigh?", Sort.WEIGHT),
        ("сколько весит архив?", Sort.WEIGHT),
        ("какая температура должна быть в холодильнике?", Sort.DEGREE),
        ("what sampling rate does the recorder use?", Sort.FREQUENCY),
        ("what discount do students get?", Sort.SHARE),
        ("how old is Sabina?", Sort.AGE),
        ("сколько лет дочери?", Sort.AGE),
        ("how long does the build take?", Sort.DURATION),
        ("Wie lange dauert die Fahrt?", Sort.DURATION),
        ("how tall is the mast?", Sort.LENGTH),
        ("how many players tried it?", Sort.COUNT),
        ("Wie viele Kinder hat Esther?", Sort.COUNT),
        ("which port does the panel listen on?", Sort.DIGITS),
        ("what is Anna's phone number?", Sort.PHONE),
        ("какой номер телефона у Анны?", Sort.PHONE),
        ("what's the IP address of the board?", Sort.IP),
        ("what is Ben's e-mail address?", Sort.MAIL),
        ("сколько в доме кошек?", Sort.ANY),
        ("what does Anna do?", None),
        ("why is the price so high?", None),
        ("what happened at the port?", None),
        ("where was the port?", None),
        ("what does the price include?", None),
        ("what is the address of the shop?", None),
        ("how does Anna pay?", None),
        ("who pays?", None),
        ("", None),
    ],
)
def test_a_question_asks_for_a_quantity_only_where_it_names_one(question, sort):
    asked = Quantity.of(question)
    assert (asked and asked.sort) is sort


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how much does a buoy cost?", "A buoy costs 1,200 euros."),
        ("how much does a buoy cost?", "For a buoy they want 1200"),
        ("how much is the entry worth?", "Children enter for free."),
        ("what is Nadia's salary?", "Nadia earns 58,000 a year."),
        ("Wie hoch ist Klaras Gehalt?", "Klara verdient 58.000 im Jahr."),
        ("how much does it cost?", "$15"),
        ("сколько весит архив?", "Архив занимает семь ГБ."),
        ("какая температура в печи?", "Печь держит двести двадцать."),
        ("какая температура в печи?", "Печь держит 220."),
        ("how long are sessions kept?", "Sessions are kept for an hour."),
        ("how long are saves supported?", "Old saves load for ever and always."),
        ("how old is Lucia?", "Lucia turned 10 in May."),
        ("what's Lida's height? how tall is she?", "Лида ростом метр шестьдесят."),
        ("how many brothers has Ann?", "Ann has two younger brothers."),
        ("how many children has Ann?", "Ann has a son and a daughter."),
        ("how many hours does it take?", "It takes four hours."),
        ("which port does it use?", "It listens on 8443."),
        ("what is Anna's phone number?", "call Anna: +44 20 7946 0018"),
        ("what's the IP address of the board?", "the board is 10.0.4.17"),
        ("what is Ben's e-mail address?", "write to ben@example.org"),
        ("сколько в доме кошек?", "В доме четыре кошки."),
        ("how many seats are there?", "There are 40 seats."),
        ("what discount do students get?", "Students get 15 % off."),
    ],
)
def test_a_text_that_holds_it_may_answer(question, text):
    assert Quantity.of(question).is_in(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how much does a buoy cost?", "A buoy that is silent for thirty hours is lost."),
        ("сколько стоит буй?", "Если буй молчит больше тридцати часов, он потерян."),
        ("сколько весит игра?", "Цену игры снизили до 12 долларов."),
        ("what sampling rate does the recorder use?", "Its files are forty percent smaller."),
        ("what is Anna's phone number?", "Anna never answers the phone after 8"),
        ("which port does the panel listen on?", "The panel speaks JSON over HTTP."),
        ("what's the IP address of the board?", "FRT-14 means that the board is hot."),
        ("how old is Sabina?", "Sabina set up the tables."),
        ("how many dark stores are there?", "Orders are kept for three years."),
        ("how many players tried the demo?", "Hints come after the third attempt."),
        ("Wie viel verdient Klara?", "Klara arbeitet bei einer Bank."),
        ("какая температура должна быть в холодильнике?", "Холодильник не работал четыре часа."),
    ],
)
def test_a_text_that_holds_none_or_another_one_does_not(question, text):
    assert not Quantity.of(question).is_in(text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_may_ask_and_answer(question, text):
    asked = Quantity.of(question)
    assert asked is None or asked.is_in(text) in {True, False}
