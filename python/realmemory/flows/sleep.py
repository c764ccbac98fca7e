"""The sleep flow: back up, commit plasticity, promote, archive, tidy up.

Each step is one transaction that leaves the store whole, so that a crash between two of them
costs nothing but the rest of the work.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.policies import decay, plasticity
from realmemory.store.records import LinkType
from realmemory.types import ConsolidationReport, Kind, Status

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx


def consolidate(context: MemoryContext, *, dry_run: bool = False) -> ConsolidationReport:
    """Run one sleep and say what it did; a dry run does the same and takes it all back."""
    started = time.perf_counter()
    report = ConsolidationReport()
    with suppress(_TakenBack), context.store.write() as tx:
        context.pending.flush(tx)
        report = _sleep(context, tx, context.clock.now())
        if dry_run:
            raise _TakenBack
    if not dry_run:
        context.store.checkpoint()
        with context.store.read() as view:
            context.index.save(view)
    return replace(report, elapsed_ms=(time.perf_counter() - started) * 1000.0)


class _TakenBack(Exception):  # noqa: N818 - not an error
    """Rolls a dry run back."""


def _sleep(context: MemoryContext, tx: WriteTx, now: float) -> ConsolidationReport:
    report = ConsolidationReport(
        edges_committed=_commit_plasticity(context, tx, now),
        promoted_to_semantic=_promote(context, tx, now),
        archived_traces=_archive(context, tx, now),
        journal_pruned=_rotate_journal(context, tx),
    )
    tx.meta.set("last_consolidated_at", now)
    tx.journal.append(
        "consolidate",
        {
            "edges_committed": report.edges_committed,
            "promoted": report.promoted_to_semantic,
            "archived": report.archived_traces,
        },
    )
    return report


def _rotate_journal(context: MemoryContext, tx: WriteTx) -> int:
    keep = context.config.journal_max_events
    return tx.journal.rotate(keep) if keep else 0


def _commit_plasticity(context: MemoryContext, tx: WriteTx, now: float) -> int:
    """Turn pending binds into edges; drain and commit share the transaction."""
    binds = tx.eligibility.drain()
    known = tx.links.of({bind.src for bind in binds}, [LinkType.PLASTIC])
    edges = plasticity.committed(context.config, binds, known, now=now)
    return tx.links.put(edges, max_out_degree=context.config.max_out_degree)


def _promote(context: MemoryContext, tx: WriteTx, now: float) -> int:
    config = context.config
    ids = [
        row.id
        for row in tx.traces.confirmed(Kind.EPISODIC, config.promote_after_reinforcements)
        if decay.promotable(
            config,
            kind=row.kind,
            reinforced_count=row.reinforced_count,
            created_at=row.created_at,
            now=now,
        )
    ]
    return tx.traces.set_kind(ids, Kind.SEMANTIC)


def _archive(context: MemoryContext, tx: WriteTx, now: float) -> int:
    """Archive what has been below the recall floor for longer than the grace period."""
    config = context.config
    faded: list[int] = tx.traces.expired(now)
    for kind in Kind:
        tau = decay.time_constant(config, kind)
        for row in tx.traces.fading(kind, before=now - config.archive_grace_s):
            fell = decay.fell_below_floor_at(config, row.base_strength, row.last_reinforced_at, tau)
            if not row.pinned and now - fell > config.archive_grace_s:
                faded.append(row.id)
    return tx.traces.set_status(faded, Status.ARCHIVED)
