"""A text that says that it corrects another: told as a conflict, and what is current first."""

from __future__ import annotations

import pytest

from realmemory.clock import DAY

KICKOFF = "The kickoff is on 12 May"
WHEN = "when is the kickoff?"


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        (KICKOFF, "Correction: the kickoff is on 19 May", WHEN),
        (KICKOFF, "Actually, the kickoff is on 19 May", WHEN),
        (KICKOFF, "Update: kickoff is on 19 May", WHEN),
        (KICKOFF, "Sorry, I meant the kickoff is on 19 May", WHEN),
        (
            *("Der Kickoff ist am 12. Mai", "Korrektur: Der Kickoff ist am 19. Mai"),
            "wann ist der Kickoff?",
        ),
        (
            *("Установочная встреча 12 мая", "Исправление: установочная встреча 19 мая"),
            "когда установочная встреча?",
        ),
        (
            *("The deploy freeze starts on Friday", "Edit: the deploy freeze starts on Thursday"),
            "when does the deploy freeze start?",
        ),
    ],
)
def test_a_correction_is_in_conflict_with_what_it_corrects_and_comes_first(
    memory, clock, first, second, question
):
    old = memory.remember(first)
    clock.advance(DAY)
    new = memory.remember(second)
    assert new.conflicts == (old.memory_id,)
    hits = memory.recall(question).items
    assert [hit.memory_id for hit in hits[:2]] == [new.memory_id, old.memory_id]


def test_of_two_of_one_time_the_correction_is_current(memory):
    memory.remember_many([KICKOFF, "Correction: the kickoff is on 19 May"])
    assert memory.recall(WHEN).items[0].text == "Correction: the kickoff is on 19 May"


def test_a_correction_that_says_what_is_known_is_the_same_fact(memory):
    old = memory.remember(KICKOFF)
    assert memory.remember(f"Correction: {KICKOFF}").memory_id == old.memory_id


def test_a_correction_back_to_what_was_said_first_is_current(memory, clock):
    texts = (KICKOFF, "Correction: the kickoff is on 19 May", f"Correction: {KICKOFF}")
    written = []
    for text in texts:
        written.append(memory.remember(text).memory_id)
        clock.advance(DAY)
    assert len(set(written)) == 3
    assert memory.recall(WHEN).items[0].memory_id == written[-1]


def test_of_a_series_a_correction_is_held_against_the_one_it_is_about(memory):
    builds = [memory.remember(f"Build {at} took {at - 30} min").memory_id for at in range(40, 46)]
    assert memory.remember("Build 46 took 29 min").conflicts == ()
    assert memory.remember("Correction: build 43 took 28 min").conflicts == (builds[3],)


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("My email is ann@old.org", "My new email is ann@new.org", "what is my email?"),
        ("Dana is the lead of team Blue", "Lee is the new lead of team Blue", "who leads Blue?"),
        ("The standup is at 9:30", "The standup has been moved to 10:00", "when is the standup?"),
        ("Rent is 1,150 euros", "Rent is now 1,220 euros", "how much is the rent?"),
        ("Lena wohnt in Bremen", "Lena wohnt jetzt in Köln", "wo wohnt Lena?"),
        ("Оля живёт в Москве", "Оля теперь живёт в Твери", "где живёт Оля?"),
        ("Our CI is Jenkins", "We migrated our CI from Jenkins to Argo", "which CI do we use?"),
        ("Ben works at Shell", "Ben left Shell and joined Total", "where does Ben work?"),
        ("Igor plays a Fender", "Igor sold the Fender, has a Gibson", "what does Igor play?"),
        ("Наш трекер Jira", "Мы ушли с Jira, трекер теперь Linear", "какой у нас трекер?"),
        ("Лев ездит на Волге", "Лев продал Волгу, купил Шкоду", "на чём ездит Лев?"),
    ],
)
def test_news_comes_before_what_it_tells_of(memory, clock, first, second, question):
    old = memory.remember(first).memory_id
    clock.advance(60.0)
    new = memory.remember(second).memory_id
    assert [hit.memory_id for hit in memory.recall(question).items[:2]] == [new, old]


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("Our database is MySQL", "We moved the MySQL backups to S3", "which database do we use?"),
        ("Ben works at Shell", "Kim left Shell and joined Total", "where does Ben work?"),
        ("Ben works at Shell", "Ben left the keys at Shell", "where does Ben work?"),
        ("Our CI is Jenkins", "The mail about our CI came from Jenkins", "which CI do we use?"),
        ("Наш трекер Jira", "Мы получили письмо из Jira", "какой у нас трекер?"),
    ],
)
def test_what_only_mentions_an_answer_does_not_come_before_it(
    memory, clock, first, second, question
):
    old = memory.remember(first).memory_id
    clock.advance(60.0)
    memory.remember(second)
    assert memory.recall(question).items[0].memory_id == old


def test_what_was_left_comes_first_where_it_was_taken_up_again_since(memory, clock):
    memory.remember("We migrated our CI from Jenkins to Argo")
    clock.advance(DAY)
    current = memory.remember("Our CI is Jenkins").memory_id
    assert memory.recall("which CI do we use?").items[0].memory_id == current


def test_news_that_was_overtaken_itself_comes_behind(memory, clock):
    memory.remember("My new email is ann@old.org")
    clock.advance(DAY)
    current = memory.remember("My email is ann@newest.org").memory_id
    assert memory.recall("what is my email?").items[0].memory_id == current


SAUNA = ("After a swim the sauna helps", "After a swim the bathtub helps")
WARM = "what helps after a swim?"


def told_a_day_apart(memory, clock, texts):
    ids = []
    for text in texts:
        ids.append(memory.remember(text).memory_id)
        clock.advance(DAY)
    return ids


@pytest.mark.parametrize("good", [0, 1])
def test_of_two_that_contradict_each_other_comes_first_what_was_said_to_help(memory, clock, good):
    ids = told_a_day_apart(memory, clock, SAUNA)
    for _ in range(4):
        memory.feedback(ids[good], 1.0)
        memory.feedback(ids[1 - good], -0.3)
        clock.advance(DAY)
    assert memory.recall(WARM).items[0].memory_id == ids[good]


def test_where_both_are_said_to_help_the_later_comes_first(memory, clock):
    ids = told_a_day_apart(memory, clock, SAUNA)
    memory.feedback(ids, 1.0)
    assert memory.recall(WARM).items[0].memory_id == ids[1]


def test_what_helped_before_the_other_was_told_is_the_earlier_one(memory, clock):
    one = memory.remember(SAUNA[0]).memory_id
    clock.advance(DAY)
    memory.feedback(one, 1.0)
    clock.advance(DAY)
    other = memory.remember(SAUNA[1]).memory_id
    assert memory.recall(WARM).items[0].memory_id == other


def test_no_verdict_brings_back_what_a_correction_is_about(memory, clock):
    ids = told_a_day_apart(memory, clock, (KICKOFF, "Correction: the kickoff is on 19 May"))
    memory.feedback(ids[0], 1.0)
    assert memory.recall(WHEN).items[0].memory_id == ids[1]
