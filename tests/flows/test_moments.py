"""Questions that name a time, seen from the caller's now."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, WriteRequest
from realmemory.clock import DAY
from realmemory.report import collect

MAY_8 = 1_683_504_000.0


@pytest.fixture
def diary(memory):
    def said(text, when, name):
        turns = [{"speaker": "Ann", "text": text}, {"speaker": "Bob", "text": "Nice!"}]
        memory.store_conversation(turns, observed_at=when, session_id=name)

    said("I was at the dentist yesterday.", MAY_8, "may")
    said("I was at the dentist yesterday.", MAY_8 + 40 * DAY, "june")
    said("I was at the dentist yesterday.", MAY_8 - 60 * DAY, "march")
    return memory


@pytest.mark.parametrize(
    ("question", "session"),
    [
        ("Was Ann at the dentist on 7 May 2023?", "may"),
        ("Was Ann at the dentist in March 2023?", "march"),
        ("Was Ann at the dentist last week?", "june"),
        ("Was Ann at the dentist after the 3rd of June?", "june"),
        ("Was Ann at the dentist before April 2023?", "march"),
    ],
)
def test_the_turn_of_the_named_time_comes_first(diary, question, session):
    best = diary.recall(question, now=MAY_8 + 46 * DAY).items[0]
    assert diary.get(best.memory_id).session_id == session


def test_the_same_words_mean_another_day_when_asked_later(diary):
    def first(now):
        found = diary.recall("What did Ann say about the dentist two days ago?", now=now)
        return diary.get(found.items[0].memory_id).session_id

    assert first(MAY_8 + 2 * DAY) == "may"
    assert first(MAY_8 + 42 * DAY) == "june"


def test_a_fact_of_the_named_time_comes_before_its_twins(memory):
    now = MAY_8 + 12 * DAY
    for text, when in (("loud", MAY_8), ("crowded", MAY_8 + 5 * DAY), ("cold", MAY_8 + 11 * DAY)):
        memory.remember(f"The harbour fair was {text}.", when=when, force_new=True)
    found = memory.recall("How was the harbour fair seven days ago?", now=now)
    assert found.items[0].text == "The harbour fair was crowded."
    assert len(found.items) == 3


@pytest.mark.parametrize(
    "question", ["on 7 May 2023", "what happened on 7 May 2023?", "что произошло 7 мая 2023 года?"]
)
def test_a_question_of_nothing_but_a_time_gets_what_was_then(diary, question):
    diary.remember("The office moved", when=MAY_8 - DAY / 2)
    packet = diary.recall(question, k=9, now=MAY_8 + 46 * DAY, explain=True)
    found = [diary.get(item.memory_id) for item in packet.items]
    assert {trace.session_id for trace in found} == {"may", None}
    assert all(item.confidence > 0.5 for item in packet.items)


def test_a_time_at_which_nothing_was_said_has_no_answer(diary):
    packet = diary.recall("what happened in July 2021?", now=MAY_8 + 46 * DAY)
    assert packet.abstained
    assert packet.reason == "nothing_matched"


def test_a_question_is_noted_when_it_was_asked_not_when_it_pretends_to_be(memory, clock):
    memory.remember("The cat is called Odile")
    memory.recall("what is the cat called?", now=clock.now() + 1e9)
    memory.consolidate()
    assert collect(memory)["discipline"]["last_recall"] == clock.now()


@pytest.mark.parametrize("question", ["what did we deploy yesterday?", "что мы выкатили вчера?"])
def test_a_fact_of_the_named_day_comes_before_a_better_worded_one(folder, question):
    """What is the answer but for its date loses to what happened then."""
    now = MAY_8 + 50 * DAY
    days = {
        "We deployed the billing service to production": 40,
        "We deployed the search service with the new index": 1,
        "The team had a call with the customer about prices": 7,
        "We deployed the login page": 15,
        "Мы выкатили в бой сервис счетов": 40,
        "Мы выкатили сервис поиска с новым указателем": 1,
    }
    with Hippocampus.open(folder) as memory:
        for text, ago in days.items():
            memory.remember(text, when=now - ago * DAY)
        best = memory.recall(question, now=now).items[0]
    assert days[best.text] == 1


@pytest.fixture
def weeks(memory, clock):
    """What three people did last week, and what reads like it at other times."""
    facts = {
        "Tom fixed the login bug": 7,
        "Tom does the weekly deployment of the shop": 77,
        "Tom said the budget for the fair is too small": 105,
        "Jonas hat die Präsentation für den Vorstand vorbereitet": 8,
        "Jonas macht gern Sport": 200,
        "Маша записалась на курсы керамики": 6,
        "Маша делала ремонт на кухне": 90,
        "We agreed to move the launch to January": 9,
        "We decided to use Postgres": 60,
    }
    for text, ago in facts.items():
        memory.remember(text, when=clock.now() - ago * DAY)
    return memory


@pytest.fixture
def clock(clock):
    """A Wednesday."""
    clock.advance(DAY * ((6 - clock.now() // DAY) % 7))
    return clock


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what did Tom do last week?", "Tom fixed"),
        ("What has Tom been doing since Monday last week?", "Tom fixed"),
        ("Was hat Jonas letzte Woche gemacht?", "Jonas hat"),
        ("что делала Маша на прошлой неделе?", "Маша записалась"),
        ("what did we decide last week?", "We agreed"),
        ("what did Tom say about the budget last week?", "Tom said the budget"),
    ],
)
def test_the_time_decides_unless_the_question_has_a_topic(weeks, question, first):
    assert weeks.recall(question).items[0].text.startswith(first)


@pytest.mark.parametrize(
    "question",
    [
        "what did we do last week?",
        "what were we up to last week?",
        "Was haben wir letzte Woche gemacht?",
        "что мы делали на прошлой неделе?",
    ],
)
def test_who_asks_what_was_done_gets_what_is_of_the_time_and_no_more(weeks, question):
    found = weeks.recall(question, k=9)
    assert {item.text.split()[0] for item in found.items} == {"Tom", "Jonas", "Маша", "We"}
    assert len(found.items) == 4
    assert found.detail is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what happened today?", "nothing is remembered"),
        ("what did Tom do yesterday?", "nothing about Tom is remembered"),
        ("Was habe ich gestern gemacht?", "nothing is remembered"),
        ("что я делал сегодня?", "nothing is remembered"),
        ("what did we decide in April 2001?", "nothing is remembered"),
    ],
)
def test_a_time_of_which_nothing_is_remembered_is_told(weeks, question, said):
    found = weeks.recall(question)
    assert found.detail is not None
    assert found.detail.startswith(said)
    assert all(item.confidence < 0.3 for item in found.items)


def test_a_topic_of_another_time_is_told_as_such(weeks):
    found = weeks.recall("what did Tom say about the budget in April 2001?")
    assert found.items[0].text.startswith("Tom said the budget")
    assert "another time" in found.detail
    assert weeks.recall("what did Tom say about the budget?").detail is None


def test_a_lasting_fact_known_by_then_answers_for_a_later_time(memory, clock):
    memory.remember("Anna lives in Vienna", kind="semantic", when=clock.now() - 400 * DAY)
    found = memory.recall("where did Anna live last month?")
    assert found.items[0].confidence > 0.5
    assert found.detail is None


def test_what_is_to_come_is_found_by_the_days_that_texts_speak_of(folder):
    now = 1_700_000_000.0  # Tuesday 14 November 2023
    told = {
        "The dentist is on 15 November at ten": 40,
        "Am 15. November kommt der Klempner": 35,
        "15 ноября сдать отчёт": 30,
        "The bank calls next Wednesday": 6,
        "Team offsite in Graz from 20 to 22 November": 100,
        "The release comes on 21 November": 20,
    }
    noise = [f"Note {at}: the {at % 7} plants of the garden" for at in range(150)]
    with Hippocampus.open(folder) as memory:
        for text, ago in told.items():
            memory.remember(text, when=now - ago * DAY)
        memory.remember_many([WriteRequest(text=text, when=now - 60 * DAY) for text in noise])
        for question in ("what do I have tomorrow?", "was steht morgen an?", "что у меня завтра?"):
            found = memory.recall(question, k=9, now=now)
            assert {item.text for item in found.items if item.confidence > 0.5} == set([*told][:4])
        found = memory.recall("what is planned for next week?", k=9, now=now)
        assert {item.text for item in found.items} == set([*told][4:])


def test_what_a_speaker_said_in_the_time_answers_in_other_words_as_well(memory, clock):
    turns = [
        {"speaker": "Tom", "text": "I finally fixed the sink in the kitchen."},
        {"speaker": "Anna", "text": "Great! I went to the dentist today."},
        {"speaker": "Tom", "text": "Ouch. Did it hurt?"},
        {"speaker": "Anna", "text": "A little. I also bought a new lamp."},
    ]
    memory.store_conversation(turns, observed_at=clock.now() - 8 * DAY, session_id="a")
    for question in ("what did Anna do last week?", "where did Anna go last week?"):
        found = memory.recall(question)
        assert found.items[0].text.startswith("Great!")
        assert found.detail is None
