"""Sleep: reversible, cheap, alone, and never destructive by default."""

from __future__ import annotations

import random
import sqlite3

import pytest

from realmemory import Hippocampus, Kind, MemoryConfig, NotFoundError, Status
from realmemory.clock import DAY
from realmemory.policies import decay
from realmemory.store.lock import WriteLock

FACTS = [
    "The canteen closes at three",
    "Kim maintains the search cluster",
    "Staging resets every Monday",
    "The logo uses a heron",
]


def fill(memory: Hippocampus) -> list[int]:
    return [memory.remember(text, force_new=True).memory_id for text in FACTS]


def test_a_dry_run_changes_nothing_and_keeps_the_queue(memory, clock):
    fill(memory)
    memory.reconfigure(archive_max_share=1.0)
    memory.recall("who maintains the search cluster?")
    clock.advance(200 * DAY)
    before = memory.stats()

    plan = memory.consolidate(dry_run=True)

    assert plan.dry_run
    assert plan.archived_traces == len(FACTS)
    assert memory.stats() == before
    assert memory.stats()["recalls"] == 1
    assert memory.consolidate().archived_traces == len(FACTS)


def test_what_faded_is_archived_and_nothing_is_deleted(memory, clock):
    ids = fill(memory)
    memory.reconfigure(archive_max_share=1.0)
    memory.pin(ids[0])
    clock.advance(200 * DAY)

    report = memory.consolidate()

    assert report.archived_traces == 3
    assert memory.get(ids[0]).status is Status.ACTIVE
    assert {memory.get(item).status for item in ids[1:]} == {Status.ARCHIVED}


def test_undo_brings_back_what_the_last_sleep_archived(memory, clock):
    ids = fill(memory)
    memory.reconfigure(archive_max_share=1.0)
    clock.advance(200 * DAY)
    run = memory.consolidate().run

    undone = memory.undo(run)

    assert undone.restored == tuple(ids)
    assert not memory.recall("who maintains the search cluster?").abstained
    assert memory.consolidate().archived_traces == 0
    assert memory.undo(run).restored == ()


def test_undo_demotes_what_the_sleep_promoted(memory, clock):
    written = memory.remember(FACTS[0])
    for _ in range(8):
        clock.advance(10 * DAY)
        memory.remember(FACTS[0])
    report = memory.consolidate()
    assert report.promoted_to_semantic == 1
    assert memory.get(written.memory_id).kind is Kind.SEMANTIC

    assert memory.undo().demoted == (written.memory_id,)
    assert memory.get(written.memory_id).kind is Kind.EPISODIC
    assert memory.consolidate().promoted_to_semantic == 0


def test_undo_of_an_unknown_run_is_an_error(memory):
    with pytest.raises(NotFoundError):
        memory.undo("no-such-run")


def test_writes_in_one_moment_are_no_evidence_over_time(memory, clock):
    written = memory.remember(FACTS[0])
    for _ in range(10):
        memory.remember(FACTS[0])
    clock.advance(61 * DAY)
    memory.feedback(written.memory_id, 1.0)

    assert memory.consolidate().promoted_to_semantic == 0
    assert memory.get(written.memory_id).kind is Kind.EPISODIC


def test_a_second_sleep_without_news_does_nothing(memory, clock):
    fill(memory)
    memory.recall("search cluster and canteen")
    memory.consolidate()
    clock.advance(10.0)
    rev = memory.stats()["rev"]

    again = memory.consolidate()

    assert (again.edges_committed, again.archived_traces, again.promoted_to_semantic) == (0, 0, 0)
    assert again.backup is None
    assert memory.stats()["rev"] == rev


def test_backups_are_made_by_interval_and_rotated(folder, clock):
    config = MemoryConfig(backups_keep=2, backup_min_interval_s=3600.0)
    with Hippocampus.open(folder, clock=clock, config=config) as memory:
        names = []
        for number in range(4):
            memory.remember(f"Fact number {number} about nothing", force_new=True)
            names.append(memory.consolidate().backup)
            memory.remember(f"Another fact {number} of this hour", force_new=True)
            assert memory.consolidate().backup is None
            clock.advance(3601.0)
    kept = sorted(path.name for path in (folder / "backups").glob("*.db"))
    assert None not in names
    assert kept == names[-2:]


def test_a_changed_letter_in_the_store_costs_no_older_backup(folder, clock):
    """The older backup may be the last to hold the row as it was."""
    config = MemoryConfig(backups_keep=1, backup_min_interval_s=3600.0)
    with Hippocampus.open(folder, clock=clock, config=config) as memory:
        memory.remember("The valve opens at 7 bar")
        sound = memory.consolidate().backup
        clock.advance(3601.0)
        memory.remember("The canteen closes at three")
        connection = sqlite3.connect(folder / "memory.db")
        connection.execute("UPDATE traces SET text = 'The valve opens at 9 bar' WHERE id = 1")
        connection.commit()
        connection.close()
        report = memory.consolidate()
    assert report.backup
    assert any("1 rows do not match their hash" in warning for warning in report.warnings)
    kept = {path.name for path in (folder / "backups").glob("*.db")}
    assert kept == {sound, report.backup}


