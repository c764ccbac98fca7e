"""Stage `packet`: fetch the rows of the answer, and only those."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from realmemory.flows.forget import forgotten
from realmemory.flows.passages import best_span
from realmemory.policies.change.bearing import Bearing
from realmemory.policies.change.changes import tells_change
from realmemory.policies.currency import Standing, current_first, former_first
from realmemory.policies.gate.corrections import introduction
from realmemory.policies.question.former import held
from realmemory.policies.refinement import Refinement
from realmemory.store.records import Version
from realmemory.types import AbstainReason, Kind, RecalledMemory, RecallPacket, Source, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.explain import Explanation
    from realmemory.flows.fuse import Ranked
    from realmemory.flows.passages import Parts
    from realmemory.flows.question import Question
    from realmemory.store.answers import Answer
    from realmemory.store.transactions import ReadView


_RANKED = frozenset([Source.DIRECT, Source.KEYWORD])
_READ = 10
"""Hits whose long texts are read for the words of the question."""


def assemble(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    hits: Sequence[Ranked],
    stages: Explanation,
    *,
    reason: AbstainReason | None,
    parts: Mapping[int, Parts],
) -> RecallPacket:
    """Build the answer; a trace that was forgotten since the search is left out."""
    kept: Sequence[Ranked] = () if reason is not None else hits
    traces = view.answers.of([item.id for item in kept]) if kept else {}
    contradicted = bool(traces) and view.links.any_conflict()
    conflicts = view.links.conflicts_of(traces) if contradicted else {}
    if not question.only_times:
        vouched = _vouched_at(view, conflicts) if conflicts else {}
        kept = _in_order(question, kept, traces, conflicts, vouched)
    refinement = Refinement.of(context.config)
    items = tuple(
        _item(
            traces[item.id],
            _marked(context, question, item, traces[item.id]),
            conflicts,
            refinement,
            _span(question, traces[item.id], parts, by_words=at < _READ),
        )
        for at, item in enumerate(kept)
        if item.id in traces and _still_there(question, item, traces[item.id])
    )
    stages.mark("packet")
    if not items and reason is None:
        reason = AbstainReason.NOTHING_MATCHED
    return RecallPacket(
        query=question.text,
        items=items,
        abstained=not items,
        reason=reason,
        latency_ms=stages.elapsed_ms,
        degraded=_degraded(context, view, question),
    )


def with_nearest(
    context: MemoryContext, view: ReadView, packet: RecallPacket, miss: Ranked
) -> RecallPacket:
    """Return an empty packet with what would have answered but for its reason."""
    trace = view.answers.of([miss.id]).get(miss.id)
    nearest = trace and _item(trace, miss, {}, Refinement.of(context.config), None)
    return replace(packet, nearest=nearest)


def _in_order(
    question: Question,
    kept: Sequence[Ranked],
    traces: Mapping[int, Answer],
    conflicts: Mapping[int, Sequence[int]],
    vouched: Mapping[int, float],
) -> Sequence[Ranked]:
    """Put what holds now before what is no better, where that is comparable.

    Who names a time, or asks for the past, may mean the earlier of two that contradict each other.

    What is associated or cold has a score of another sort, and turns are told in their order.
    """
    ranked = [
        item
        for item in kept
        if item.source in _RANKED and item.id in traces and traces[item.id].kind is not Kind.TURN
    ]
    if len(ranked) < 2:
        return kept
    by_id = {item.id: item for item in ranked}
    past = question.options.include_superseded or question.former or bool(question.spans)
    against = {} if past else _answering(question, traces, conflicts)
    standings = {
        item.id: _standing(
            item, traces[item.id], against.get(item.id, ()), vouched.get(item.id, -inf)
        )
        for item in ranked
    }
    order = current_first(
        list(standings.values()),
        inf if question.spans or question.options.as_of is not None else question.now,
    )
    if question.looks_back:
        order = former_first([standings[item] for item in order], _asked(question, by_id, traces))
    following = iter(order)
    return [by_id[next(following)] if item.id in by_id else item for item in kept]


def _answering(
    question: Question, traces: Mapping[int, Answer], conflicts: Mapping[int, Sequence[int]]
) -> dict[int, list[int]]:
    """Return what contradicts each hit and may answer the question in its place, or it in that one's."""
    if not conflicts:
        return {}
    bearing = Bearing.of(question.text)

    def answers(one: int, other: int) -> bool:
        if one not in traces or other not in traces:
            return False
        old, new = sorted((traces[one], traces[other]), key=lambda trace: trace.observed_at)
        return bearing.answers(old.text, new.text)

    return {
        one: [other for other in others if answers(one, other)] for one, others in conflicts.items()
    }


