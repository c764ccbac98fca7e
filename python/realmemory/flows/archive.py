"""Stage `archive`: what was put out of recall, by words, when somebody asks for it.

What only time has faded takes part in the ordinary pass, in the archive or not: it answers whatever
it answers best. Out of that pass are what was forgotten on request, what has ended, and what feedback
called misleading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.text import analyze, fts_term, query_forms
from realmemory.flows.candidates import visible_scopes
from realmemory.flows.forget import forgotten
from realmemory.flows.fuse import Ranked
from realmemory.policies.decay import weakened
from realmemory.policies.ranking import associated_score
from realmemory.store.search import any_of
from realmemory.types import AbstainReason, Source, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace

_HINTED = 1 / 3
"""Share of the question's words from which on it is worth saying that something holds them."""


def beside(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    hits: list[Ranked],
    reason: AbstainReason | None,
) -> tuple[list[Ranked], AbstainReason | None]:
    """Return the answer with what was put away, when it is asked for, or with word of it.

    Whoever uses what was put away brings it back: by feedback, by ``restore`` or by saying it again.
    """
    if not question.words:
        return hits, reason
    if question.options.include_archived:
        shown = hits if reason is None else []
        known = {item.id for item in shown}
        found = _holding(context, view, question)
        more = [
            _ranked(context, trace.id, coverage)
            for coverage, trace in found
            if trace.id not in known and _admitted(question, trace)
        ]
        hits = [*shown, *more][: question.k]
        return hits, None if hits else reason
    if reason is AbstainReason.NOTHING_MATCHED and _misleading(context, view, question):
        return hits, AbstainReason.ONLY_ARCHIVED
    return hits, reason


def _misleading(context: MemoryContext, view: ReadView, question: Question) -> bool:
    """Say whether something might answer but for what feedback said of it."""
    return any(
        coverage >= _HINTED and weakened(context.config, trace.base_strength)
        for coverage, trace in _holding(context, view, question)
        if _admitted(question, trace) and not _ended(question, trace) and not forgotten(trace)
    )


def _holding(
    context: MemoryContext, view: ReadView, question: Question
) -> list[tuple[float, Trace]]:
    """Return what is in the archive or has faded and holds words of a question, most first."""
    config, forms = context.config, query_forms(question.text)
    hits = view.search.find(
        any_of([fts_term(form) for alternatives in forms for form in alternatives]),
        scope_ids=visible_scopes(view, question.scope),
        statuses=[Status.ARCHIVED],
        # Who asks for the past has met what is active whatever its age.
        fallen=None if question.history else (question.now, config.min_retention_recall),
        limit=question.k * config.recall_oversample,
    )
    if not hits:
        return []
    traces = view.traces.get_many(hit.id for hit in hits)
    texts = {row.id: row.text for row in view.traces.index_rows(traces)}
    held = [(_coverage(forms, texts[memory_id]), trace) for memory_id, trace in traces.items()]
    return sorted(held, key=lambda item: (-item[0], item[1].id))


def _ended(question: Question, trace: Trace) -> bool:
    return trace.expires_at is not None and trace.expires_at <= question.now


def _admitted(question: Question, trace: Trace) -> bool:
    options = question.options
    return (
        trace.kind in question.kinds
        and set(question.tags) <= set(trace.tags)
        and (options.since is None or trace.observed_at >= options.since)
        and (options.until is None or trace.observed_at < options.until)
        and (options.as_of is None or trace.valid_from <= options.as_of)
    )


def _coverage(forms: Sequence[Sequence[str]], text: str) -> float:
    terms = set(analyze(text))
    return sum(not terms.isdisjoint(alternatives) for alternatives in forms) / max(1, len(forms))


def _ranked(context: MemoryContext, memory_id: int, coverage: float) -> Ranked:
    """Score as a trace that was found by words alone."""
    confidence = context.config.w_keyword * coverage
    score = associated_score(context.config, confidence, 0.0)
    return Ranked(memory_id, Source.ARCHIVE, 0.0, 0.0, confidence=confidence, score=score)
