"""Listings by words and by filters: exact answers about what is stored, without judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze, analyze_query, fts_term
from realmemory.flows import validation
from realmemory.flows.candidates import visible_scopes
from realmemory.safety import masked_name
from realmemory.store import search
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.types import Trace

_PAGE = 500


def search_words(
    context: MemoryContext,
    query: str,
    *,
    scope: str | None = None,
    all_scopes: bool = False,
    statuses: Sequence[str] | None = (Status.ACTIVE,),
    limit: int = 20,
) -> list[tuple[Trace, float]]:
    """Return traces that hold words of the query, with their bm25, the best first.

    Words are found in any inflected form. A query in double quotes is a phrase, one that ends in
    ``*`` a prefix; every other sign is read as text.

    Raises:
        InvalidInputError: The query, the scope or the limit cannot be used.
    """
    text = validation.checked_query(query, context.config.max_text_bytes)
    seen = validation.checked_scope(scope, all_scopes=all_scopes)
    wanted = validation.checked_statuses(statuses)
    with context.store.read() as view:
        hits = view.search.find(
            _expression(text.strip()),
            scope_ids=visible_scopes(view, seen),
            statuses=wanted,
            limit=validation.checked_k(limit, "limit"),
        )
        traces = view.traces.get_many(hit.id for hit in hits)
    return [(traces[hit.id], hit.rank) for hit in hits if hit.id in traces]


def filtered(
    context: MemoryContext,
    *,
    scope: str | None = None,
    statuses: Sequence[str] | None = (Status.ACTIVE,),
    tags: Sequence[str] = (),
    author: str | None = None,
    since: float | None = None,
    min_importance: float = 0.0,
) -> Iterator[Trace]:
    """Yield the traces that pass every filter, newest first, page by page.

    Raises:
        InvalidInputError: A filter cannot be used.
    """
    seen = validation.checked_scope(scope, all_scopes=False)
    wanted = validation.checked_statuses(statuses)
    after = None
    while True:
        with context.store.read() as view:
            page = view.traces.page(
                scope_ids=visible_scopes(view, seen),
                statuses=wanted,
                author=author and masked_name(author),
                tag=tags[0] if tags else None,
                since=since,
                after=after,
                newest_first=True,
                limit=_PAGE,
            )
        for trace in page:
            if trace.importance >= min_importance and set(tags) <= set(trace.tags):
                yield trace
        if len(page) < _PAGE:
            return
        after = page[-1].id


def _expression(text: str) -> str:
    if len(text) > 2 and text[0] == text[-1] == '"':
        return search.phrase([fts_term(term) for term in analyze(text[1:-1])])
    if text.endswith("*") and len(text) > 1 and not text[-2].isspace():
        *words, start = text[:-1].split()
        stems = [fts_term(term) for term in analyze_query(" ".join(words))]
        begins = analyze(start)
        return search.both(
            search.all_of(stems), search.prefix(fts_term(begins[0]) if begins else "")
        )
    return search.any_of(fts_term(term) for term in analyze_query(text))
