"""What goes into a client and what comes out: plain dictionaries, checked item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypedDict

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import converse
from realmemory.instants import format_instant, parse_instant
from realmemory.outcomes import WriteRequest
from realmemory.types import GLOBAL_SCOPE, Kind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ConversationTurn, WriteResult
    from realmemory.types import RecalledMemory, RecallPacket, SessionHits, Trace

STORED, UPDATED, QUARANTINED = "stored", "updated", "quarantined"
_IMPORTANCE = 0.5
"""Importance of what nobody called more or less important."""

_ORIGINS = {
    "human": Origin.USER,
    "user": Origin.USER,
    "agent": Origin.AGENT,
    "tool": Origin.TOOL,
    "consolidated": Origin.AGENT,
    "import": Origin.IMPORT,
}


class Further(TypedDict, total=False):
    """What may be said of a text besides what it is about.

    ``expires`` is when it stops being true; ``when`` when it happened, by default now; ``kind``
    ``episodic``, the default, or ``semantic``; ``source`` who says so: ``human``, ``agent`` (the
    default) or ``tool``; ``session_id`` the conversation that it came up in.
    """

    expires: str | float | None
    when: str | float | None
    kind: str | None
    source: str | None
    session_id: str | None


class Told(Further, total=False):
    """The same with ``tags``, short labels, ``importance``, 0 to 1, and ``metadata``, JSON data."""

    tags: Sequence[str]
    importance: float | None
    metadata: Mapping[str, Any] | None


class Item(Told, total=False):
    """One text to remember: ``content``, more of it as ``detail``, and the memory that it replaces."""

    content: str
    detail: str
    entry_id: int | None


_FIELDS = Item.__optional_keys__


def instant(value: str | float | None) -> float | None:
    """Return epoch seconds of an optional point in time; an empty text is none."""
    return None if value is None or value == "" else parse_instant(value)


def write_request(item: Mapping[str, Any], scope: str) -> WriteRequest:
    """Return the request of one item, with what it does not say as for a new memory.

    Raises:
        InvalidInputError: A field is missing, unknown or unusable; nothing was stored.
    """
    text, importance = text_of(item), item.get("importance")
    return WriteRequest(
        text=text,
        kind=item.get("kind") or Kind.EPISODIC,
        scope=scope,
        meta=item.get("metadata") or {},
        tags=item.get("tags") or (),
        when=instant(item.get("when")),
        origin=origin_of(item.get("source") or "agent"),
        importance=_IMPORTANCE if importance is None else importance,
        expires_at=instant(item.get("expires")),
        session_id=item.get("session_id"),
    )


def text_of(item: Mapping[str, Any]) -> str:
    """Return the text of an item with its detail.

    Raises:
        InvalidInputError: It has none, or fields that no item has.
    """
    given = sorted(map(str, item)) if isinstance(item, Mapping) else f"{item!r:.80}"
    if (
        not isinstance(item, Mapping)
        or set(item) - _FIELDS
        or not isinstance(item.get("content"), str)
    ):
        raise InvalidInputError(
            f"an item has a text under 'content' and may have {', '.join(sorted(_FIELDS))}; got "
            f"{given}; it was not stored",
            code="invalid_item",
        )
    detail = item.get("detail")
    return f"{item['content']}\n{detail}" if detail else str(item["content"])


def origin_of(source: str) -> Origin:
    """Return in whose name an item speaks, or raise ``invalid_origin``."""
    if not isinstance(source, str) or source not in _ORIGINS:
        raise InvalidInputError(
            f"source is one of {', '.join(_ORIGINS)}, got {source!r}; nothing was stored",
            code="invalid_origin",
        )
    return _ORIGINS[source]


def replaced(memory: Hippocampus, item: Mapping[str, Any], scope: str) -> WriteResult:
    """Put an item in the place of the memory ``entry_id``; what it does not say stays as it was.

    Raises:
        InvalidInputError: The item cannot be stored, or the memory was replaced before.
        NotFoundError: The memory is unknown, or not visible in the scope.
    """
    text, source = text_of(item), item.get("source")
    return memory.update_fact(
        visible(memory, item["entry_id"], scope).id,
        text,
        meta=item.get("metadata"),
        kind=item.get("kind"),
        when=instant(item.get("when")),
        origin=None if source is None else origin_of(source),
        tags=item.get("tags") or None,
        importance=item.get("importance"),
        expires=instant(item.get("expires")),
        session_id=item.get("session_id"),
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


def turns(
    name: str, messages: Iterable[ConversationTurn | Mapping[str, Any]]
) -> list[ConversationTurn]:
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


def hits(packet: RecallPacket, min_score: float) -> list[dict[str, Any]]:
    """Return the hits that are relevant enough, in their order."""
    return [
        hit(item) | ({} if group is None else _group(group))
        for item, group in zip_longest(packet.items, packet.sessions)
        if item.confidence >= min_score
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
        "expires_at": None if trace.expires_at is None else format_instant(trace.expires_at),
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
