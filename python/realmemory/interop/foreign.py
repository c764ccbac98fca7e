"""Readers of other memory systems' JSON. Formats are documented facts; the names are theirs.

``mem0`` / OpenMemory
    an array, or ``{"results": [...]}`` / ``{"memories": [...]}``, or one, of objects with ``memory`` (or
    ``content``), ``created_at``, ``user_id``, ``agent_id``, ``run_id``, ``categories``,
    ``metadata``. A user's memories go to the scope ``user:<user_id>``.
``mcp``
    the reference server's ``memory.jsonl``: one entity or relation a line.
``trw``
    an array, or ``{"entries": [...]}``, of objects with ``content``, ``detail``, ``tags``,
    ``importance``, ``namespace``, ``created_at``, ``metadata``, ``status``.
``claude-mem``
    an object with ``observations`` and ``summaries``, as its export script writes it; or its
    database ``claude-mem.db`` with the tables ``observations`` and ``session_summaries``.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import IO, TYPE_CHECKING, Any

from realmemory import strict_json
from realmemory.client.namespaces import scope_of
from realmemory.errors import InvalidInputError
from realmemory.instants import parse_instant
from realmemory.interop import lines
from realmemory.interop.imported import Item, Record, Unreadable, problem_of
from realmemory.store.foreign_rows import rows_of
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_KEEP = ("id", "user_id", "agent_id", "run_id", "app_id")


def read_mem0(stream: IO[bytes]) -> Iterator[Record]:
    """Yield the memories of a mem0 or OpenMemory export."""
    rows = _rows(stream, ("results", "memories", "items"), single=("memory", "content"))
    yield from _each(rows, _mem0)


def read_mcp(stream: IO[bytes]) -> Iterator[Record]:
    """Yield every observation and relation of the MCP reference server's graph."""
    for number, line in lines.read_lines(stream):
        try:
            if isinstance(line, InvalidInputError):
                raise line
            row = strict_json.parse(line)
            yield from _mcp(number, row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            yield Unreadable(number, problem_of(error), line if isinstance(line, bytes) else "")


def read_trw(stream: IO[bytes]) -> Iterator[Record]:
    """Yield the entries of a trw-memory JSON export."""
    yield from _each(_rows(stream, ("entries", "memories")), _trw)


def read_claude_mem(stream: IO[bytes]) -> Iterator[Record]:
    """Yield the observations and session summaries of a claude-mem export."""
    document = _document(stream)
    if not isinstance(document, dict):
        raise InvalidInputError("a claude-mem export is a JSON object", code="invalid_row")
    yield from _each(document.get("observations", ()), _observation)
    yield from _each(document.get("summaries", ()), _summary)


def read_claude_mem_database(path: Path) -> Iterator[Record]:
    """Yield the observations and session summaries of a claude-mem database."""
    yield from _each(rows_of(path, "observations"), _observation)
    yield from _each(rows_of(path, "session_summaries"), _summary)


def when(value: object) -> float | None:
    """Return a time as other systems write it: ISO 8601, or an epoch in s, ms, µs or ns."""
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = float(value)
        while abs(seconds) > 1e11:
            seconds /= 1000
        return parse_instant(seconds)
    return parse_instant(str(value))


def _document(stream: IO[bytes]) -> Any:  # noqa: ANN401 - parsed JSON
    return strict_json.parse(stream.read().removeprefix(BOM_UTF8))


def _rows(
    stream: IO[bytes], keys: tuple[str, ...], *, single: tuple[str, ...] = ()
) -> Iterable[Any]:
    """Return the records of a document; an object with one of ``single`` is a record itself."""
    document = _document(stream)
    if isinstance(document, dict) and any(isinstance(document.get(key), str) for key in single):
        return [document]
    if isinstance(document, dict):
        document = next((document[key] for key in keys if key in document), None)
    if not isinstance(document, list):
        raise InvalidInputError(
            f"the file is neither a JSON array nor an object with one of {', '.join(keys)}",
            code="invalid_row",
        )
    return document


def _each(rows: Iterable[Any], read: Callable[[int, Any], Item]) -> Iterator[Record]:
    for place, row in enumerate(rows, 1):
        try:
            yield read(place, row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            yield Unreadable(place, problem_of(error), row)


def _mem0(place: int, row: dict[str, Any]) -> Item:
    text = row.get("memory") or row.get("content") or row.get("text")
    if not text:
        raise InvalidInputError("there is no text under memory, content or text")
    user = row.get("user_id")
    return Item(
        text=_string(text),
        place=place,
        when=when(row.get("created_at")),
        scope=f"user:{user}" if user else None,
        tags=tuple(map(str, row.get("categories") or ())),
        meta={"mem0": _kept(row), **dict(row.get("metadata") or row.get("metadata_") or {})},
    )


def _mcp(place: int, row: dict[str, Any]) -> Iterator[Item]:
    if row["type"] == "entity":
        about = f"{row['name']} ({row['entityType']})" if row.get("entityType") else row["name"]
        for observation in row.get("observations", ()):
            yield Item(
                text=f"{about}: {_string(observation)}",
                place=place,
                kind=Kind.SEMANTIC,
                tags=(str(row["name"])[:100],),
            )
    elif row["type"] == "relation":
        verb = str(row["relationType"]).replace("_", " ")
        yield Item(
            text=f"{row['from']} {verb} {row['to']}",
            place=place,
            kind=Kind.SEMANTIC,
            tags=(str(row["from"])[:100], str(row["to"])[:100]),
        )
    else:
        raise InvalidInputError(f"unknown type {row['type']!r}", code="invalid_row")


def _trw(place: int, row: dict[str, Any]) -> Item:
    detail = row.get("detail")
    text = _string(row["content"])
    namespace = row.get("namespace")
    return Item(
        text=f"{text}\n{detail}" if detail else text,
        place=place,
        when=when(row.get("created_at")),
        scope=scope_of(namespace) if namespace else None,
        tags=tuple(map(str, row.get("tags") or ())),
        importance=min(1.0, max(0.0, float(row.get("importance", 0.0)))),
        meta={"trw": {**_kept(row), "status": row.get("status")}, **(row.get("metadata") or {})},
    )


def _observation(place: int, row: dict[str, Any]) -> Item:
    parts = [row.get("title"), row.get("narrative") or row.get("text") or row.get("subtitle")]
    facts = row.get("facts") or ()
    facts = strict_json.parse(facts) if isinstance(facts, str) and facts else facts
    return Item(
        text="\n".join([str(part) for part in (*parts, *facts) if part]),
        place=place,
        when=when(row.get("created_at_epoch") or row.get("created_at")),
        scope=row.get("project") or None,
        tags=(str(row["type"]),) if row.get("type") else (),
        meta={"claude-mem": _kept(row)},
    )


def _summary(place: int, row: dict[str, Any]) -> Item:
    parts = [
        f"{label}: {row[key]}"
        for key, label in (
            ("request", "Asked"),
            ("learned", "Learned"),
            ("completed", "Done"),
            ("next_steps", "Next"),
        )
        if row.get(key)
    ]
    return Item(
        text="\n".join(parts),
        place=place,
        when=when(row.get("created_at_epoch") or row.get("created_at")),
        scope=row.get("project") or None,
        tags=("summary",),
        meta={"claude-mem": _kept(row)},
    )


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in _KEEP if row.get(key) is not None}


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInputError(f"a text was expected, got {type(value).__name__}")
    return value
