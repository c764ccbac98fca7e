"""Readers of chat exports, conversation by conversation, in little memory.

``chatgpt``
    ``conversations.json``: an array of conversations with a ``mapping`` of message nodes; the path
    from ``current_node`` back to the root is what was said.
``claude``
    ``conversations.json``: an array with ``uuid``, ``name``, ``chat_messages``; and
    ``memories.json``: an array with ``conversations_memory`` and ``project_memories``.
"""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError
from realmemory.interop import lines
from realmemory.interop.foreign import when
from realmemory.interop.imported import Item, Record, Talk, Unreadable, problem_of
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SPOKEN = {"user": "user", "human": "user", "assistant": "assistant"}
_LONGEST_TURN = 16_000
"""Characters of a turn that are kept; pasted files beyond that are cut, and say so."""


def read_chatgpt(stream: IO[bytes]) -> Iterator[Record]:
    """Yield the conversations of a ChatGPT export."""
    yield from _each(stream, _chatgpt)


def read_claude(stream: IO[bytes]) -> Iterator[Record]:
    """Yield the conversations, or the memories, of a Claude export."""
    yield from _each(stream, _claude)


def _each(
    stream: IO[bytes], read: Callable[[int, dict[str, Any]], list[Record]]
) -> Iterator[Record]:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig")
    try:
        for place, row in enumerate(lines.read_array(text), 1):
            try:
                yield from read(place, row)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                title = row.get("title", "") if isinstance(row, dict) else ""
                yield Unreadable(place, problem_of(error), title)
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"the file is not UTF-8: {error.reason}; what came before it is kept",
            code="invalid_utf8",
        ) from error
    finally:
        # The stream stays the caller's to close.
        text.detach()


def _chatgpt(place: int, row: dict[str, Any]) -> list[Record]:
    nodes: dict[str, Any] = row["mapping"]
    name = row.get("current_node") or _leaf(nodes)
    path: list[Any] = []
    while name is not None and name in nodes and len(path) <= len(nodes):
        path.append(nodes[name])
        name = nodes[name].get("parent")
    turns = [
        turn
        for node in reversed(path)
        if (turn := _chatgpt_turn(node.get("message") or {})) is not None
    ]
    return [
        Talk(
            session_id=f"chatgpt:{row.get('conversation_id') or row['id']}",
            turns=turns,
            place=place,
            when=when(row.get("create_time")),
            meta={"title": str(row.get("title") or "")[:200]},
        )
    ]


def _leaf(nodes: dict[str, Any]) -> str | None:
    leaves = [name for name, node in nodes.items() if not node.get("children")]
    return leaves[-1] if leaves else None


def _chatgpt_turn(message: dict[str, Any]) -> dict[str, Any] | None:
    role = _SPOKEN.get((message.get("author") or {}).get("role", ""))
    parts = (message.get("content") or {}).get("parts") or ()
    text = "\n".join(part for part in parts if isinstance(part, str))
    if role is None or not text.strip():
        return None
    return _turn(text, role, when(message.get("create_time")))


def _claude(place: int, row: dict[str, Any]) -> list[Record]:
    if "chat_messages" not in row:
        return _claude_memories(place, row)
    turns = []
    for message in row["chat_messages"]:
        text = message.get("text") or "\n".join(
            part.get("text", "")
            for part in message.get("content") or ()
            if part.get("type") == "text"
        )
        if text.strip():
            turns.append(_turn(text, _SPOKEN[message["sender"]], when(message.get("created_at"))))
    return [
        Talk(
            session_id=f"claude:{row['uuid']}",
            turns=turns,
            place=place,
            when=when(row.get("created_at")),
            meta={"title": str(row.get("name") or "")[:200]},
        )
    ]


def _claude_memories(place: int, row: dict[str, Any]) -> list[Record]:
    texts = [row["conversations_memory"], *dict(row.get("project_memories") or {}).values()]
    return [
        Item(text=paragraph, place=place, kind=Kind.SEMANTIC, meta={"source": "claude memories"})
        for text in texts
        for part in str(text).split("\n")
        if (paragraph := part.strip(" \t-*•")) and not paragraph.startswith("#")
    ]


def _turn(text: str, role: str, moment: float | None) -> dict[str, Any]:
    if len(text) > _LONGEST_TURN:
        text = text[:_LONGEST_TURN] + "\n[cut at import]"
    return {"text": text, "speaker": role, "role": role, "observed_at": moment}
