"""Stage `candidates`: what the exact scan and the keyword index bring, filters applied first."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from realmemory.core.rows import KIND_CODES, STATUS_CODES, ScanFilter
from realmemory.flows import passages, surroundings
from realmemory.flows.times import of_the_times
from realmemory.flows.versions import held_then
from realmemory.policies.decay import time_constants
from realmemory.policies.relevance import Evidence, Null
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.core.evidence import Table
    from realmemory.core.results import Described
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.passages import Parts
    from realmemory.flows.question import Question
    from realmemory.policies.question.inquiry import Then
    from realmemory.store.records import TurnPlace, Version
    from realmemory.store.transactions import ReadView

_POOL = 48
"""Least candidates of each channel; the best of one may be far down in the other."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every trace that some channel found, described by all of them.

    ``ids``, ascending, and the columns of ``evidence`` run in parallel; ``visible`` is the filter
    that both channels applied; ``passages`` are those of the long texts; ``then`` says how they
    stand to the times that the question names, None when it names none; ``places`` say where the
    turns among them stand, ``named`` are those of their speakers whom the question names, with
    the terms of their names that it holds; ``versions`` tell when those that were replaced, and what
    replaced them, held, where a question looks back.
    """

    ids: array[int]
    evidence: Evidence
    visible: ScanFilter
    then: Then | None = None
    passages: Mapping[int, Parts] = field(default_factory=dict)
    places: Sequence[TurnPlace] = ()
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)
    versions: Mapping[int, Version] = field(default_factory=dict)

    def place_of(self, memory_id: int) -> int:
        """Return where a candidate stands among them."""
        return bisect_left(self.ids, memory_id)

    def found(self, memory_id: int) -> int | None:
        """Return where a trace stands among them, None where it is none of them."""
        at = self.place_of(memory_id)
        return at if at < len(self.ids) and self.ids[at] == memory_id else None


def gather(context: MemoryContext, view: ReadView, question: Question) -> Candidates:
    """Search both channels and describe every trace that either of them found by both."""
    context.index.refresh(view)
    visible = scan_filter(context, question, visible_scopes(view, question.scope))
    if question.tags:
        # Of every scope: whether another one knows is asked with the same filter.
        visible = replace(visible, ids=array("q", view.search.tagged(question.tags)))
    try:
        return _search(context, view, question, visible)
    except OSError:
        # A block of the index's snapshot is damaged; the store has everything.
        context.index.rebuild(view)
        return _search(context, view, question, visible)


def _search(
    context: MemoryContext, view: ReadView, question: Question, visible: ScanFilter
) -> Candidates:
    engine = context.index.engine
    long_texts = view.passages.any()
    pool = max(_POOL, question.depth * context.config.recall_oversample)
    # Of a few named rows the exact scan is as fast, and misses none.
    by_votes = context.scans_by_votes and visible.ids is None
    scan_k = 0 if by_votes else None
    found = engine.gather(question.text, question.vector, visible, k=pool, scan_k=scan_k)
    further = set(context.voters.nominate(view, question.vector) if by_votes else ())
    if long_texts:
        further.update(passages.nearest(engine, view, question, pool, visible))
    further.update(of_the_times(engine, question, visible))
    places = surroundings.places_around(view, {*found.ids, *further})
    further.update(place.id for place in places)
    further.difference_update(found.ids)
    if further:
        described = engine.describe(question.text, question.vector, sorted(further), visible)
        found = found.joined(described)
    replaced, versions = held_then(engine, view, question, visible)
    found = found if replaced is None else found.joined(replaced)
    parts = passages.of_candidates(context, view, question, found.ids) if long_texts else {}
    evidence = evidence_of(question, found)
    if parts:
        evidence = replace(evidence, table=_with_passages(found, parts))
    named = surroundings.named_in(question, places) if places else {}
    if places:
        # The turns around are judged by words that resemble those of the question as well.
        alike = engine.lexical(question.text, found.ids, scopes=visible.scopes, fuzzy=True)
        around = surroundings.describe(
            question, found.ids, places, evidence, alike.bm25, named=named
        )
        evidence = replace(evidence, around=around)
    return Candidates(
        *(found.ids, evidence, visible),
        passages=parts,
        places=places,
        named=named,
        versions=versions,
    )


def _with_passages(found: Described, parts: Mapping[int, Parts]) -> Table:
    """Return what was found with the cosine of the nearest passage, if that is nearer."""
    nearest = {
        bisect_left(found.ids, memory_id): float(part.cosines.max())
        for memory_id, part in parts.items()
    }
    return found.table.raised("cosine", nearest)


def evidence_of(question: Question, found: Described) -> Evidence:
    """Return what both channels say about rows, nothing of which was refined yet."""
    return Evidence(
        table=found.table,
        query_words=question.words,
        letters_per_piece=0.0,
        rows=found.bounded,
        null=Null(found.null.count, found.null.mean, found.null.std),
    )


def scan_filter(context: MemoryContext, question: Question, scopes: Sequence[int]) -> ScanFilter:
    """Return the engine's form of everything that restricts the answer."""
    options = question.options
    return ScanFilter(
        now=question.now,
        scopes=tuple(scopes),
        kinds=tuple(KIND_CODES[kind] for kind in question.kinds),
        statuses=tuple(STATUS_CODES[status] for status in question.statuses),
        # What feedback took below the floor stays out; what only time did is weighed, not hidden.
        min_strength=0.0 if question.history else context.config.min_retention_recall,
        taus=time_constants(context.config),
        as_of=options.as_of,
        since=options.since,
        until=options.until,
    )


def visible_scopes(view: ReadView, scope: str | None) -> list[int]:
    """Return the ids of the scopes that may answer; without a scope all of them."""
    if scope is None:
        return view.scopes.ids()
    found = (view.scopes.find(name) for name in {scope, GLOBAL_SCOPE})
    return sorted({scope_id for scope_id in found if scope_id is not None})
