"""How memories are shown to an agent: quoted data with source, author, date and trust."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from realmemory.agents import quoting
from realmemory.api.results import PREVIEW_CHARS, RESULT_BYTES, bounded

if TYPE_CHECKING:
    from realmemory.types import RecalledMemory, RecallPacket, Trace

_FULL_CHARS = 12_000
_REASONS = {
    "nothing_matched": "Nothing in memory matches.",
    "below_floor": "What matches is too weak to be trusted.",
    "flat_noise": "Everything matches about equally weakly, which means nothing does.",
    "only_archived": "Only forgotten memories match.",
    "only_other_scope": "Only other projects know about this.",
}


def degraded(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer while the memory is being loaded."""
    result: dict[str, Any] = {
        "abstained": not items,
        "degraded": True,
        "note": "The memory is still being loaded: matched by keywords only. Ask again for more.",
        "items": items,
    }
    return bounded(result, RESULT_BYTES)


def answer(packet: RecallPacket, query: str) -> dict[str, Any]:
    """Return a packet, each text cut to a preview around the words of the query."""
    result: dict[str, Any] = {"abstained": packet.abstained}
    if packet.reason is not None:
        result["reason"] = str(packet.reason)
        result["note"] = _REASONS.get(str(packet.reason), "")
    if packet.degraded:
        result["degraded"] = True
        result["note"] = packet.degraded
    result["items"] = [hit_of(item, query) for item in packet.items]
    return result


def hit_of(item: RecalledMemory, query: str) -> dict[str, Any]:
    """Return one hit with what its reader has to know about where it comes from."""
    text, cut = quoting.preview(item.text, PREVIEW_CHARS, query)
    hit: dict[str, Any] = {
        "id": item.memory_id,
        "text": text,
        "kind": str(item.kind),
        "confidence": round(item.confidence, 3),
        "retention": round(item.retention, 3),
        "source": str(item.source),
        "scope": item.scope,
        "date": day(item.observed_at or item.created_at),
        "origin": str(item.origin),
        "trust": quoting.TRUST[str(item.origin)],
    }
    if item.author:
        hit["author"] = quoting.one_line(item.author, 64)
    if cut:
        hit["truncated"] = True
    if str(item.status) != "active":
        hit["status"] = str(item.status)
    if item.superseded_by is not None:
        hit["superseded_by"] = item.superseded_by
    if item.conflicts_with:
        hit["conflicts_with"] = list(item.conflicts_with)
    return hit


def in_full(trace: Trace, offset: int) -> dict[str, Any]:
    """Return a trace with as much of its text from ``offset`` on as one result holds."""
    whole = quoting.clean(trace.text)
    part = whole[offset : offset + _FULL_CHARS]
    item: dict[str, Any] = {
        "id": trace.id,
        "text": part,
        "kind": str(trace.kind),
        "status": str(trace.status),
        "scope": trace.scope,
        "date": day(trace.observed_at),
        "written": day(trace.created_at),
        "origin": str(trace.origin),
        "trust": quoting.TRUST[str(trace.origin)],
        "reinforced": trace.reinforced_count,
    }
    if trace.author:
        item["author"] = quoting.one_line(trace.author, 64)
    if trace.tags:
        item["tags"] = [quoting.one_line(tag, 64) for tag in trace.tags]
    if trace.superseded_by is not None:
        item["superseded_by"] = trace.superseded_by
    if offset + len(part) < len(whole):
        item["next_offset"] = offset + len(part)
    return item


def day(timestamp: float) -> str:
    """Return the UTC date of a moment."""
    try:
        return datetime.fromtimestamp(timestamp, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return "unknown"
