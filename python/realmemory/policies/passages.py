"""Long texts fall into passages: one vector cannot hold what eight thousand tokens say.

Cuts lie where a reader would make them: between paragraphs, lines, sentences, then words.
"""

from __future__ import annotations

from realmemory.late import late_pattern

LONG = 1200
"""Characters of a text that one vector still stands for."""
SIZE = 400
"""Characters that a passage has at most, white space at its end not counted."""
MOST = 1 << 12
"""Passages of one text; what is left over belongs to the last."""

_CUTS = (
    late_pattern(r"\n\s*\n\s*"),
    late_pattern(r"\n\s*"),
    late_pattern(r"(?<=[.!?…。！？])\s*(?=\s|[^\x00-\x7f])\s*"),
    late_pattern(r"\s+"),
)
"""Places to cut at, the best kind first."""


def split(text: str) -> list[tuple[int, int]]:
    """Return the passages of a text as character ranges that cover it; none for a short text.

    Costs time linear in the text.
    """
    if len(text) <= LONG:
        return []
    ranges: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > SIZE and len(ranges) < MOST - 1:
        end = _cut(text, start)
        ranges.append((start, end))
        start = end
    if start < len(text):
        ranges.append((start, len(text)))
    return ranges


def _cut(text: str, start: int) -> int:
    """Return where the passage that begins at ``start`` ends: in its second half if it can."""
    limit = start + SIZE
    for cuts in _CUTS:
        last = 0
        for match in cuts.finditer(text, start + SIZE // 2, limit):
            last = match.end()
        if last:
            return last
    return limit
