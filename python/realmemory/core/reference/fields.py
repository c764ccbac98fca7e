"""Twin of the bytes that a row's hash covers."""

from __future__ import annotations

import struct

_INTEGER = struct.Struct("<cq")
_REAL = struct.Struct("<cd")


def tagged(*values: str | float | bytes | None) -> bytes:
    """Return values one after the other, each behind one byte that tells its type."""
    parts: list[bytes] = []
    for value in values:
        if value is None:
            parts.append(b"N")
        elif isinstance(value, int):
            parts.append(_INTEGER.pack(b"I", value))
        elif isinstance(value, float):
            parts.append(_REAL.pack(b"F", value))
        else:
            raw = value.encode() if isinstance(value, str) else value
            parts += (_INTEGER.pack(b"B", len(raw)), raw)
    return b"".join(parts)
