"""How memories are shown to an agent: quoted data with source, author, date and trust."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from realmemory.agents import quoting
from realmemory.api.results import (
    AROUND_BYTES,
    AROUND_CHARS,
    PREVIEW_CHARS,
    RESULT_BYTES,
    bounded,
    size,
)

if TYPE_CHECKING:
    from realmemory.types import RecalledMemory, RecallPacket, SessionHits, Trace

_FULL_CHARS = 12_000
_DETAIL_CHARS = 256
_REASONS = {
    "nothing_matched": "Nothing in memory matches.",
    "below_floor": "What matches is too weak to be trusted.",
    "flat_noise": "Everything matches about equally weakly, which means nothing does.",
    "only_archived": "Only forgotten memories match.",
    "only_other_scope": "Only other projects know about this.",
    "other_speaker": "What comes nearest is the matter of somebody else than the question names.",
}


def degraded(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer while the memory is being loaded, where words have found one."""
    result: dict[str, Any] = {
        "abstained": False,
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
    if packet.detail:
        result["detail"] = quoting.one_line(packet.detail, _DETAIL_CHARS)
    if packet.nearest is not None:
        result["nearest"] = hit_of(packet.nearest, query)
    if packet.degraded:
        result["degraded"] = True
        result["note"] = packet.degraded
    result["items"] = [hit_of(item, query) for item in packet.items]
    for hit, group in zip(result["items"], packet.sessions, strict=False):
        hit.update(_of_session(group))
    return result


def hit_of(item: RecalledMemory, query: str) -> dict[str, Any]:
    """Return one hit with what its reader has to know about where it comes from."""
    text, cut = quoting.preview(item.text, PREVIEW_CHARS, query, item.span)
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
    if item.valid_from > time.time():
        hit["valid_from"] = day(item.valid_from)
    if item.valid_to is not None and item.valid_to > time.time():
        hit["valid_to"] = day(item.valid_to)
    if item.conflicts_with:
        hit["conflicts_with"] = list(item.conflicts_with)
    if item.around:
        hit["around"] = _around(item)
    return hit


def _of_session(group: SessionHits) -> dict[str, Any]:
    """Return what a grouped answer says of the session that a hit is the best of."""
    said: dict[str, Any] = {"session_score": round(group.score, 3)}
    if group.session_id is not None:
        said["session"] = quoting.one_line(group.session_id, 128)
    if len(group.items) > 1:
        said["also_ids"] = [item.memory_id for item in group.items[1:]]
    return said


def _around(item: RecalledMemory) -> list[dict[str, Any]]:
    """Return the turns beside a hit in order; the farthest are left out when they are too long."""
    at = item.turn_index or 0
    kept: dict[int, dict[str, Any]] = {}
    left = AROUND_BYTES
    for turn in sorted(item.around, key=lambda turn: abs(turn.turn_index - at)):
        shown: dict[str, Any] = {
            "id": turn.memory_id,
            "speaker": quoting.one_line(turn.speaker, 64),
            "text": quoting.one_line(turn.text, AROUND_CHARS),
        }
        left -= size(shown)
        if left < 0:
            break
        kept[turn.turn_index] = shown
    return [kept[index] for index in sorted(kept)]


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