def _asked(question: Question, ids: Iterable[int], traces: Mapping[int, Answer]) -> frozenset[int]:
    """Return which hits held when the question asks for, or were replaced if it names no time."""
    return frozenset(
        one
        for one in ids
        if (question.spans or traces[one].status is Status.SUPERSEDED)
        and held(_version(traces[one]), question.spans)
    )


def _version(trace: Answer) -> Version:
    end = inf if trace.valid_to is None else trace.valid_to
    return Version(trace.valid_from, end, trace.superseded_by)


def _vouched_at(view: ReadView, ids: Iterable[int]) -> dict[int, float]:
    """Return when each trace was last rewarded, for those that were."""
    usage = view.usage.of(ids).values()
    return {one.trace_id: one.last_used_at for one in usage if one.last_used_at is not None}


def _standing(
    item: Ranked, trace: Answer, contradicts: Sequence[int], vouched_at: float
) -> Standing:
    return Standing(
        item.id,
        item.score,
        item.confidence,
        trace.observed_at,
        trace.superseded_by,
        trace.valid_from,
        tuple(contradicts),
        corrects=bool(introduction(trace.text)) or tells_change(trace.text),
        vouched_at=vouched_at,
        alive=item.retention,
    )


def _degraded(context: MemoryContext, view: ReadView, question: Question) -> str | None:
    """Say when part of the memory cannot be compared by meaning with the question."""
    if question.trouble is not None:
        return f"matched by words only: {question.trouble}"
    current, following = view.spaces.in_use()
    if current is not None and current != context.space_id:
        return "opened with another embedder than the memory's own: matched by words only"
    if following is not None:
        return "the embedder is being changed: part of the memory is matched by words only"
    if context.scans_by_votes:
        return "more traces than exact_scan_max_traces: a near one may be missed by its meaning"
    return None


def _marked(context: MemoryContext, question: Question, item: Ranked, trace: Answer) -> Ranked:
    """Return a hit that says whether it has faded."""
    floor = 0.0 if question.history else context.config.min_retention_recall
    faded = item.retention < floor and trace.status is Status.ACTIVE
    if item.source in _RANKED and (faded or trace.status is Status.ARCHIVED):
        return item._replace(source=Source.ARCHIVE)
    return item


def _still_there(question: Question, item: Ranked, trace: Answer) -> bool:
    if forgotten(trace):
        return question.options.include_archived
    if item.source is Source.ARCHIVE:
        return trace.status in {Status.ARCHIVED, Status.ACTIVE}
    replaced = question.looks_back and trace.status is Status.SUPERSEDED
    return replaced or trace.status in question.statuses


def _span(
    question: Question, trace: Answer, parts: Mapping[int, Parts], *, by_words: bool
) -> tuple[int, int] | None:
    if trace.id not in parts:
        return None
    return best_span(question, trace, parts[trace.id], by_words=by_words)


def _item(
    trace: Answer,
    ranked: Ranked,
    conflicts: Mapping[int, Sequence[int]],
    refinement: Refinement,
    span: tuple[int, int] | None,
) -> RecalledMemory:
    return RecalledMemory(
        memory_id=trace.id,
        text=trace.text,
        kind=trace.kind,
        cosine=ranked.cosine,
        confidence=refinement.refined(ranked.confidence),
        retention=round(ranked.retention, 6),
        source=ranked.source,
        created_at=trace.created_at,
        updated_at=trace.updated_at,
        meta=trace.meta,
        scope=trace.scope,
        author=trace.author,
        score=ranked.score,
        status=trace.status,
        origin=trace.origin,
        observed_at=trace.observed_at,
        valid_from=trace.valid_from,
        valid_to=trace.valid_to,
        superseded_by=trace.superseded_by,
        tags=trace.tags,
        conflicts_with=tuple(conflicts.get(trace.id, ())),
        span=span,
        session_id=trace.session_id,
        turn_index=trace.turn_index,
    )
