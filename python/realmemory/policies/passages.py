"""Long texts fall into passages: one vector cannot hold what eight thousand tokens say.

Cuts lie where a reader would make them: between paragraphs, lines, sentences, then words.
"""

from __future__ import annotations

import re

from realmemory.core.passage_ids import MOST
from realmemory.core.text import analyze
from realmemory.late import late_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LONG = 1200
"""Characters of a text that one vector still stands for."""
SIZE = 400
"""Characters that a passage has at most, white space at its end not counted."""

_SHORT_FORMS = (
    "Mr",
    "Mrs",
    "Ms",
    "Dr",
    "Prof",
    "St",
    "No",
    "Nr",
    "vs",
    "bzw",
    "ca",
    "Sr",
    "Sra",
    "ул",
    "им",
)
_NO_END = r"(?<!\b[^\W\d_]\.)" + "".join(rf"(?<!\b{form}\.)" for form in _SHORT_FORMS)
"""Where a full stop ends no sentence: after one letter ("J.", "e.g.", "z.B.") or a short form."""
_CUTS = (
    late_pattern(r"\n\s*\n\s*"),
    late_pattern(r"\n\s*"),
    late_pattern(rf"(?<=[.!?…。！？]){_NO_END}\s*(?=\s|[^\x00-\x7f])\s*"),
    late_pattern(r"\s+"),
)
"""Places to cut at, the best kind first."""
_HEADING = late_pattern(r"^(?:#{1,6}\s.*|.*[:\uff1a])\s*\Z", re.MULTILINE)
"""A last line that says what the next one is about."""


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
        found = [match.end() for match in cuts.finditer(text, start + SIZE // 2, limit)]
        if found:
            kept = (end for end in reversed(found) if not _HEADING.search(text[start:end]))
            return next(kept, found[-1])
    return limit


def answering(
    text: str, ranges: Sequence[tuple[int, int]], cosines: Sequence[float], forms: Collection[str]
) -> tuple[int, int]:
    """Return the passage that answers best, by meaning and by the words that it holds.

    Args:
        text: The whole text.
        ranges: Its passages, at least one.
        cosines: Of each with the question.
        forms: Terms of the question.
    """
    values = [
        len({*forms}.intersection(analyze(text[start:end]))) / max(1, len(forms)) + cosine
        for (start, end), cosine in zip(ranges, cosines, strict=True)
    ]
    return ranges[values.index(max(values))]
