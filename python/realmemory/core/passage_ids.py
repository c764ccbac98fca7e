"""Under which numbers the passages of long texts are rows of the engine, beside their traces.

A passage has a negative id and a scope of its own kind: searches of traces neither see it nor count it.
"""

from __future__ import annotations

MOST = 1 << 12
"""Passages of one text; what is left over belongs to the last."""
APART = 1 << 31
"""Added to the number of a scope; there are far fewer scopes."""
BITS = MOST.bit_length() - 1
"""Of an id that number the passage; the others number the trace."""


def row_id(trace_id: int, ordinal: int) -> int:
    """Return the engine's id of a passage."""
    return -(trace_id << BITS | ordinal) - 1


def trace_id(row: int) -> int:
    """Return the trace that a passage belongs to."""
    return (-row - 1) >> BITS
