"""Stage `candidates`: what the exact scan and the keyword index bring, filters applied first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.memory_index import KIND_CODES, STATUS_CODES, ScanFilter
from realmemory.flows import keywords
from realmemory.policies.decay import retention_of, time_constants
from realmemory.types import GLOBAL_SCOPE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.core.memory_index import NullStats
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView


@dataclass(frozen=True, slots=True)
class Candidate:
    """One trace that some channel found.

    ``coverage`` is the rarity-weighted share of the query's terms that the trace holds, and
    ``matched`` counts them; both are 0 for a trace without a word of the query.
    """

    id: int
    cosine: float
    retention: float
    keyword_score: float
    coverage: float
    matched: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everything found for one question.

    ``visible`` is the filter that both channels applied; ``query_terms`` counts the query's content terms; ``null`` describes the cosines of a fixed
    sample of the visible rows.
    """

    found: tuple[Candidate, ...]
    query_terms: int
    null: NullStats
    visible: ScanFilter


def gather(context: MemoryContext, question: Question) -> Candidates:
    """Search both channels and describe every trace that either of them found by both."""
    config = context.config
    with context.store.read() as view:
        context.index.refresh(view)
        engine = context.index.engine
        scopes = visible_scopes(view, question.scope)
        visible = scan_filter(context, question, scopes)
        scan = engine.topk(question.vector, question.k, visible, min_cosine=config.cos_min_recall)
        ranks = keywords.search(view, question, scopes, question.k * config.recall_oversample)
        ids = _distinct(scan.ids.tolist(), ranks)
        ids = np.array(ids, dtype=np.int64)[engine.accepted(ids, visible)].tolist()
        lexical, query_terms = keywords.describe(view, question, ids, ranks)
        states = view.traces.states(ids)
    cosines = np.nan_to_num(engine.cosines(question.vector, [item.id for item in states]))
    found = tuple(
        Candidate(
            state.id,
            cosine,
            retention_of(config, state, question.now),
            lexical[state.id].score,
            lexical[state.id].coverage,
            lexical[state.id].matched,
        )
        for state, cosine in zip(states, cosines.tolist(), strict=True)
    )
    return Candidates(found, query_terms, scan.null, visible)


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


def _distinct(*lists: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(item for ids in lists for item in ids))
