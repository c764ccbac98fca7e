"""Arguments of a tool call: checked against its schema, with an error that says what was meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.api.tools import Tool

# What agents write when they remember another tool's names; a tool takes one of each row's.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "content": ("text", "new_text"),
    "date": ("observed_at", "now"),
    "fact": ("text", "new_text"),
    "id": ("memory_ids", "old_id"),
    "ids": ("memory_ids", "old_id"),
    "limit": ("k",),
    "limt": ("k",),
    "memory": ("text", "new_text"),
    "memory_id": ("memory_ids", "old_id"),
    "memory_ids": ("old_id",),
    "n": ("k",),
    "old": ("old_id",),
    "q": ("query",),
    "question": ("query",),
    "related": ("related_ids",),
    "scope": ("project",),
    "score": ("reward",),
    "search": ("query",),
    "text": ("new_text", "query"),
    "time": ("observed_at", "now"),
    "timestamp": ("observed_at", "now"),
    "top_k": ("k",),
    "type": ("kind",),
    "when": ("observed_at", "now"),
}


def checked(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments with defaults filled in.

    Raises:
        InvalidInputError: ``invalid_arguments``; the message names the argument and the way out.
    """
    arguments = dict(given or {})
    for name in arguments:
        if name not in tool.arguments:
            raise _unknown(tool, name)
    missing = [name for name in tool.required if name not in arguments]
    if missing:
        raise _error(tool, f"needs {' and '.join(map(repr, missing))}")
    for name, schema in tool.arguments.items():
        value = arguments.get(name)
        if value is None and name not in tool.required:
            # An explicit null means the same as nothing: many clients send every argument.
            if "default" in schema:
                arguments[name] = schema["default"]
            else:
                arguments.pop(name, None)
            continue
        arguments[name] = _value(tool, name, value, schema)
    return arguments


def _value(tool: Tool, name: str, value: object, schema: Mapping[str, Any]) -> Any:  # noqa: ANN401
    kind = schema["type"]
    if kind == "number" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not _is_a(value, kind):
        raise _error(tool, f"takes {_article(kind)} for {name!r}, got {_shown(value)}")
    if "enum" in schema and value not in schema["enum"]:
        allowed = " or ".join(map(repr, schema["enum"]))
        raise _error(tool, f"takes {allowed} for {name!r}, got {_shown(value)}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            span = f"{low} to {high}" if high is not None else f"at least {low}"
            raise _error(tool, f"takes {span} for {name!r}, got {_shown(value)}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1000):
            raise _error(tool, f"takes 1 to {schema.get('maxItems', 1000)} ids for {name!r}")
        return [_value(tool, f"{name}[{i}]", item, schema["items"]) for i, item in enumerate(value)]
    return value


def _is_a(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "array": list,
        "object": dict,
    }
    return kind != "boolean" and isinstance(value, kinds[kind])


def _unknown(tool: Tool, name: str) -> InvalidInputError:
    known = list(tool.arguments)
    if not known:
        return _error(tool, f"takes no arguments, got {name!r}")
    meant = [other for other in _SYNONYMS.get(name.casefold(), ()) if other in known]
    close = meant or difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return _error(tool, f"has no argument {name!r}.{hint} It takes: {', '.join(known)}")


def _error(tool: Tool, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"{tool.name} {what}. Nothing was done; call it again.", code="invalid_arguments"
    )


def _article(kind: str) -> str:
    return {"integer": "a whole number", "array": "a list of ids", "string": "a text"}.get(
        kind, f"a {kind}"
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "\u2026"
