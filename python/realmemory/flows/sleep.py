"""The sleep flow: back up, commit plasticity, promote, archive, purge, tidy up.

Each step is a transaction of its own and whole by itself, so a crash between two steps loses
nothing and the next sleep goes on from there. One process sleeps at a time.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.errors import EmbeddingError, StoreBusyError, StoreError
from realmemory.flows.feedback import REWARDS
from realmemory.flows.long_texts import cut_missing
from realmemory.index.live_graph import constants
from realmemory.outcomes import ConsolidationReport
from realmemory.policies import decay, plasticity
from realmemory.store.failures import translated
from realmemory.store.lock import WriteLock
from realmemory.store.records import LinkType
from realmemory.store.uids import new_uid
from realmemory.tracing import traced
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.store.records import Eligibility, Link
    from realmemory.store.transactions import ReadView

SLEEP_EVENT = "sleep"
"""Journal type of one step of a sleep: its run and the traces that it moved."""

_CHUNK = 256
_BINDS = 500
"""Binds turned into edges in one transaction, for which writers wait."""
_TOMBSTONE_AGE = 365 * DAY
LAST_SLEEP = "last_consolidated_at"
"""Name in the store's facts of when the last sleep that came to its end began."""
_LAST_BACKUP = "last_backup_at"
_LAST_CAPPED = "archive_capped_at"
_BETWEEN_CAPPED = DAY
"""Time between two sleeps of which the first left faded traces to the second."""


@traced(
    "consolidate",
    lambda report: {
        "archived": report.archived_traces,
        "promoted": report.promoted_to_semantic,
        "skipped": report.skipped or "",
    },
)
def consolidate(
    context: MemoryContext, *, dry_run: bool = False, if_due: bool = False
) -> ConsolidationReport:
    """Run one sleep and say what it did; a dry run says what it would do and writes nothing.

    Args:
        context: The memory.
        dry_run: Only plan.
        if_due: Do nothing when another sleep ended less than ``sleep_min_interval_s`` ago.
    """
    started = time.perf_counter()
    if dry_run:
        report = _plan(context)
    elif if_due and not _due(context):
        report = ConsolidationReport(skipped="the last sleep was a moment ago")
    else:
        try:
            with _alone(context):
                report = _sleep(context)
        except StoreBusyError:
            report = ConsolidationReport(skipped="another process is asleep already")
    return replace(report, elapsed_ms=(time.perf_counter() - started) * 1000.0)


@contextmanager
def _alone(context: MemoryContext) -> Iterator[None]:
    """Hold the lock of sleeping processes.

    Raises:
        StoreBusyError: Another process sleeps.
        StoreReadOnlyError: The folder takes no write.
    """
    lock = WriteLock(context.store.directory, "sleep")
    try:
        with translated(context.store.paths.database):
            lock.acquire(0.0)
        try:
            yield
        finally:
            lock.release()
    finally:
        lock.close()


def _due(context: MemoryContext) -> bool:
    with context.store.read() as view:
        last = view.meta.number(LAST_SLEEP)
    return not 0 <= context.clock.now() - last < context.config.sleep_min_interval_s


def _sleep(context: MemoryContext) -> ConsolidationReport:
    now = context.clock.now()
    run = new_uid(now)
    backup, warnings = _back_up(context, now)
    edges = _commit_plasticity(context, now)
    pruned = _prune_edges(context, now)
    _succeed(context, now)
    promoted = _promote(context, run, now)
    archived, deferred = _archive(context, run, now)
    # What a failed backup does not hold must not be deleted.
    purged = 0 if warnings else _purge(context, now)
    cut, troubles = _cut_long_texts(context)
    report = ConsolidationReport(
        run=run,
        backup=backup,
        warnings=warnings + troubles,
        edges_committed=edges,
        edges_pruned=pruned,
        promoted_to_semantic=promoted,
        archived_traces=archived,
        deferred=deferred,
        purged_traces=purged,
        long_texts_cut=cut,
    )
    report = _close_books(context, report, now)
    context.store.optimise()
    context.store.checkpoint()
    with context.store.read() as view:
        context.index.save(view)
    return report


