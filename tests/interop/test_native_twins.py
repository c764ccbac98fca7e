"""An export is joined to what a memory says already under ids of its own."""

from __future__ import annotations

import io

import pytest

from realmemory import FakeClock, Hippocampus, Status
from realmemory.clock import DAY
from realmemory.interop.native_export import export_lines
from realmemory.interop.native_import import import_lines
from realmemory.interop.outcome import ImportReport, Rejects

KEY = "The spare key hangs behind the boiler"


@pytest.fixture
def clock():
    return FakeClock(1.8e9)


@pytest.fixture
def pair(tmp_path, clock):
    """Return two memories that know nothing of each other."""
    with (
        Hippocampus.open(tmp_path / "here", clock=clock) as here,
        Hippocampus.open(tmp_path / "there", clock=clock) as there,
    ):
        yield here, there


def exported(memory):
    return "".join(line + "\n" for line in export_lines(memory.context, vectors=False))


@pytest.fixture
def bring(tmp_path):
    """Return a function that imports what one memory exports into another."""

    def run(source, target, *, dry_run=False):
        report = ImportReport(dry_run=dry_run)
        stream = io.BytesIO(exported(source).encode())
        with Rejects(tmp_path / "file.jsonl", report) as rejects:
            import_lines(target.context, stream, report, rejects)
        return report

    return run


def counts(report):
    return report.imported, report.updated, report.known


def test_what_both_say_is_one_memory_that_keeps_what_each_adds(pair, bring, clock):
    here, there = pair
    mine = here.remember(KEY, tags=["home"], meta={"by": "me"}, importance=0.2).memory_id
    theirs = there.remember(KEY, tags=["keys"], meta={"by": "them", "room": 3}, importance=0.7)
    there.remember(f"{KEY}!")
    clock.advance(DAY)
    there.pin([theirs.memory_id])
    there.feedback(theirs.memory_id, 1.0)

    assert counts(bring(there, here, dry_run=True)) == (0, 1, 0)
    assert counts(bring(there, here)) == (0, 1, 0)
    (trace,) = here.list()
    assert (trace.id, trace.text, trace.tags) == (mine, KEY, ("home", "keys"))
    assert (trace.meta, trace.importance) == ({"by": "me", "room": 3}, 0.7)
    assert trace.pinned
    assert trace.last_reinforced_at == there.get(theirs.memory_id).last_reinforced_at
    assert f"{KEY}!" in here.wordings(mine)


def test_a_second_import_of_what_was_joined_changes_nothing(pair, bring):
    here, there = pair
    here.remember(KEY)
    there.remember(KEY, tags=["keys"])
    old = there.remember("The code is 1234").memory_id
    new = there.update_fact(old, "The code is 5678").memory_id
    there.link_memories([1, new])
    bring(there, here)
    before = exported(here)

    report = bring(there, here)
    assert (report.imported, report.updated, report.known) == (0, 0, report.read)
    assert exported(here) == before


def test_links_and_history_hang_on_what_was_here(pair, bring):
    here, there = pair
    mine = here.remember("The code is 5678").memory_id
    key = there.remember(KEY).memory_id
    old = there.remember("The code is 1234").memory_id
    new = there.update_fact(old, "The code is 5678").memory_id
    there.link_memories([key, new])

    assert bring(there, here).skipped == {}
    line = here.history(mine)
    assert [trace.text for trace in line] == ["The code is 1234", "The code is 5678"]
    assert line[-1].id == mine
    found = here.recall("where is the spare key?").items
    assert [(item.text, item.source) for item in found][1:] == [("The code is 5678", "associated")]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({}, {"scope": "attic"}),
        ({}, {"when": 1.7e9}),
        ({"when": 1.7e9}, {"when": 1.7e9 + 8 * DAY}),
    ],
)
def test_other_scopes_and_occasions_are_other_memories(pair, bring, mine, theirs):
    here, there = pair
    here.remember(KEY, **mine)
    there.remember(KEY, **theirs)
    for again in (1, 0):
        assert bring(there, here).imported == again
    assert len(here.list(all_scopes=True)) == 2


def test_what_is_given_without_a_time_is_of_no_occasion(pair, bring, clock):
    for memory in pair:
        # Between a text and its row lies the moment that it takes to embed it.
        memory.remember(KEY, when=clock.now() - 0.5)
        clock.advance(3 * DAY)
    here, there = pair
    assert counts(bring(there, here)) == (0, 1, 0)


def test_what_a_file_holds_twice_stays_two_memories(pair, bring):
    here, there = pair
    here.remember(KEY)
    for tag in ("a", "b"):
        there.remember(KEY, tags=[tag], force_new=True)

    assert counts(bring(there, here)) == (1, 1, 0)
    assert counts(bring(there, here)) == (0, 0, 2)
    assert sorted(trace.tags for trace in here.list()) == [("a",), ("b",)]


def test_one_conversation_of_both_is_there_once(pair, bring):
    said = [{"text": "I adopted a cat", "speaker": "Ann"}, {"text": "Its name?", "speaker": "Ben"}]
    for memory in pair:
        memory.store_conversation(said, session_id="s1", observed_at=1.65e9)
    here, there = pair
    assert counts(bring(there, here)) == (0, 0, 2)
    assert len(here.list()) == 2


def test_of_what_was_forgotten_here_a_later_word_counts(pair, bring, clock):
    here, there = pair
    mine = here.remember(KEY).memory_id
    there.remember(KEY)
    clock.advance(DAY)
    here.forget(mine)
    assert counts(bring(there, here)) == (0, 0, 1)
    assert here.get(mine).status is Status.ARCHIVED

    clock.advance(DAY)
    there.remember(KEY, tags=["keys"])
    assert counts(bring(there, here)) == (0, 1, 0)
    assert here.recall("where is the spare key?").items[0].memory_id == mine
