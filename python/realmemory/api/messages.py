"""What is no message of the protocol: refused here, where the library would drop or bend it."""

from __future__ import annotations

import json

from realmemory import strict_json
from realmemory.errors import InvalidInputError

_DIGITS = 18
"""Of every whole number of so many a store of 64 bits is large enough."""
_PARSE_ERROR, _INVALID_REQUEST, _INVALID_PARAMS = -32700, -32600, -32602


def refusal(text: str) -> dict[str, object] | None:
    """Return the answer to a message that the library must not see, None for every other.

    The library takes the last of two equal keys, and drops what it cannot read without an answer.
    """
    if not text.strip():
        return None
    try:
        message = strict_json.parse(text)
    except InvalidInputError as error:
        told = f"the message cannot be read: {error.message}; nothing was done"
        return _error(_number_in(text), _PARSE_ERROR, told)
    number = message.get("id") if isinstance(message, dict) else None
    number = number if isinstance(number, (int, str)) else None
    if not _well_formed(message):
        told = "this is no single message of JSON-RPC 2.0; nothing was done"
        return _error(number, _INVALID_REQUEST, told)
    if number is None or "\\ud" not in text.casefold():
        return None
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        told = "the message holds a lone surrogate, which is no character; nothing was done"
        return _error(number, _INVALID_PARAMS, told)
    return None


def _number_in(text: str) -> int | str | None:
    """Return the one id of a message that is no strict JSON; who sent it waits for an answer to that."""
    try:
        pairs = json.loads(text, object_pairs_hook=_Pairs, parse_int=_short)
    except (ValueError, RecursionError):
        return None
    numbers = [value for key, value in pairs if key == "id"] if isinstance(pairs, _Pairs) else []
    found = numbers[0] if len(numbers) == 1 else None
    if isinstance(found, str):
        return found if found.isascii() else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _short(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


class _Pairs(list[tuple[str, object]]):
    """The keys and values of an object, in which a key may stand twice."""


def _well_formed(message: object) -> bool:
    """Say whether this is a request, a notification or an answer; MCP knows no batches."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "method" not in message:
        return "result" in message or "error" in message
    return (
        isinstance(message["method"], str)
        and isinstance(message.get("id", 0), (int, str))
        and isinstance(message.get("params", {}), (dict, type(None)))
    )


def _error(number: int | str | None, code: int, told: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": told}}
