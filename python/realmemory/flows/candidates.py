"""Stage `candidates`: what the exact scan and the keyword index bring, filters applied first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.memory_index import KIND_CODES, STATUS_CODES, ScanFilter
from realmemory.flows import surroundings
from realmemory.policies.decay import time_constants
from realmemory.policies.relevance import Evidence, Null
from realmemory.policies.surroundings import Surroundings
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView

_POOL = 48
"""Least candidates of each channel; the best of one may be far down in the other."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every trace that some channel found, described by all of them.

    ``ids`` and the arrays of ``evidence`` run in parallel; ``visible`` is the filter that both
    channels applied.
    """

    ids: NDArray[np.int64]
    evidence: Evidence
    visible: ScanFilter


def gather(context: MemoryContext, question: Question) -> Candidates:
    """Search both channels and describe every trace that either of them found by both."""
    with context.store.read() as view:
        context.index.refresh(view)
        visible = scan_filter(context, question, visible_scopes(view, question.scope))
    try:
        return _search(context, question, visible)
    except OSError:
        # A block of the index's snapshot is damaged; the store has everything.
        with context.store.read() as view:
            context.index.rebuild(view)
        return _search(context, question, visible)


def _search(context: MemoryContext, question: Question, visible: ScanFilter) -> Candidates:
    engine = context.index.engine
    pool = max(_POOL, question.k * context.config.recall_oversample)
    scan = engine.topk(question.vector, pool, visible)
    keyword = engine.search_terms(question.text, pool, visible, fuzzy=True)
    ids = np.union1d(scan.ids, keyword.ids)
    places = surroundings.places_around(context, ids.tolist())
    if places:
        ids = np.union1d(ids, np.array([place.id for place in places], dtype=np.int64))
    retentions = engine.retentions(ids, visible)
    # Another thread may have forgotten a row since the search.
    ids, retentions = ids[~np.isnan(retentions)], retentions[~np.isnan(retentions)]
    lexical = engine.lexical(question.text, ids, scopes=visible.scopes)
    alike = engine.lexical(question.text, ids, scopes=visible.scopes, fuzzy=True)
    cosines = np.nan_to_num(engine.cosines(question.vector, ids)).astype(np.float64)
    evidence = Evidence(
        cosine=np.maximum(cosines, 0.0),
        bm25=lexical.bm25.astype(np.float64),
        coverage=lexical.coverage.astype(np.float64),
        alike=alike.coverage.astype(np.float64),
        matched=lexical.matched.astype(np.float64),
        retention=retentions,
        query_words=question.words,
        rows=scan.work.bounded,
        null=Null(scan.null.count, scan.null.mean, scan.null.std),
        surroundings=Surroundings.none(len(ids)),
    )
    around = surroundings.describe(question, ids, places, evidence)
    return Candidates(ids, replace(evidence, surroundings=around), visible)


def scan_filter(
    context: MemoryContext, question: Question, scopes: Sequence[int] | None
) -> ScanFilter:
    """Return the engine's form of everything that restricts the answer."""
    options = question.options
    return ScanFilter(
        now=question.now,
        scopes=None if scopes is None else tuple(scopes),
        kinds=tuple(KIND_CODES[kind] for kind in question.kinds),
        statuses=tuple(STATUS_CODES[status] for status in question.statuses),
        min_retention=0.0 if question.history else context.config.min_retention_recall,
        taus=time_constants(context.config),
        as_of=options.as_of,
        since=options.since,
        until=options.until,
    )


def visible_scopes(view: ReadView, scope: str | None) -> list[int] | None:
    """Return the ids of the scopes that may answer, or None for all of them."""
    if scope is None:
        return None
    found = (view.scopes.find(name) for name in (scope, GLOBAL_SCOPE))
    return sorted({scope_id for scope_id in found if scope_id is not None})
