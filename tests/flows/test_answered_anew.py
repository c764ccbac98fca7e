"""What is told anew without a word of change: who asks gets the later one first, and no other thing."""

from __future__ import annotations

import pytest

from realmemory.clock import DAY

HOUR = 3_600.0

ANEW = [
    ("The sauna opens at 16:30", "The sauna opens at 15:00 on the days before a race", "when does the sauna open?"),
    ("Our archivist is Lotte Brandes", "Imran Qureshi was elected archivist in the spring meeting", "who is our archivist?"),
    ("The fee for the kiln is 14 euros", "Kiln fee: 19 euros, cones included", "what is the fee for the kiln?"),
    ("The spare pump is in the boiler room", "The spare pump lives under the stairs", "where is the spare pump?"),
    ("Ola teaches Danish, Finn teaches Polish", "Finn teaches Danish", "who teaches Danish?"),
    ("Schriftführerin ist Wiebke Ohm", "Zum Schriftführer haben wir Arne Tiedt gewählt", "wer ist Schriftführer?"),
    ("Староста хора — Вера Лунина", "Старостой хора выбрали Глеба Титова", "кто староста хора?"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "question"), ANEW)
def test_of_two_that_answer_the_later_comes_first(memory, clock, first, second, question):
    old = memory.remember(first).memory_id
    clock.advance(9 * DAY)
    new = memory.remember(second).memory_id
    clock.advance(DAY)
    packet = memory.recall(question)
    assert [item.memory_id for item in packet.items[:2]] == [new, old]


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("Locker row one has ten lockers", "Locker row two has eight lockers", "how many lockers has row one?"),
        ("The ferry to Vis leaves at 7:10", "The ferry to Brac leaves at 9:40", "when does the ferry to Vis leave?"),
        ("The deposit for the tent is 50 euros", "The deposit for the stage is 300 euros", "what is the deposit for the tent?"),
        ("The kiln manual is on the shelf", "Ines talked about the kiln manual for an hour", "where is the kiln manual?"),
        ("Im Winter öffnet der Laden um 9 Uhr", "Im Sommer öffnet der Laden um 7 Uhr", "wann öffnet der Laden im Winter?"),
        ("Invoice 2231 is the one for the Miller kitchen", "Invoice 2240 is for the Schmidt bathroom, the Miller kitchen was cheaper", "which invoice is for the Miller kitchen?"),
        ("We paid 300 euros for the sofa", "We paid 40 euros for the delivery of the sofa", "how much did we pay for the sofa?"),
        ("Lena is our accountant", "Lena asked Mark about the accountant exam", "who is our accountant?"),
        ("Билет до Орла стоит 410 рублей", "Билет до Ельца стоит 530 рублей", "сколько стоит билет до Орла?"),
    ],
)  # fmt: skip
def test_what_the_question_tells_apart_stays_apart(memory, clock, first, second, question):
    old = memory.remember(first).memory_id
    clock.advance(HOUR)
    memory.remember(second)
    assert memory.recall(question).items[0].memory_id == old


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("The licence of the sander costs 80 euros a year", "Licence of the sander from May: 95 euros", "what does the licence of the sander cost?"),
        ("Der Pachtvertrag der Wiese läuft bis 30. Juni", "Pachtvertrag der Wiese: verlängert bis März 2031", "bis wann läuft der Pachtvertrag der Wiese?"),
        ("Аренда катка стоит 12 тысяч", "Аренда катка с марта: 15 тысяч", "сколько стоит аренда катка?"),
        ('The canoe "Otter" has a crack and must not be used on the lake', "The Otter was repaired", "may the Otter be used on the lake?"),
    ],
)  # fmt: skip
def test_a_note_tells_of_what_it_begins_with(memory, clock, first, second, question):
    old = memory.remember(first).memory_id
    clock.advance(9 * DAY)
    new = memory.remember(second).memory_id
    clock.advance(DAY)
    assert [item.memory_id for item in memory.recall(question).items[:2]] == [new, old]


def test_what_another_is_told_under_a_head_changes_nothing(memory, clock):
    old = memory.remember("Mrs Abel takes warfarin 3 mg").memory_id
    clock.advance(9 * DAY)
    memory.remember("Mr Osei: warfarin stopped after the operation")
    clock.advance(DAY)
    assert memory.recall("how much warfarin does Mrs Abel take?").items[0].memory_id == old


def test_news_of_one_clause_is_none_of_what_another_says(memory, clock):
    text = "Residence permit: appointment on 9 May at the office, bring form RP-7"
    old = memory.remember(text).memory_id
    clock.advance(HOUR)
    memory.remember("The residence permit appointment was pushed to 30 May")
    answer = memory.recall("which form do I bring to the office?")
    assert answer.items[0].memory_id == old
