"""What goes into a client and what comes out: plain dictionaries, checked item by item."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError, NotFoundError, RealMemoryError
from realmemory.flows import converse, draft
from realmemory.instants import format_instant, parse_instant
from realmemory.outcomes import WriteRequest
from realmemory.types import GLOBAL_SCOPE, Kind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ConversationReport, ConversationTurn, WriteResult
    from realmemory.types import RecalledMemory, RecallPacket, SessionHits, Trace

STORED, UPDATED, QUARANTINED, REJECTED = "stored", "updated", "quarantined", "rejected"

_ORIGINS = {
    "human": Origin.USER,
    "user": Origin.USER,
    "agent": Origin.AGENT,
    "tool": Origin.TOOL,
    "consolidated": Origin.AGENT,
    "import": Origin.IMPORT,
}
_FIELDS = frozenset(
    {
        *("content", "tags", "importance", "detail", "metadata", "expires", "when", "kind"),
        *("source", "session_id", "entry_id"),
    }
)


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


def instant(value: str | float | None) -> float | None:
    """Return epoch seconds of an optional point in time; an empty text is none."""
    return None if value is None or value == "" else parse_instant(value)


def write_request(item: Mapping[str, Any], scope: str) -> WriteRequest:
    """Return the request of one item.

    Raises:
        InvalidInputError: A field is missing, unknown or unusable; nothing was stored.
    """
    unknown = set(item) - _FIELDS
    if unknown or not isinstance(item.get("content"), str):
        raise InvalidInputError(
            f"an item has a text under 'content' and may have {', '.join(sorted(_FIELDS))}; got "
            f"{sorted(map(str, item))}; it was not stored",
            code="invalid_item",
        )
    source = item.get("source") or "agent"
    if source not in _ORIGINS:
        raise InvalidInputError(
            f"source is one of {', '.join(_ORIGINS)}, got {source!r}; nothing was stored",
            code="invalid_origin",
        )
    detail = item.get("detail")
    return WriteRequest(
        text=f"{item['content']}\n{detail}" if detail else item["content"],
        kind=item.get("kind") or Kind.EPISODIC,
        scope=scope,
        meta=item.get("metadata") or {},
        tags=tuple(item.get("tags") or ()),
        when=instant(item.get("when")),
        origin=_ORIGINS[source],
        importance=item.get("importance", 0.5),
        expires_at=instant(item.get("expires")),
        session_id=item.get("session_id"),
    )


def store_each(memory: Hippocampus, items: Sequence[Mapping[str, Any]], scope: str) -> BulkSummary:
    """Write items in one call of the memory; one that cannot be stored stops no other.

    Raises:
        InvalidInputError: ``empty_list``; there is none.
    """
    if not items:
        raise InvalidInputError("bulk_store needs at least one item", code="empty_list")
    started = time.perf_counter()
    outcomes: list[BulkItem | None] = []
    requests: list[WriteRequest] = []
    for item in items:
        try:
            requests.append(draft.checked(memory.context, write_request(item, scope)))
            outcomes.append(None)
        except RealMemoryError as error:
            outcomes.append(BulkItem(REJECTED, skipped_reason=error.code, message=error.message))
    results = iter(memory.remember_many(requests))
    return BulkSummary.of([outcome or _outcome(next(results)) for outcome in outcomes], started)


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


def status_of(result: WriteResult) -> str:
    """Return in one word what became of a write."""
    if result.quarantined:
        return QUARANTINED
    return STORED if result.created else UPDATED


def written(result: WriteResult, status: str, namespace: str, moment: float) -> dict[str, Any]:
    """Return the answer to one write."""
    return {
        "memory_id": result.memory_id,
        "namespace": namespace,
        "status": status,
        "timestamp": format_instant(moment),
        "decision": result.decision.action.value,
        "conflicts": list(result.conflicts),
        "warnings": list(result.warnings),
    }


def turns(name: str, messages: Iterable[Mapping[str, Any]]) -> list[ConversationTurn]:
    """Return the utterances of an argument with their times in epoch seconds.

    Raises:
        InvalidInputError: One of them is no utterance; it is named by its place in the argument.
    """
    said = converse.read_turns(messages, name)
    return [replace(one, observed_at=instant(one.observed_at)) for one in said]


def visible(memory: Hippocampus, memory_id: int, scope: str) -> Trace:
    """Return a memory of a scope or of the global one.

    Raises:
        NotFoundError: Unknown, or of another scope: the same answer as for an id that never was.
    """
    trace = memory.get(memory_id)
    if trace.scope not in {scope, GLOBAL_SCOPE}:
        raise NotFoundError(f"there is no memory with the id {memory_id}")
    return trace


def hits(packet: RecallPacket, tags: Sequence[str], min_score: float) -> list[dict[str, Any]]:
    """Return the hits that carry every tag and are relevant enough, in their order."""
    wanted = set(tags)
    return [
        hit(item) | ({} if group is None else _group(group))
        for item, group in zip_longest(packet.items, packet.sessions)
        if item.confidence >= min_score and wanted <= set(item.tags)
    ]


def _group(group: SessionHits) -> dict[str, Any]:
    return {
        "session_score": group.score,
        "also": [item.memory_id for item in group.items[1:]],
    }


def hit(item: RecalledMemory) -> dict[str, Any]:
    """Return one hit of a recall; its score is the confidence."""
    return {
        "memory_id": item.memory_id,
        "content": item.text,
        "score": item.confidence,
        "retention": item.retention,
        "source": item.source.value,
        "kind": item.kind.value,
        "status": item.status.value,
        "tags": list(item.tags),
        "scope": item.scope,
        "author": item.author,
        "created_at": format_instant(item.created_at),
        "updated_at": format_instant(item.updated_at),
        "observed_at": format_instant(item.observed_at),
        "metadata": dict(item.meta),
        "conflicts_with": list(item.conflicts_with),
        "session_id": item.session_id,
        "turn_index": item.turn_index,
        "span": None if item.span is None else list(item.span),
        "around": [
            {
                "memory_id": turn.memory_id,
                "turn_index": turn.turn_index,
                "speaker": turn.speaker,
                "content": turn.text,
            }
            for turn in item.around
        ],
    }


def record(trace: Trace) -> dict[str, Any]:
    """Return one memory of a listing, with everything a caller may have said about it."""
    return {
        "memory_id": trace.id,
        "content": trace.text,
        "kind": trace.kind.value,
        "status": trace.status.value,
        "importance": trace.importance,
        "tags": list(trace.tags),
        "scope": trace.scope,
        "author": trace.author,
        "origin": trace.origin.value,
        "session_id": trace.session_id,
        "created_at": format_instant(trace.created_at),
        "updated_at": format_instant(trace.updated_at),
        "observed_at": format_instant(trace.observed_at),
        "valid_to": None if trace.valid_to is None else format_instant(trace.valid_to),
        "superseded_by": trace.superseded_by,
        "metadata": dict(trace.meta),
    }


def within_budget(hits: list[dict[str, Any]], tokens: int | None) -> list[dict[str, Any]]:
    """Return the first hits whose texts fit a budget (4 characters a token); one always fits."""
    if tokens is None:
        return hits
    kept: list[dict[str, Any]] = []
    spent = 0
    for item in hits:
        spent += 1 + len(item["content"]) // 4
        if kept and spent > tokens:
            break
        kept.append(item)
    return kept
