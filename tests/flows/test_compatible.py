"""Which statements of one form contradict each other, and which both hold."""

from __future__ import annotations

import pytest

from flows.pairs import in_conflict
from realmemory.clock import DAY

BOTH_HOLD = [
    ("Petra enjoys sailing", "Petra enjoys opera"),
    ("Our team knows Rust", "Our team knows Go"),
    ("The kiln needs gas", "The kiln needs firebricks"),
    ("Our workshop uses Inkscape", "Our workshop uses Blender"),
    ("The soup contains celery", "The soup contains cream"),
    ("Nora has a goat", "Nora has a donkey"),
    ("Ida works at the observatory", "Ida works on Saturdays"),
    ("Die Werkstatt nutzt Inkscape", "Die Werkstatt nutzt Blender"),
    ("Мастерская использует Inkscape", "Мастерская использует Blender"),
    ("Gate 12 opens at dawn", "Gate 13 opens at dawn"),
    ("Shelf A holds paint", "Shelf B holds paint"),
    ("Mia bought a drill", "Mia bought a saw"),
    ("The driver supports Linux", "The driver supports BSD"),
    ("Lena spricht Polnisch", "Lena spricht Dänisch"),
    ("Артём любит шахматы", "Артём любит гандбол"),
    ("Dr Ames sees patients in room 3", "Dr Levi sees patients in room 5"),
    ("The public API allows 120 calls per minute", "The partner API allows 600 calls per minute"),
    ("Ella swims in lane 2", "Noor swims in lane 4"),
    ("Der Kindergarten beginnt um 8:00", "Die Realschule beginnt um 7:45"),
    ("Лена живёт в доме 4", "Олег живёт в доме 9"),
    (
        "Der Schlüssel für die Sauna liegt bei Frau Rau",
        "Der Schlüssel für den Kahn liegt bei Herrn Voss",
    ),
    ("Die Fahrt nach Passau dauert drei Stunden", "Die Fahrt nach Jena dauert fünf Stunden"),
    ("Der Helm von Mama hat Größe 55", "Der Helm von Papa hat Größe 59"),
    ("Das Turnen der Kinder ist montags", "Das Turnen der Eltern ist freitags"),
    ("My suitcase is 3 kg", "My suitcase is 55 cm"),
    ("Ann's shoe size is 36", "Ben's shoe size is 41 and a half"),
    ("The rent is 900 euros", "The rent is 120 euros for the garage"),
    ("Every tray is 4 kg", "Every tray is 5 kg and a half"),
]
EITHER_HOLDS = [
    ("Petra lives in Bonn", "Petra lives in Kiel"),
    ("My shoe size is 36", "My shoe size is 37 and a half"),
    ("The rent is 900 euros", "The rent is 950 euros a month"),
    ("My blood pressure is 130 over 85", "My blood pressure is 124 over 80"),
    ("Die Miete ist 900 Euro", "Die Miete ist 950 Euro im Monat"),
    ("Мой размер обуви 36", "Мой размер обуви 37 с половиной"),
    (
        "Der Schlüssel für die Sauna liegt bei Frau Rau",
        "Der Schlüssel für die Sauna liegt bei Herrn Voss",
    ),
    ("Der Helm von Mama hat Größe 55", "Der Helm von Mama hat Größe 56"),
    ("The port is 80", "The port is 81"),
    ("We use Miro for sketches", "We use Excalidraw for sketches"),
    ("The kiln uses port 9000", "The kiln uses port 9001"),
    ("The kiln needs two fans", "The kiln needs three fans"),
    ("Guests rarely use the ramp", "Guests always use the ramp"),
    ("Ida works at the observatory", "Ida works at the planetarium"),
    ("Jonas isst um sechs", "Jonas isst um sieben"),
    ("Tom visited Cairo in May", "Tom visited Cairo in June"),
    ("Petra only likes opera", "Petra only likes jazz"),
    ("Gate 12 opens at dawn", "Gate 12 opens at noon"),
    ("Eva likes opera", "Eva does not like opera"),
    ("The default editor is vim", "The default editor is nano"),
    ("Sven lives in Malmö", "Sven has relocated to Oslo"),
    ("Wir nutzen Slack für den Chat", "Wir haben Slack durch Mattermost ersetzt"),
    ("Игорь работает в Яндексе", "Игорь уволился из Яндекса"),
    ("Ella swims in lane 2", "Ella swims in lane 4"),
    ("Лена живёт в доме 4", "Лена живёт в доме 9"),
    ("The old gate opens at 6:00", "The new gate opens now at 7:00"),
]


@pytest.mark.parametrize(("one", "other"), BOTH_HOLD)
def test_what_may_be_true_of_several_things_is_no_conflict(memory, one, other):
    assert not in_conflict(memory, one, other)


@pytest.mark.parametrize(("one", "other"), EITHER_HOLDS)
def test_what_one_alone_can_be_is_a_conflict(memory, one, other):
    assert in_conflict(memory, one, other)


def test_notes_about_numbered_things_of_one_pattern_are_in_conflict_with_none(memory):
    written = memory.remember_many(
        f"Ticket {at} of team {at % 7}: the pump in hall {at % 5} was replaced by worker {at % 11}"
        for at in range(60)
    )
    assert sum(len(one.conflicts) for one in written) == 0


def test_what_is_numbered_with_zeros_or_as_a_number_contradicts_no_other(memory):
    for one, other in (
        ("Everyone shares rule 001 of the house", "Everyone shares rule 002 of the house"),
        ("Depot number 30 opens at 6 hours", "Depot number 31 opens at 7 hours"),
    ):
        memory.remember(one)
        assert memory.remember(other).conflicts == ()
        assert not memory.remember(one).created


@pytest.mark.parametrize(("days", "contradicts"), [(0, True), (3, False)])
def test_what_was_done_on_another_day_contradicts_nothing(memory, clock, days, contradicts):
    first = memory.remember("I ran 5 km").memory_id
    clock.advance(days * DAY)
    assert memory.remember("I ran 8 km").conflicts == ((first,) if contradicts else ())
