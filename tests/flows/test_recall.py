"""The read flow: the right memory first, nothing foreign, nothing made up."""

from __future__ import annotations

import pytest

from realmemory import (
    AbstainReason,
    FakeClock,
    Hippocampus,
    InvalidInputError,
    MemoryConfig,
    WriteRequest,
)
from realmemory.clock import DAY


def texts(packet):
    return [item.text for item in packet.items]


def test_the_quick_start_finds_the_database(memory):
    memory.remember("The project uses PostgreSQL 16 with alembic migrations", scope="myproject")
    memory.remember("The user prefers concise answers")

    packet = memory.recall("which database does the project use?", scope="myproject")

    assert texts(packet)[0] == "The project uses PostgreSQL 16 with alembic migrations"
    assert not packet.abstained


def test_a_second_database_neither_hides_nor_replaces_the_first(memory):
    memory.remember("The project uses PostgreSQL 16 with alembic migrations")
    memory.remember("We use MySQL 8 for analytics")

    packet = memory.recall("which MySQL version do we use?")

    assert texts(packet)[0] == "We use MySQL 8 for analytics"
    assert len(memory.list()) == 2


def test_a_project_sees_itself_and_global_and_nothing_else(memory):
    memory.remember("The release password vault is Bitwarden", scope="alpha")
    memory.remember("The release password vault is 1Password", scope="beta")
    memory.remember("The release password vault is reviewed yearly")

    seen = {item.scope for item in memory.recall("release password vault", scope="alpha").items}
    assert seen == {"alpha", "global"}
    seen = {item.scope for item in memory.recall("release password vault").items}
    assert seen == {"global"}
    everything = memory.recall("release password vault", all_scopes=True)
    assert {item.scope for item in everything.items} == {"alpha", "beta", "global"}


@pytest.mark.parametrize("query", ["the", "и в на", "*", '"', "AND OR NOT", "(", "", "   "])
def test_queries_without_content_abstain(memory, query):
    memory.remember("The deploy of the API is done by the ops team")
    memory.remember("Кэш сессий хранится в Redis и в памяти")

    packet = memory.recall(query)

    assert packet.abstained
    assert packet.reason is AbstainReason.NOTHING_MATCHED


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", True, None])
def test_a_k_that_is_no_number_of_hits_is_refused(memory, k):
    with pytest.raises(InvalidInputError) as caught:
        memory.recall("anything", k=k)
    assert caught.value.code == "invalid_k"


def test_k_bounds_the_hits_and_a_larger_k_only_appends(memory):
    for number in range(8):
        memory.remember(f"Incident {number} was caused by the cache layer")

    small = memory.recall("incidents caused by the cache layer", k=3)
    large = memory.recall("incidents caused by the cache layer", k=8)

    assert len(small.items) == 3
    assert texts(large)[:3] == texts(small)


def test_what_nobody_uses_leaves_the_ordinary_recall_and_is_not_lost(folder):
    clock = FakeClock()
    with Hippocampus.open(folder, clock=clock) as memory:
        written = memory.remember("The demo account expires soon")
        clock.advance(90 * DAY)

        # It answers for want of anything better, and says that it has faded.
        assert [item.source for item in memory.recall("demo account").items] == ["archive"]
        assert memory.consolidate(dry_run=True).archived_traces == 1
        assert memory.get(written.memory_id).status == "active"
        memory.consolidate()
        assert memory.get(written.memory_id).status == "archived"
        assert memory.restore(written.memory_id) == 1
        assert texts(memory.recall("demo account")) == ["The demo account expires soon"]


def test_recall_works_while_another_process_holds_the_write_lock(memory):
    memory.remember("The linter is ruff")

    with memory._context.store.write():
        packet = memory.recall("which linter?")

    assert texts(packet) == ["The linter is ruff"]


