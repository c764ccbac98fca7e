"""Stage `archive`: what the cold tier knows, by words, when asked or when nothing else answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze, fts_term, query_forms
from realmemory.flows.candidates import visible_scopes
from realmemory.flows.forget import forgotten
from realmemory.flows.fuse import Ranked
from realmemory.policies.ranking import associated_score
from realmemory.store.search import any_of
from realmemory.types import Source, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace

_TRUSTED = 0.6
"""Share of the question's words that an archived trace must hold to be offered unasked."""


def look_up(
    context: MemoryContext, view: ReadView, question: Question, *, asked: bool
) -> list[Ranked]:
    """Return archived traces that hold the words of a question, best first.

    Unasked, only such as hold most of the words and were not forgotten on request or expired.
    Whoever uses one brings it back: by feedback, by ``restore`` or by saying it again.
    """
    forms = query_forms(question.text)
    terms = [fts_term(form) for alternatives in forms for form in alternatives]
    hits = view.search.find(
        any_of(terms),
        scope_ids=visible_scopes(view, question.scope),
        statuses=[Status.ARCHIVED],
        limit=question.k * context.config.recall_oversample,
    )
    if not hits:
        return []
    traces = view.traces.get_many(hit.id for hit in hits)
    texts = {row.id: row.text for row in view.traces.index_rows(traces)}
    found = [
        (coverage, memory_id)
        for memory_id, trace in traces.items()
        if _admitted(question, trace, asked=asked)
        and (coverage := _coverage(forms, texts[memory_id])) >= (0.0 if asked else _TRUSTED)
    ]
    found.sort(key=lambda item: (-item[0], item[1]))
    return [_ranked(context, memory_id, coverage) for coverage, memory_id in found[: question.k]]


def _admitted(question: Question, trace: Trace, *, asked: bool) -> bool:
    options = question.options
    ended = trace.expires_at is not None and trace.expires_at <= question.now
    return (
        trace.kind in question.kinds
        and (options.since is None or trace.observed_at >= options.since)
        and (options.until is None or trace.observed_at < options.until)
        and (options.as_of is None or trace.valid_from <= options.as_of)
        and (asked or not (ended or forgotten(trace)))
    )


def _coverage(forms: Sequence[Sequence[str]], text: str) -> float:
    terms = set(analyze(text))
    return sum(not terms.isdisjoint(alternatives) for alternatives in forms) / max(1, len(forms))


def _ranked(context: MemoryContext, memory_id: int, coverage: float) -> Ranked:
    """Score as a faded trace that was found by words alone."""
    confidence = context.config.w_keyword * coverage
    score = associated_score(context.config, confidence, 0.0)
    return Ranked(memory_id, Source.ARCHIVE, 0.0, 0.0, confidence=confidence, score=score)
