"""Dialogues with an assistant: what it said is found as well as what the user said."""

from __future__ import annotations

import random

import pytest

ENGLISH = [
    ("user", "I have so much to do this week. The kitchen sink is leaking again."),
    ("assistant", "That sounds annoying. Have you already called someone about it?"),
    ("user", "Not yet. I also have to call the plumber, and fetch the car from the garage."),
    ("assistant", "The plumber's number is 555-0142. You saved it last month."),
    ("user", "Great. And the garage?"),
    ("assistant", "The garage closes at half past six on weekdays."),
    ("user", "I need to buy a present for my sister's birthday too."),
    ("assistant", "Your sister Clara turns thirty on Saturday; she wished for a teapot."),
    ("user", "Which train should I take to Leipzig on Friday?"),
    ("assistant", "The train to Leipzig leaves at 8:14 from platform nine."),
    ("user", "And the hotel in Leipzig, I forgot which one I booked."),
    ("assistant", "You booked the Hotel Linde, room 12, for two nights."),
    ("user", "I should also ask the doctor about my knee."),
    ("assistant", "Doctor Weiss has a free appointment on Tuesday at ten."),
]
RUSSIAN = [
    ("user", "Мне ещё надо позвонить сантехнику, кран опять течёт."),
    ("assistant", "Телефон сантехника 555-0142, вы сохранили его в прошлом месяце."),
    ("user", "А ещё надо забрать машину из мастерской."),
    ("assistant", "Мастерская закрывается в половине седьмого."),
    ("user", "Надо купить подарок сестре на день рождения."),
    ("assistant", "Ваша сестра Клара мечтала о заварочном чайнике."),
    ("user", "На каком поезде мне ехать в Казань в пятницу?"),
    ("assistant", "Поезд в Казань отходит в 8:14 с девятого пути."),
    ("user", "И гостиницу в Казани я забыл, какую забронировал."),
    ("assistant", "Забронирована гостиница «Липа», номер 12, на две ночи."),
]
ASKED = [
    (
        ENGLISH,
        {
            "what is the plumber's number?": 3,
            "when does the garage close?": 5,
            "what did my sister wish for?": 7,
            "when does the train to Leipzig leave?": 9,
            "which hotel did I book?": 11,
            "when does the doctor have a free appointment?": 13,
        },
    ),
    (
        RUSSIAN,
        {
            "какой телефон у сантехника?": 1,
            "когда закрывается мастерская?": 3,
            "о чём мечтала сестра?": 5,
            "во сколько отходит поезд в Казань?": 7,
            "какая гостиница забронирована?": 9,
        },
    ),
]
WORDINGS = (
    "On day {day} Ann planted {count} tulips near the gate",
    "Day {day}: Ann planted {count} tulips near the gate",
    "{count} tulips were planted near the gate on day {day}",
    "On day {day} Ann put {count} tulips into the bed near the gate",
)


@pytest.mark.parametrize(("chat", "questions"), ASKED, ids=["English", "Russian"])
def test_what_an_assistant_answered_is_found_before_what_the_user_asked(memory, chat, questions):
    turns = [{"role": role, "text": text} for role, text in chat]
    ids = memory.store_conversation(turns, session_id="s").ids

    ranks = []
    for question, gold in questions.items():
        found = [item.memory_id for item in memory.recall(question, k=5).items]
        ranks.append(found.index(ids[gold]) + 1)
    assert max(ranks) <= 2, ranks
    assert ranks.count(1) > len(ranks) / 2, ranks


def test_in_a_long_chat_either_side_is_found_as_often(memory):
    chance = random.Random(5)
    turns = [
        {
            "role": ("user", "assistant")[day % 2],
            "text": chance.choice(WORDINGS).format(day=day, count=chance.randint(2, 99)),
        }
        for day in range(100, 1100)
    ]
    ids = memory.store_conversation(turns, session_id="s").ids

    found = {"user": 0, "assistant": 0}
    for at in range(0, 1000, 25):
        packet = memory.recall(f"how many tulips were planted on day {100 + at}?", k=5)
        found[turns[at]["role"]] += ids[at] in {item.memory_id for item in packet.items}
    assert found == {"user": 20, "assistant": 20}


def test_a_long_answer_of_an_assistant_is_found(memory):
    advice = " ".join(
        f"Step {n}: keep the surface clean, work slowly and let each layer dry for a night."
        for n in range(1, 25)
    )
    turns = [
        {"role": "user", "text": "I would like to restore the old rowing boat this summer."},
        {"role": "assistant", "text": f"{advice} For the hull of the boat use linseed varnish."},
        {"role": "user", "text": "Thanks! I will begin with the oars, those are in the shed."},
        {"role": "assistant", "text": f"{advice} Good luck with the oars."},
    ]
    ids = memory.store_conversation(turns, session_id="s").ids

    found = memory.recall("which varnish is for the hull?", k=2).items
    assert ids[1] in {item.memory_id for item in found}
