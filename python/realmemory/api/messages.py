"""What is no message of the protocol: refused here, where the library would drop or bend it."""

from __future__ import annotations

import json

from realmemory import strict_json
from realmemory.errors import InvalidInputError

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
        return _error(None, _PARSE_ERROR, f"the message is {error.message}; nothing was done")
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
