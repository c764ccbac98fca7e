"""Things told apart by the number, letter or ordinal that stands with them."""

from __future__ import annotations

import pytest

from realmemory.policies.subject.grammar import Words
from realmemory.policies.subject.numbered import Numbered


def counterpart(question, text):
    asked = Numbered.of(Words.of(question))
    found = None if asked is None else asked.counterpart(Words.of(text))
    return None if found is None else (found.asked, found.said)


@pytest.mark.parametrize(
    ("question", "text", "asked", "said"),
    [
        ("which team booked room 84?", "Room 128 is booked by team 84", "room 84", "room 128"),
        (
            "who closed ticket #1558?",
            "Ticket 2166 took Cy 1558 minutes",
            "ticket 1558",
            "ticket 2166",
        ),
        ("when was ticket 1558 closed", "Tickets 7, 8 and 9 are closed", "ticket 1558", "ticket 7"),
        (
            "what broke in version 2.4.1?",
            "Version 2.4.2 broke search",
            "version 2.4.1",
            "version 2.4.2",
        ),
        ("кто закрыл заявку 158?", "Заявку 216 закрыла Анна", "заявку 158", "заявку 216"),
        ("Wer hat Zimmer 12?", "Zimmer Nr. 14 hat Otto, 12 Euro teurer", "zimmer 12", "zimmer 14"),
        ("who leads team B?", "Team C is led by Ada", "team b", "team c"),
        ("revenue in Q3 2024?", "Revenue in Q3 2016 was 34 million", "q3 2024", "q3 2016"),
        ("who rents the 3rd floor?", "Floor 5 is rented by Ida", "floor 3", "floor 5"),
    ],
)
def test_which_number_it_has(question, text, asked, said):
    assert counterpart(question, text) == (asked, said)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("who rents the first floor?", "Bert rents the second floor"),
        ("who rents the third floor?", "The sixth floor is let to Finn, the third tenant"),
        ("wer wohnt im zweiten Stock?", "Im dritten Stock wohnt Otto"),
        ("кто снимает второй этаж?", "Третий этаж снимает Олег"),
    ],
)
def test_which_one_in_order_it_is(question, text):
    assert counterpart(question, text) is not None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("which team booked room 84?", "Rooms 83, 84 and 85 are booked by team 3"),
        ("which team booked room 84?", "Room 128 is next to room 84, which team 3 booked"),
        ("who cleans room 84?", "Ida cleans rooms 80 to 90"),
        ("what needs Python 3?", "The exporter needs Python 3.12"),
        ("what needs Python 3.12?", "The exporter needs Python 3"),
        ("who works past 5?", "Ann works past 6"),
        ("who is in the top 5?", "Ida is in the top 3"),
        ("does it run on Python 3.12?", "It runs on Python 3.11 or later"),
        ("who closed ticket 0158?", "Ticket 158 was closed by Ann"),
        ("who bought 5 pears?", "Tom bought 3 apples and 5 pears"),
        ("what happened on May 5?", "On May 6 the pier was closed, on 5 May it opened"),
        ("is the port 8080?", "The server uses port 9090"),
        ("which room is booked?", "Room 128 is booked"),
        ("who waited 84 minutes in room 5?", "In room 5 Ann waited 84 minutes"),
        ("which room does team 84 have?", "Room 128 is booked by team 84"),
        ("who rents floor 3?", "The third floor is rented by Ida"),
        ("which room did team I know book?", "Team B booked room 5"),
        ("who leads team B?", "Teams A, B and C are led by Ada"),
        ("which house has 3 rooms?", "The house of Ida has 4 rooms"),
        ("what is in box 7?", "In the box 12 apples were left"),
        ("how long did lap 3 take?", "The laps took 91, 88 and 87 seconds"),
    ],
)
def test_a_count_a_range_and_a_list_name_no_other(question, text):
    assert counterpart(question, text) is None