def _back_up(context: MemoryContext, now: float) -> tuple[str | None, tuple[str, ...]]:
    """Back up when the interval has passed and something has changed since the last time."""
    config, store = context.config, context.store
    if not config.backups_keep:
        return None, ()
    with store.read() as view:
        rev, last = view.rev(), view.meta.get(_LAST_BACKUP)
    known = store.backups()
    fresh = last is not None and 0 <= now - float(last) < config.backup_min_interval_s
    if not rev or fresh or (known and known[-1].rev == rev):
        return None, ()
    try:
        made = store.backup()
    except StoreError as error:
        return None, (f"no backup was made: {error}",)
    with store.write() as tx:
        tx.meta.set(_LAST_BACKUP, now)
    try:
        store.rotate_backups(config.backups_keep)
    except StoreError as error:
        return made.path.name, (f"no older backup was deleted: {error}",)
    return made.path.name, ()


def _commit_plasticity(context: MemoryContext, now: float) -> int:
    """Turn pending binds into edges; drain and commit share each transaction."""
    committed = 0
    while True:
        with context.store.write() as tx:
            context.pending.flush(tx)
            binds = tx.eligibility.drain(_BINDS)
            edges = _edges(context, tx, binds, now)
            gone = [edge for edge in edges if not edge.weight]
            tx.links.remove((edge.src, edge.dst, edge.type) for edge in gone)
            committed += tx.links.put(edge for edge in edges if edge.weight)
        if len(binds) < _BINDS:
            return committed


def _edges(
    context: MemoryContext, view: ReadView, binds: Sequence[Eligibility], now: float
) -> list[Link]:
    """Return the edges that binds make of those of their sources; weight 0 means gone."""
    known = view.links.outgoing({bind.src for bind in binds}, LinkType.PLASTIC)
    return plasticity.committed(constants(context.config), binds, known, now=now)


def _prune_edges(context: MemoryContext, now: float) -> int:
    """Drop edges so old that no weight could have lasted; the rest decays where it is read."""
    before = now - plasticity.longest_life(context.config)
    pruned = 0
    while True:
        with context.store.read() as view:
            stale = view.links.untouched_since(before, LinkType.PLASTIC, limit=_CHUNK)
        if not stale:
            return pruned
        with context.store.write() as tx:
            pruned += tx.links.remove((link.src, link.dst, link.type) for link in stale)


def _succeed(context: MemoryContext, now: float) -> None:
    """Make history of what a revision for a later time has ended by now."""
    with context.store.read() as view:
        ended = view.succession.ended(now)
    for chunk in _chunks(ended):
        with context.store.write() as tx:
            still = set(chunk).intersection(tx.succession.ended(now))
            tx.traces.set_status(sorted(still), Status.SUPERSEDED)


def _promote(context: MemoryContext, run: str, now: float) -> int:
    with context.store.read() as view:
        ids = _promotable(context, view, now)
    for chunk in _chunks(ids):
        with context.store.write() as tx:
            moved = [
                state.id
                for state in tx.traces.states(chunk)
                if state.kind is Kind.EPISODIC and state.status is Status.ACTIVE
            ]
            tx.traces.set_kind(moved, Kind.SEMANTIC)
            tx.journal.append(SLEEP_EVENT, {"run": run, "promoted": moved})
    return len(ids)


def _promotable(context: MemoryContext, view: ReadView, now: float) -> list[int]:
    config = context.config
    return [
        state.id
        for state in view.traces.confirmed(Kind.EPISODIC, config.promote_after_reinforcements)
        if decay.promotable(
            config,
            kind=state.kind,
            reinforced_days=state.reinforced_days,
            created_at=state.created_at,
            now=now,
        )
    ]


def _archive(context: MemoryContext, run: str, now: float) -> tuple[int, int]:
    """Archive what expired or has been below the floor for the grace period; nothing is deleted."""
    with context.store.read() as view:
        ids, deferred = _archivable(context, view, now)
    archived = 0
    for chunk in _chunks(ids):
        with context.store.write() as tx:
            # Somebody may have used one of them since it was looked up.
            moved = tx.traces.overdue(chunk, faded_before=_long_ago(context, now), now=now)
            archived += tx.traces.set_status(moved, Status.ARCHIVED)
            tx.journal.append(SLEEP_EVENT, {"run": run, "archived": moved})
            if deferred:
                tx.meta.set(_LAST_CAPPED, now)
    return archived, deferred


