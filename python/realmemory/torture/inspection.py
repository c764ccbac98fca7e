"""Comparing a store with what it has promised."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.core.text import fts_terms
from realmemory.store import backups
from realmemory.torture.workload import open_memory
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.hippocampus import Hippocampus
    from realmemory.store.transactions import ReadView
    from realmemory.torture.ledger import Ledger
    from realmemory.types import Trace

_ALL = 1_000_000_000
_ASKED = 3
_VISIBLE = (Status.ACTIVE, Status.ARCHIVED)
"""A live trace may have been archived by a sleep whose clock was wrong."""


def inspect(folder: Path, ledger: Ledger, *, thorough: bool = False) -> list[str]:
    """Open a store and return what contradicts the ledger, one sentence each.

    Args:
        folder: The store; nobody else may use it meanwhile.
        ledger: What was acknowledged.
        thorough: Check every backup in full as well.
    """
    with open_memory(folder) as memory:
        store = memory.context.store
        report = store.verify(analyse=fts_terms)
        found = [f"verify [{item.code}]: {item.message}" for item in report.findings]
        with store.read() as view:
            traces = {trace.id: trace for trace in view.traces.page(limit=_ALL)}
            wordings = _wordings(view, traces)
        found += _missing(ledger, traces, wordings)
        found += _wrong_states(ledger, traces)
        found += _strangers(ledger, traces, wordings)
        found += _unanswered(memory, ledger, traces)
        if thorough:
            for info in store.backups():
                backups.verify(info.path, full=True)
    return found


def _wordings(view: ReadView, traces: dict[int, Trace]) -> dict[int, set[str]]:
    kept = view.variants.of_many(traces)
    return {
        number: {trace.text, *(variant.text for variant in kept.get(number, ()))}
        for number, trace in traces.items()
    }


def _missing(
    ledger: Ledger, traces: dict[int, Trace], wordings: dict[int, set[str]]
) -> Iterator[str]:
    for number, texts in ledger.texts.items():
        if number in ledger.erased:
            if number in traces:
                yield f"#{number} was erased and is there"
        elif number not in traces:
            if number not in ledger.perhaps_erased:
                yield f"#{number} was acknowledged and is gone: {min(texts)[:60]!r}"
        elif not texts <= wordings[number]:
            yield f"#{number} lost a wording: {min(texts - wordings[number])[:60]!r}"


def _wrong_states(ledger: Ledger, traces: dict[int, Trace]) -> Iterator[str]:
    for number, trace in traces.items():
        successor = ledger.successors.get(number)
        if number not in ledger.texts or number in ledger.loose:
            continue
        if successor is not None:
            if not _succeeded(ledger, trace, successor):
                named = trace.superseded_by
                yield f"#{number} was revised to #{successor}; it is {trace.status}, names {named}"
        elif number in ledger.archived:
            if trace.status is not Status.ARCHIVED:
                yield f"#{number} was forgotten and is {trace.status}"
        elif trace.status not in _VISIBLE:
            yield f"#{number} is {trace.status} without anybody having said so"


def _succeeded(ledger: Ledger, trace: Trace, successor: int) -> bool:
    gone = successor in ledger.erased or successor in ledger.perhaps_erased
    named = trace.superseded_by == successor or (gone and trace.superseded_by is None)
    return named and trace.status is Status.SUPERSEDED


def _strangers(
    ledger: Ledger, traces: dict[int, Trace], wordings: dict[int, set[str]]
) -> Iterator[str]:
    """Find texts that nobody wrote, refused texts that are there, and texts kept twice."""
    written = ledger.possible.union(*ledger.texts.values())
    shown = {number: wordings[number] for number in traces}
    for number, texts in shown.items():
        if texts & ledger.refused:
            yield f"#{number} was refused and is there"
        # A shared text has several writers; the last one may have died before it could say so.
        if number not in ledger.texts and not texts & written and not _shared(texts):
            yield f"#{number} was written by nobody: {min(texts)[:60]!r}"
    counts = Counter(
        trace.text for trace in traces.values() if trace.status is not Status.SUPERSEDED
    )
    yield from (f"{text!r} is kept {n} times" for text, n in counts.items() if n > 1)


def _shared(texts: set[str]) -> bool:
    return any(text.startswith("Depot number ") for text in texts)


def _unanswered(memory: Hippocampus, ledger: Ledger, traces: dict[int, Trace]) -> Iterator[str]:
    """Ask for the newest traces by their own words."""
    now = time.time()
    live = [
        number
        for number in ledger.usable()
        if number in traces
        and traces[number].status is Status.ACTIVE
        # What was written by a clock far ahead is not valid yet, far behind it has faded.
        and abs(traces[number].valid_from - now) < DAY
        and not _shared({traces[number].text})
    ]
    for number in live[-_ASKED:]:
        text = traces[number].text
        packet = memory.recall(" ".join(text.split()[:4]), k=10)
        if number not in {item.memory_id for item in packet.items}:
            yield f"#{number} is not found by its own words: {text[:60]!r}"
