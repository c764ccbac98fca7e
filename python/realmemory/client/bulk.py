"""Many items in one call: what became of each, and of all of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from realmemory.client.items import (
    QUARANTINED,
    STORED,
    UPDATED,
    replaced,
    status_of,
    write_request,
)
from realmemory.errors import InvalidInputError, NotFoundError, RealMemoryError
from realmemory.flows import draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ConversationReport, WriteRequest, WriteResult

REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class BulkItem:
    """What became of one item; ``skipped_reason`` is the error code of a rejected one."""

    status: str
    memory_id: int | None = None
    skipped_reason: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class BulkSummary:
    """What became of a bulk call, items in the order of the input."""

    total: int
    stored: int
    updated: int
    quarantined: int
    rejected: int
    duration_ms: float
    items: tuple[BulkItem, ...]
    rejected_reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether nothing was rejected."""
        return self.rejected == 0

    @classmethod
    def of(cls, items: Sequence[BulkItem], started: float) -> BulkSummary:
        """Count what became of the items of a call that began at ``started``."""
        reasons = [item.skipped_reason for item in items if item.skipped_reason]
        return cls(
            total=len(items),
            stored=sum(item.status == STORED for item in items),
            updated=sum(item.status == UPDATED for item in items),
            quarantined=sum(item.status == QUARANTINED for item in items),
            rejected=sum(item.status == REJECTED for item in items),
            duration_ms=(time.perf_counter() - started) * 1000,
            items=tuple(items),
            rejected_reasons={reason: reasons.count(reason) for reason in sorted(set(reasons))},
        )


def store_each(memory: Hippocampus, items: Sequence[Mapping[str, Any]], scope: str) -> BulkSummary:
    """Write items in their order; one that cannot be stored stops no other.

    What stands between two replacements is written in one call of the memory.

    Raises:
        InvalidInputError: ``empty_list``; there is none.
    """
    if not items:
        raise InvalidInputError("bulk_store needs at least one item", code="empty_list")
    started = time.perf_counter()
    outcomes: list[BulkItem] = []
    for replaces, run in groupby(items, _replaces):
        write = _replace_each if replaces else _new
        outcomes += write(memory, run, scope)
    return BulkSummary.of(outcomes, started)


def _replaces(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("entry_id") is not None


def _replace_each(
    memory: Hippocampus, items: Iterable[Mapping[str, Any]], scope: str
) -> Iterator[BulkItem]:
    for item in items:
        try:
            yield BulkItem(UPDATED, replaced(memory, item, scope).memory_id)
        except (InvalidInputError, NotFoundError) as error:
            yield _rejected(error)


def _new(memory: Hippocampus, items: Iterable[Mapping[str, Any]], scope: str) -> Iterator[BulkItem]:
    outcomes: list[BulkItem | None] = []
    requests: list[WriteRequest] = []
    for item in items:
        try:
            requests.append(draft.checked(memory.context, write_request(item, scope)))
            outcomes.append(None)
        except RealMemoryError as error:
            outcomes.append(_rejected(error))
    results = iter(memory.remember_many(requests))
    return (outcome or _outcome(next(results)) for outcome in outcomes)


def _rejected(error: RealMemoryError) -> BulkItem:
    return BulkItem(REJECTED, skipped_reason=error.code, message=error.message)


def _outcome(result: WriteResult) -> BulkItem:
    return BulkItem(status_of(result), result.memory_id)


def conversation_summary(
    report: ConversationReport, *, skipped: int, started: float
) -> BulkSummary:
    """Return what became of a conversation; turns already known count as stored, and say so."""
    known = len(report.ids) - report.stored
    items = [BulkItem(STORED, memory_id) for memory_id in report.ids]
    items += [BulkItem(REJECTED, skipped_reason="empty_text") for _ in range(skipped)]
    summary = BulkSummary.of(items, started)
    return BulkSummary(
        total=summary.total,
        stored=report.stored,
        updated=known,
        quarantined=0,
        rejected=skipped,
        duration_ms=summary.duration_ms,
        items=summary.items,
        rejected_reasons=summary.rejected_reasons,
    )
