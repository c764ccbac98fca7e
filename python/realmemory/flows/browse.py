"""Looking inward: single traces, pages of them, their history, and the numbers of the store."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from realmemory.clock import DAY
from realmemory.flows import validation
from realmemory.flows.candidates import visible_scopes
from realmemory.policies import decay
from realmemory.safety import masked_name
from realmemory.store.records import LinkType
from realmemory.types import DecisionAction, Kind, Status, Trace

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.store.records import TraceCount

FADING = 0.2
"""Retention below which a trace is reported as fading."""


def get(context: MemoryContext, memory_id: int) -> Trace:
    """Return one trace, whatever its status.

    Raises:
        NotFoundError: Unknown or erased.
    """
    validation.checked_id(memory_id)
    with context.store.read() as view:
        return view.traces.get(memory_id)


def wordings(context: MemoryContext, memory_id: int) -> tuple[str, ...]:
    """Return the kept wordings of one trace, oldest first.

    Raises:
        NotFoundError: Unknown or erased.
    """
    get(context, memory_id)
    with context.store.read() as view:
        return tuple(variant.text for variant in view.variants.of(memory_id))


def history(context: MemoryContext, memory_id: int) -> list[Trace]:
    """Return all versions of a fact, oldest first.

    Raises:
        NotFoundError: Unknown or erased.
    """
    validation.checked_id(memory_id)
    with context.store.read() as view:
        return view.traces.history(memory_id)


def page(
    context: MemoryContext,
    *,
    scope: str | None,
    all_scopes: bool,
    kind: str | None,
    status: str | None,
    tag: str | None,
    limit: int,
    after: int | None,
) -> list[Trace]:
    """Return traces newest first; ``after`` is the last id of the page before.

    Raises:
        InvalidInputError: A filter or the limit cannot be used.
    """
    wanted_kind = validation.checked_kind(kind) if kind is not None else None
    wanted_status = (
        validation.checked_choice(Status, status, "invalid_status") if status is not None else None
    )
    seen = validation.checked_scope(scope, all_scopes=all_scopes)
    with context.store.read() as view:
        scope_ids = visible_scopes(view, seen)
        return view.traces.page(
            scope_ids=scope_ids,
            kinds=None if wanted_kind is None else [wanted_kind],
            statuses=None if wanted_status is None else [wanted_status],
            tag=None if tag is None else masked_name(*validation.checked_tags([tag])),
            limit=validation.checked_k(limit, "limit"),
            after=validation.checked_id(after) if after is not None else None,
            newest_first=True,
        )


def count(
    context: MemoryContext, *, scope: str | None, all_scopes: bool, status: str | None
) -> int:
    """Return how many traces of a status, or of any, the visible scopes hold.

    Raises:
        InvalidInputError: The scope or the status cannot be used.
    """
    seen = validation.checked_scope(scope, all_scopes=all_scopes)
    wanted = None if status is None else validation.checked_choice(Status, status, "invalid_status")
    with context.store.read() as view:
        visible = set(visible_scopes(view, seen))
        scopes = [item for item in view.scopes.all() if item.id in visible]
    return sum(item.total if wanted is None else item.counts.get(wanted, 0) for item in scopes)


def stats(context: MemoryContext) -> dict[str, Any]:
    """Return what the store holds and what happened to it, as plain numbers."""
    with context.store.read() as view:
        counts = view.traces.counts()
        events = view.journal.counts()
        return {
            **{f"memories_{status}": _sum(counts, status=status) for status in Status},
            **{f"kind_{kind}": _sum(counts, kind=kind) for kind in Kind},
            "scopes": {
                scope.name: scope.counts.get(Status.ACTIVE, 0) for scope in view.scopes.all()
            },
            "edges": view.links.count(LinkType.PLASTIC),
            "conflicts": view.links.count(LinkType.CONFLICT),
            "pending_eligibility": view.eligibility.count(),
            "decisions": {
                action: int(view.meta.number(f"decisions_{action}")) for action in DecisionAction
            },
            "writes": events.get("write", 0),
            "recalls": events.get("recall", 0) + len(context.pending),
            "journal_events": sum(events.values()),
            "rev": view.rev(),
        }


def _sum(
    counts: list[TraceCount], *, status: Status | None = None, kind: Kind | None = None
) -> int:
    return sum(
        row.traces
        for row in counts
        if (status is None or row.status is status) and (kind is None or row.kind is kind)
    )


def metrics(context: MemoryContext) -> dict[str, Any]:
    """Return :func:`stats` with the state of the forgetting curve."""
    now = context.clock.now()
    retentions, ages = [], []
    with context.store.read() as view:
        for kind in Kind:
            for state in view.traces.each_state(kind):
                retentions.append(decay.retention_of(context.config, state, now))
                ages.append(now - state.created_at)
    return {
        **stats(context),
        "ts": now,
        "retention_mean": fmean(retentions) if retentions else 1.0,
        "retention_below_02": sum(value < FADING for value in retentions),
        "age_days_mean": fmean(ages) / DAY if ages else 0.0,
    }