def test_recall_writes_nothing_until_the_next_write(memory):
    memory.remember("The linter is ruff")
    before = memory.stats()["rev"]

    for _ in range(3):
        memory.recall("which linter?")

    assert memory.stats()["rev"] == before
    assert memory.stats()["recalls"] == 3


def test_a_store_keeps_its_configuration(folder, clock):
    with Hippocampus.open(folder, clock=clock, config=MemoryConfig(tau_episodic=10 * DAY)):
        pass
    with Hippocampus.open(folder, clock=clock) as memory:
        assert memory.config.tau_episodic == 10 * DAY


def test_time_windows_are_applied_before_the_limit(memory, clock):
    start = clock.now()
    for day in range(20):
        memory.remember(f"Standup note of day {day}: cache work", when=start + day * DAY)
    clock.advance(20 * DAY)

    packet = memory.recall(
        "standup note cache work", k=2, since=start + 3 * DAY, until=start + 5 * DAY
    )

    assert {item.observed_at for item in packet.items} <= {start + 3 * DAY, start + 4 * DAY}
    assert len(packet.items) == 2


def test_a_question_in_invented_words_is_not_answered_by_the_likeness_of_their_pieces(memory):
    for name in ("blorfquindle", "wexatrond", "piffetmorg", "drusk"):
        memory.remember(f"The {name} hangs over the glimmerhold.")
    packet = memory.recall("zanquorm vittelbrax okkufern")
    assert packet.abstained
    assert packet.reason == AbstainReason.NOTHING_MATCHED
    assert memory.recall("wexatrond").items[0].text == "The wexatrond hangs over the glimmerhold."


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("which database does the project use?", 0.0),
        ("какую базу данных использует проект?", 1.0),
    ],
)
def test_an_explanation_says_whether_the_nearest_texts_share_the_script(memory, question, share):
    memory.remember("The project uses PostgreSQL 16 with alembic migrations")
    memory.remember("We use MySQL 8 for analytics of the project")

    packet = memory.recall(question, explain=True)

    assert packet.explanation["query"]["apart"] == share


def test_the_exact_identifier_comes_before_its_neighbours(memory):
    """Numbers lie next to each other in meaning, and of near-copies only the first counts in full."""
    things = ("piano", "printer", "scanner", "turbine", "sensor", "lathe")
    has = ("a broken hinge", "a new cover", "a yellow sticker", "a loose screw", "two batteries")
    names = [f"{things[n % 6]}-{1000 + n * 7}" for n in range(140)]
    memory.remember_many(
        WriteRequest(
            text=f"The {name} has {has[at % 5]} and stands in room {at * 37 % 400}.",
            force_new=True,
        )
        for at, name in enumerate(names)
    )
    for name in names:
        for question in (f"What does the {name} have?", name):
            best = memory.recall(question).items[0]
            assert f"The {name} " in best.text, question


def test_a_neighbour_of_an_identifier_that_nobody_told_is_not_sure(memory):
    memory.remember_many(
        f"The lathe-{1000 + n * 7} has a loose screw and stands in room {n * 37 % 400}."
        for n in range(140)
    )
    known = memory.recall("Where does the lathe-1140 stand?").items[0].confidence
    unknown = memory.recall("Where does the lathe-1141 stand?").items
    assert known > 0.7
    assert all(item.confidence < 0.6 for item in unknown)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("search down", "On 4 March search was down for 12 minutes because of a bad config"),
        (
            "when was search down?",
            "On 4 March search was down for 12 minutes because of a bad config",
        ),
        ("where is the heating off?", "The heating is off in the cellar"),
    ],
)
def test_what_is_down_or_off_is_asked_for_by_it(memory, question, answer):
    for text in (
        "search is deployed from the branch release/search-3",
        "On 4 March search was down for 12 minutes because of a bad config",
        "The heating is on in the attic",
        "The heating is off in the cellar",
    ):
        memory.remember(text)
    assert texts(memory.recall(question))[0] == answer