def test_a_sleep_that_is_not_due_is_skipped(memory, clock):
    memory.remember(FACTS[0])
    assert memory.consolidate(if_due=True).skipped is None
    assert memory.consolidate(if_due=True).skipped
    clock.advance(301.0)
    assert memory.consolidate(if_due=True).skipped is None


def test_only_one_process_sleeps_at_a_time(memory, folder):
    lock = WriteLock(folder, "sleep")
    lock.acquire(1.0)
    try:
        assert memory.consolidate().skipped
    finally:
        lock.release()
        lock.close()
    assert memory.consolidate().skipped is None


def test_one_run_archives_a_bounded_share(folder, clock):
    config = MemoryConfig(archive_max_share=0.1)
    with Hippocampus.open(folder, clock=clock, config=config) as memory:
        source = random.Random(5)
        memory.remember_many(
            f"{source.getrandbits(60):x} {source.getrandbits(60):x}" for _ in range(150)
        )
        clock.advance(200 * DAY)

        first = memory.consolidate()
        at_once = [memory.consolidate() for _ in range(3)]
        assert memory.consolidate(dry_run=True).archived_traces == 0
        clock.advance(DAY)
        second = memory.consolidate()

        assert (first.archived_traces, first.deferred) == (15, 135)
        assert [(one.archived_traces, one.deferred) for one in at_once] == [(0, 135)] * 3
        assert (second.archived_traces, second.deferred) == (13, 122)


def test_what_is_given_back_is_not_taken_again_by_the_next_sleep(folder, clock):
    with Hippocampus.open(folder, clock=clock) as memory:
        memory.remember_many(f"Parcel {number} for pier {number}" for number in range(20))
        clock.advance(200 * DAY)
        assert memory.consolidate().deferred

        assert memory.undo().restored
        memory.consolidate()

        assert memory.count() == 20


@pytest.mark.parametrize(("count", "most"), [(1, 1), (4, 1), (20, 4), (60, 12)])
def test_a_clock_that_is_years_ahead_for_one_run_empties_no_store(folder, clock, count, most):
    with Hippocampus.open(folder, clock=clock) as memory:
        source = random.Random(count)
        memory.remember_many(
            f"{source.getrandbits(60):x} {source.getrandbits(60):x}" for _ in range(count)
        )
        right = clock.now()
        clock.advance(5 * 365 * DAY)
        assert memory.consolidate(dry_run=True).archived_traces == most
        report = memory.consolidate()
        assert (report.archived_traces, report.deferred) == (most, count - most)

        # The clock is right again, and a sleep that finds nothing to do hides no earlier one.
        clock.set(right + 3_600)
        assert memory.consolidate().archived_traces == 0
        undone = memory.undo()
        assert (undone.run, len(undone.restored)) == (report.run, most)
        assert memory.stats()["memories_active"] == count


def test_undo_of_a_memory_that_never_lost_anything_names_the_last_sleep(memory, clock):
    fill(memory)
    memory.consolidate()
    clock.advance(DAY)
    last = memory.consolidate()
    undone = memory.undo()
    assert (undone.run, undone.restored, undone.demoted) == (last.run, (), ())


def test_the_purge_is_off_unless_asked_for(folder, clock):
    config = MemoryConfig(archive_max_share=1.0)
    with Hippocampus.open(folder, clock=clock, config=config) as memory:
        fill(memory)
        clock.advance(200 * DAY)
        memory.consolidate()
        clock.advance(2_000 * DAY)
        assert memory.consolidate().purged_traces == 0
        memory.reconfigure(purge_archive_after_days=365.0)
        assert memory.consolidate().purged_traces == len(FACTS)


def test_what_still_answers_is_not_purged(folder, clock):
    config = MemoryConfig(archive_max_share=1.0, purge_archive_after_days=100.0)
    with Hippocampus.open(folder, clock=clock, config=config) as memory:
        ids = fill(memory)
        clock.advance(200 * DAY)
        assert memory.consolidate().archived_traces == len(ids)
        for _ in range(4):
            clock.advance(60 * DAY)
            hit = memory.recall("who maintains the search cluster?").items[0]
            assert hit.memory_id == ids[1]
            memory.consolidate()
        assert [trace.id for trace in memory.list(status=None)] == [ids[1]]


def test_the_stored_moment_of_fading_is_the_formula(memory, clock):
    ids = fill(memory)
    memory.remember("The year is divided into quarters", kind="semantic")
    memory.remember("user: hello there", kind="turn", force_new=True)
    memory.feedback(ids[0], 0.7)
    memory.feedback(ids[1], -0.97)
    memory.pin(ids[2])
    clock.advance(3 * DAY)
    memory.remember(FACTS[3])

    def check(config: MemoryConfig) -> None:
        with memory._context.store.read() as view:
            stored = dict(view._session.all("SELECT id, fades_at FROM traces"))
            states = view.traces.states(stored)
        for state in states:
            tau = decay.time_constant(config, state.kind)
            expected = decay.fell_below_floor_at(
                config, state.base_strength, state.last_reinforced_at, tau
            )
            if state.pinned or expected == float("inf"):
                assert stored[state.id] is None
            else:
                assert stored[state.id] == pytest.approx(expected, abs=1e-3)

    check(memory.config)
    memory.reconfigure(tau_episodic=60 * DAY)
    check(memory.config)
