"""A memory of a few facts answers by meaning, and still refuses what it knows nothing of."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus

TEAM = (
    "nginx serves the static files",
    "We deploy on Fridays",
    "The database is PostgreSQL 16",
    "Alice owns the billing service",
    "The office is in Berlin",
)
MORE = (
    "Invoices are sent on the first working day of a month",
    "The staging server restarts every night",
    "Pull requests need two reviewers",
    "Secrets live in the vault of the platform team",
    "Customers reach support by phone until six",
    "The mobile app supports the last two releases of both systems",
    "Backups are kept for ninety days",
    "Translations come from the agency in Prague",
    "The design review happens on Tuesdays",
    "Payments are refunded within ten days",
    "Nobody edits the generated client by hand",
    "Log lines are structured as JSON",
    "The load test runs against a copy of production",
    "Feature flags expire after a quarter",
    "The warehouse is refreshed before breakfast",
)
FOREIGN = ("who won the world cup?", "recipe for pancakes", "how tall is mount everest?")


def filled(folder, facts):
    memory = Hippocampus.open(folder)
    for fact in facts:
        memory.remember(fact)
    return memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when do we release?", TEAM[1]),
        ("who is responsible for invoices?", TEAM[3]),
    ],
)
def test_five_facts_answer_by_meaning_alone(tmp_path, question, answer):
    with filled(tmp_path, TEAM) as memory:
        packet = memory.recall(question)
    assert packet.items[0].text == answer


@pytest.mark.parametrize("facts", [TEAM[:1], TEAM, TEAM + MORE], ids=["one", "five", "twenty"])
def test_foreign_questions_are_refused_however_few_facts_there_are(tmp_path, facts):
    with filled(tmp_path, facts) as memory:
        assert all(memory.recall(question).abstained for question in FOREIGN)


@pytest.mark.parametrize("facts", [TEAM[:1], TEAM, TEAM + MORE], ids=["one", "five", "twenty"])
def test_the_words_of_a_fact_find_it(tmp_path, facts):
    with filled(tmp_path, facts) as memory:
        assert memory.recall("what serves static files?").items[0].text == facts[0]