def _archivable(context: MemoryContext, view: ReadView, now: float) -> tuple[list[int], int]:
    """Return what to archive and how much the cap on one run leaves for a later one.

    What was left waits for a day: agents sleep after every session, and a cap that each of them
    meets anew would be none.
    """
    expired = view.traces.expired(now)
    known = set(expired)
    faded = [item for item in view.traces.faded(_long_ago(context, now)) if item not in known]
    share = context.config.archive_max_share * view.traces.count(Status.ACTIVE) if faded else 0
    # Of a small store one: a clock that is wrong for one run empties none.
    cap = 0 if 0 <= now - _capped_at(view) < _BETWEEN_CAPPED else max(1, int(share))
    return expired + faded[:cap], max(0, len(faded) - cap)


def _capped_at(view: ReadView) -> float:
    """Return when the last sleep began that left something to a later one; never is long ago."""
    return view.meta.number(_LAST_CAPPED) if view.meta.get(_LAST_CAPPED) else -math.inf


def _long_ago(context: MemoryContext, now: float) -> float:
    return now - context.config.archive_grace_s


def _purge(context: MemoryContext, now: float) -> int:
    """Delete what has been in the archive for too long; off unless it was asked for.

    The sleep before must have found it old as well: a clock that is years ahead deletes nothing.
    """
    days = context.config.purge_archive_after_days
    if not days:
        return 0
    with context.store.read() as view:
        now = min(now, view.meta.number(LAST_SLEEP))
    purged = 0
    while True:
        with context.store.read() as view:
            ids = view.traces.archived_before(now - days * DAY, limit=_CHUNK)
        if not ids:
            return purged
        with context.store.write() as tx:
            purged += len(tx.traces.delete(ids))


def _cut_long_texts(context: MemoryContext) -> tuple[int, tuple[str, ...]]:
    """Give passages to long texts that have none; an embedder that fails spoils no sleep."""
    try:
        return cut_missing(context), ()
    except EmbeddingError as error:
        return 0, (f"long texts stay findable by their beginning and their words only: {error}",)


def _close_books(
    context: MemoryContext, report: ConsolidationReport, now: float
) -> ConsolidationReport:
    """Rotate the journal, prune old tombstones and note what this sleep did."""
    with context.store.write() as tx:
        keep = context.config.journal_max_events
        done = replace(
            report,
            journal_pruned=tx.journal.rotate(keep) if keep else 0,
            rewards_applied=int(tx.meta.number(REWARDS)),
        )
        # Both this sleep and the one before must find them old: one that runs while the clock is
        # years ahead would let copies of what was erased come back.
        tx.traces.prune_tombstones(min(now, tx.meta.number(LAST_SLEEP)) - _TOMBSTONE_AGE)
        tx.meta.set(REWARDS, 0)
        tx.meta.set(LAST_SLEEP, now)
        tx.journal.append(
            "consolidate",
            {
                "run": done.run,
                "edges_committed": done.edges_committed,
                "edges_pruned": done.edges_pruned,
                "promoted": done.promoted_to_semantic,
                "archived": done.archived_traces,
                "deferred": done.deferred,
                "purged": done.purged_traces,
                "rewards": done.rewards_applied,
                "journal_pruned": done.journal_pruned,
                "backup": done.backup,
                "warnings": len(done.warnings),
            },
        )
    return done


def _plan(context: MemoryContext) -> ConsolidationReport:
    """Return what a sleep would do now, as far as it can be told without writing."""
    now, config = context.clock.now(), context.config
    with context.store.read() as view:
        binds = view.eligibility.all()
        edges = _edges(context, view, binds, now)
        ids, deferred = _archivable(context, view, now)
        events = sum(view.journal.counts().values())
        return ConsolidationReport(
            dry_run=True,
            edges_committed=sum(edge.weight > 0 for edge in edges),
            promoted_to_semantic=len(_promotable(context, view, now)),
            archived_traces=len(ids),
            deferred=deferred,
            rewards_applied=int(view.meta.number(REWARDS)),
            journal_pruned=max(0, events - config.journal_max_events)
            if config.journal_max_events
            else 0,
        )


def _chunks(ids: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(ids)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
