"""The part of stage `candidates` that knows times: what is of them, and what speaks of them.

A memory is of the day on which it was observed, and may tell of another: "the dentist is on 19
November" is found by the words for that day, "the bank calls next Thursday" in the days before it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.policies.times.dates import days_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.core.memory_index import MemoryIndex
    from realmemory.core.rows import ScanFilter
    from realmemory.flows.question import Question

_TIMED = 24
"""Candidates from each time that the question names."""
_SPANS = 2
"""Times of a question that are looked for."""
_FEW = 8 * DAY
"""Longest time whose days are looked for by their words, and how long before one speaks of "next Friday"."""


def of_the_times(engine: MemoryIndex, question: Question, visible: ScanFilter) -> set[int]:
    """Return candidates from the times that a question names, and such as speak of them."""
    found: set[int] = set()
    for span in question.spans[:_SPANS]:
        within = _narrowed(visible, span.start, span.end)
        if within is not None:
            found.update(_nearest(engine, question, within))
        if span.end - span.start > _FEW or question.inquiry is None:
            continue
        words = days_in_words(span.start, span.end)
        found.update(engine.gather(words, question.vector, visible, k=_TIMED, scan_k=0).ids)
        shortly = _narrowed(visible, span.start - _FEW, span.start)
        if shortly is not None:
            found.update(_nearest(engine, question, shortly))
    return found


def _nearest(engine: MemoryIndex, question: Question, within: ScanFilter) -> Sequence[int]:
    """Return the nearest of a time, and of what an open question names those that hold it."""
    if question.inquiry is None or question.inquiry.bare:
        return engine.topk(question.vector, _TIMED, within).order
    return engine.gather(question.text, question.vector, within, k=_TIMED).ids


def _narrowed(visible: ScanFilter, start: float, end: float) -> ScanFilter | None:
    """Return the filter narrowed to a time; None where that leaves nothing, or all that it passes."""
    lower = -math.inf if visible.since is None else visible.since
    upper = math.inf if visible.until is None else visible.until
    start, end = max(start, lower), min(end, upper)
    if start >= end or (start, end) == (lower, upper):
        return None
    since = start if math.isfinite(start) else None
    return replace(visible, since=since, until=end if math.isfinite(end) else None)
