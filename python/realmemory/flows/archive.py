"""Stage `archive`: what has faded, by words, when asked or when nothing else answers.

A trace leaves the ordinary pass when it falls below the recall floor, and moves to the cold tier
when a sleep finds it there after its grace. Until then it is in the index: when nothing else
answers, the same pass goes over it as if nothing had aged. Words find it from the first moment on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.text import analyze, fts_term, query_forms
from realmemory.flows.candidates import visible_scopes
from realmemory.flows.forget import forgotten
from realmemory.flows.fuse import Ranked
from realmemory.policies.decay import time_constants, weakened
from realmemory.policies.ranking import associated_score
from realmemory.store.search import any_of
from realmemory.types import AbstainReason, Source, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace

_TRUSTED = 0.6
"""Share of the question's words that a faded trace must hold to be offered unasked."""
_HINTED = 1 / 3
"""Share of them from which on it is worth saying that something like it has faded."""


class Faded(NamedTuple):
    """What the look-up offers, best first, and whether it knows of more that it was not asked for."""

    hits: list[Ranked]
    more: bool = False

    def reason(self, given: AbstainReason | None) -> AbstainReason | None:
        """Return why the answer is empty, given what the ordinary pass says."""
        if self.hits:
            return None
        if given is AbstainReason.NOTHING_MATCHED and self.more:
            return AbstainReason.ONLY_ARCHIVED
        return given


def faded_exist(view: ReadView, question: Question) -> bool:
    """Say whether something is active that the ordinary pass leaves out for its age."""
    # Who asks for the past has met it already.
    return bool(
        question.words and not question.history and view.traces.faded(question.now, limit=1)
    )


def marked(context: MemoryContext, visible: ScanFilter, hits: list[Ranked]) -> list[Ranked]:
    """Return hits that say which have faded, each with the retention that it has by now."""
    ordinary = time_constants(context.config)
    if visible.taus == ordinary or not hits:
        return hits
    aged = replace(visible, taus=ordinary, min_retention=0.0)
    left = context.index.engine.retentions([item.id for item in hits], aged).tolist()
    floor = context.config.min_retention_recall
    return [
        item._replace(retention=now, source=Source.ARCHIVE if now < floor else item.source)
        for item, now in zip(hits, left, strict=True)
    ]


def beside(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    hits: list[Ranked],
    reason: AbstainReason | None,
) -> tuple[list[Ranked], AbstainReason | None]:
    """Return the answer with what the look-up adds to it, when it is asked or the answer empty."""
    asked = question.options.include_archived
    if not question.words or not (asked or reason is not None):
        return hits, reason
    cold = look_up(context, view, question, asked=asked)
    shown = hits if reason is None else []
    known = {item.id for item in shown}
    more = [item for item in cold.hits if item.id not in known]
    return [*shown, *more][: question.k], cold.reason(reason)


def look_up(context: MemoryContext, view: ReadView, question: Question, *, asked: bool) -> Faded:
    """Return faded traces that hold the words of a question, best first.

    Unasked, only such as hold most of the words, did not expire and were neither forgotten on
    request nor called misleading. Whoever uses one brings it back: by feedback, by ``restore`` or
    by saying it again.
    """
    config, forms = context.config, query_forms(question.text)
    terms = [fts_term(form) for alternatives in forms for form in alternatives]
    hits = view.search.find(
        any_of(terms),
        scope_ids=visible_scopes(view, question.scope),
        statuses=[Status.ARCHIVED],
        # Who asks for the past has met what is active whatever its age.
        fallen=None if question.history else (question.now, config.min_retention_recall),
        limit=question.k * config.recall_oversample,
    )
    if not hits:
        return Faded([])
    traces = view.traces.get_many(hit.id for hit in hits)
    texts = {row.id: row.text for row in view.traces.index_rows(traces)}
    held = [
        (_coverage(forms, texts[memory_id]), memory_id)
        for memory_id, trace in traces.items()
        if _admitted(question, trace, asked=asked)
    ]
    found = [
        (coverage, memory_id)
        for coverage, memory_id in held
        if asked or (coverage >= _TRUSTED and not weakened(config, traces[memory_id].base_strength))
    ]
    found.sort(key=lambda item: (-item[0], item[1]))
    return Faded(
        [_ranked(context, memory_id, coverage) for coverage, memory_id in found[: question.k]],
        more=any(coverage >= _HINTED for coverage, _ in held),
    )


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
