"""Questions that name a time, seen from the caller's now."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus
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
