"""The keyword channel of stage `candidates`: bm25 over analysed terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.core.text import analyze, fts_term, query_forms
from realmemory.store.search import any_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView


@dataclass(frozen=True, slots=True)
class Lexical:
    """How far a trace holds the words of a query."""

    score: float
    coverage: float
    matched: int


def search(
    view: ReadView, question: Question, scopes: Sequence[int] | None, limit: int
) -> dict[int, float]:
    """Return bm25 by id, for the traces that hold a word of the query."""
    terms = [fts_term(form) for forms in query_forms(question.text) for form in forms]
    hits = view.search.find(
        any_of(terms), scope_ids=scopes, statuses=question.statuses, limit=limit
    )
    return {hit.id: hit.rank for hit in hits}


def describe(
    view: ReadView, question: Question, ids: Iterable[int], scores: dict[int, float]
) -> tuple[dict[int, Lexical], int]:
    """Return the lexical evidence of given traces and the number of words asked for."""
    forms = [set(alternatives) for alternatives in query_forms(question.text)]
    found: dict[int, Lexical] = {}
    for row in view.traces.index_rows(ids):
        terms = set(analyze(row.text))
        matched = sum(not alternatives.isdisjoint(terms) for alternatives in forms)
        coverage = matched / len(forms) if forms else 0.0
        found[row.id] = Lexical(scores.get(row.id, 0.0), coverage, matched)
    return found, len(forms)
