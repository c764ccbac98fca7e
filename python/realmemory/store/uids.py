"""UUID version 7: identifiers that are unique across machines and sort by time (RFC 9562, 5.7)."""

from __future__ import annotations

import os


def new_uid(now: float) -> str:
    """Return a UUIDv7 for the epoch second ``now``; times before 1970 count as 1970."""
    milliseconds = max(0, int(now * 1000)) & ((1 << 48) - 1)
    random = int.from_bytes(os.urandom(10))
    value = milliseconds << 80
    value |= 0x7 << 76
    value |= ((random >> 62) & 0xFFF) << 64
    value |= 0b10 << 62
    value |= random & ((1 << 62) - 1)
    # The modules that would format it cost a short-lived process more than the store itself.
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
