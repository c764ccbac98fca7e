"""Which plain statements say that a known one has changed, and which are about something else."""

from __future__ import annotations

import pytest

from flows.pairs import in_conflict

CHANGED = [
    ("The shuttle to the airport leaves at 6:40", "From November the shuttle leaves at 7:10"),
    ("Choir practice is on Thursdays at 19:30", "Choir practice will be on Tuesdays from January"),
    (
        "Die Sprechstunde ist montags um 15 Uhr",
        "Ab Oktober ist die Sprechstunde mittwochs um 14 Uhr",
    ),
    ("Планёрка по вторникам в 10:00", "С ноября планёрка по четвергам в 11:00"),
    ("Issue 882: uploads over 2 GB time out", "Issue 882 was resolved by chunking the uploads"),
    (
        "Wir haben den Beamer an Familie Voss verliehen",
        "Familie Voss hat den Beamer zurückgebracht",
    ),
    ("Одолжили дрель соседу", "Сосед вернул дрель"),
    ("The dishwasher works again", "The dishwasher is broken"),
    ("The keys hang in the kitchen", "The keys were moved to the hall"),
    ("Тренер команды — Олег", "Новый тренер команды — Игорь"),
    ("Мы ездим на «Форде»", "«Форд» продали"),
    (
        "Trial 7: the yield at Ulm was 3.4 tonnes a hectare",
        "Correction to trial 7: the yield at Ulm is 4.3 tonnes, the digits were mixed up",
    ),
    (
        "Die Probe aus Kiel wiegt 310 Gramm",
        "Berichtigung zu der Probe aus Kiel: sie wiegt 130 Gramm, die Ziffern waren vertauscht",
    ),
    ("Ruth works at Siemens", "Ruth started at Bosch last week"),
    ("Omar works for Shell as a chemist", "Omar was hired by Equinor"),
    ("I work at Siemens", "I started a new job at Bosch"),
    ("Noor works at Delta in the mornings", "Noor joined Vattenfall in May"),
    ("Lena arbeitet bei Siemens", "Lena hat bei Bosch angefangen"),
    ("Аня работает в Яндексе", "Аня устроилась в Озон"),
]
LEFT_ALONE = [
    ("Olga Stern owns the billing module", "Olga Stern no longer eats meat"),
    ("Peter Lang lives in Trier", "Peter Lang now speaks Polish"),
    ("Rita Moss is allergic to nuts", "Rita Moss now has a dog"),
    ("The server backups run in hall 2", "We swapped halls with the gym"),
    ("Passwords for Moodle expire after 60 days", "Moodle was upgraded to version 5"),
    ("The freezer in the cellar holds 200 litres", "The fish was moved to the new freezer"),
    (
        "Referrals go to the Marien clinic",
        "From April invoices go to the bank instead of the office",
    ),
    ("Choir practice is at 19:30", "From January the choir sings in the new hall"),
    ("Marta teaches at the evening school", "Marta resigned from the council"),
    ("Пользователя зовут Игорь", "Игорь уволился из банка"),
    ("Папа Игоря живёт в Омске", "Игорь больше не курит"),
    ("Die Werkstatt hat 12 Plätze", "Die Werkstatt wurde auf Freitag verschoben"),
    ("We lent the projector to Saskia", "Saskia fixed the fence"),
    (
        "Trial 8: the yield at Ulm was 5.1 tonnes a hectare",
        "Correction to trial 7: the yield at Ulm is 4.3 tonnes, the digits were mixed up",
    ),
    ("Ruth works at Siemens", "Ruth joined the choir in May"),
    ("Ruth works at Siemens", "Ruth started at the gym in May"),
    ("Ruth works at Siemens", "Ruth joined Tim at the cinema"),
    ("Ruth works at Siemens", "Ruth was hired by Siemens in 2019"),
    ("Ruth works at Siemens", "Tom started at Bosch last week"),
    ("Ruth works on Tuesdays", "Ruth joined Bosch in May"),
]


@pytest.mark.parametrize(("first", "second"), CHANGED)
def test_what_says_that_a_known_statement_has_changed_contradicts_it(memory, first, second):
    assert in_conflict(memory, first, second)


@pytest.mark.parametrize(("first", "second"), LEFT_ALONE)
def test_news_of_the_same_one_contradicts_nothing_that_it_does_not_speak_of(memory, first, second):
    assert not in_conflict(memory, first, second)


def test_news_of_something_else_in_the_same_place_answers_nothing_for_it(memory, clock):
    vaccines = memory.remember("Vaccines are kept in the fridge in room 2").memory_id
    fax = memory.remember("Papers for the court go to Mr Oduya, fax 5511").memory_id
    clock.advance(5 * 86_400.0)
    memory.remember("Dr Ames has swapped rooms with Dr Levi")
    memory.remember("From April parcels go to the depot instead of the porter")
    assert memory.recall("where are the vaccines kept?").items[0].memory_id == vaccines
    assert memory.recall("which fax for papers to the court?").items[0].memory_id == fax


def test_what_stands_before_a_colon_is_what_the_rest_is_about(memory, clock):
    memory.remember("Bug 4471: invoices for Norway show the wrong currency")
    clock.advance(86_400.0)
    fixed = memory.remember("Bug 4471 was fixed by reading the country table anew").memory_id
    packet = memory.recall("was the bug with the currency for Norway fixed?")
    assert packet.items[0].memory_id == fixed
