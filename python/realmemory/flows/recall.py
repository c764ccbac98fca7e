"""The read flow: from a query through candidates, order and judgement to the packet."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.flows.archive import beside
from realmemory.flows.candidates import gather
from realmemory.flows.contrast import contrast
from realmemory.flows.doubt import doubt
from realmemory.flows.elsewhere import elsewhere
from realmemory.flows.explain import Explanation
from realmemory.flows.fuse import fuse
from realmemory.flows.gather_sessions import gathered
from realmemory.flows.hop import hop
from realmemory.flows.news import news
from realmemory.flows.packet import assemble, with_nearest
from realmemory.flows.pending import RecallRecord
from realmemory.flows.question import Question, ask
from realmemory.flows.refine import refine
from realmemory.flows.rerank import rerank
from realmemory.flows.spread import spread
from realmemory.flows.stand import stand
from realmemory.flows.strangers import strangers
from realmemory.flows.vary import vary
from realmemory.policies.question.inquiry import ELSEWHEN
from realmemory.policies.ranking import preset_for
from realmemory.policies.refinement import Refinement
from realmemory.tracing import traced
from realmemory.types import AbstainReason, Source

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import RecallOptions
    from realmemory.policies.contrast import Contrast
    from realmemory.policies.doubt import Doubt
    from realmemory.policies.ranking import Preset
    from realmemory.store.transactions import ReadView
    from realmemory.types import RecallPacket

_HITS_KEPT = 10
"""Hits of one recall whose confidence the journal keeps."""
_RANKED = frozenset([Source.DIRECT, Source.KEYWORD])


def _outcome(packet: RecallPacket) -> dict[str, str | bool | int | float]:
    return {
        "hits": len(packet.items),
        "abstained": packet.abstained,
        "reason": str(packet.reason or ""),
        "degraded": packet.degraded is not None,
    }


@traced("recall", _outcome, content=lambda context, query, options: query)  # noqa: ARG005
def recall(context: MemoryContext, query: str, options: RecallOptions) -> RecallPacket:
    """Answer a question with the memories that can be trusted, or abstain.

    Raises:
        InvalidInputError: The query or an option cannot be used.
    """
    stages = Explanation(time.perf_counter())
    question = ask(context, query, options)
    stages.mark("embed")
    # One snapshot for all stages: they agree about what the memory holds.
    with context.store.read() as view:
        packet = _answer(context, view, question, stages)
    _queue(context, question, packet)
    return packet


class _Found(NamedTuple):
    """What one pass found and ordered, and why it cannot be trusted, if it cannot."""

    candidates: Candidates
    fused: Fused
    held: Contrast | None
    doubt: Doubt | None
    reason: AbstainReason | None

    @property
    def chance(self) -> float:
        """How likely it is about a matter of the speaker whom it names, and says what was asked."""
        return (self.held.chance if self.held else 1.0) * (self.doubt.chance if self.doubt else 1.0)


def _answer(
    context: MemoryContext, view: ReadView, question: Question, stages: Explanation
) -> RecallPacket:
    found = _pass(context, view, question, stages)
    candidates, fused = found.candidates, found.fused
    hits = fused.hits(candidates, context.config.cos_min_recall, found.chance)
    if found.reason is None:
        hits += spread(context, view, question, candidates.visible, hits)
    stages.mark("spread")
    hits, reason = beside(context, view, question, hits, found.reason)
    reason = elsewhere(context, view, question, candidates.visible, reason)
    stages.mark("archive")
    packet = assemble(
        context, view, question, hits, stages, reason=reason, parts=candidates.passages
    )
    packet = gathered(context, view, question, candidates.visible, packet)
    packet = _doubted(context, view, found, packet)
    if fused.missed and packet.detail is None:
        said = ELSEWHEN if question.inquiry is None else question.inquiry.nothing
        packet = replace(packet, detail=said)
    if fused.best and fused.best[0] in fused.strangers and packet.detail is None:
        stranger = fused.strangers[fused.best[0]]
        packet = replace(packet, detail=f"what comes nearest {stranger.reason}")
    packet = _with_news(fused, packet)
    if fused.trouble is not None:
        packet = replace(packet, degraded=packet.degraded or fused.trouble)
    if question.options.explain:
        return stages.attached(packet, question, candidates, fused, (found.held, found.doubt))
    return packet


def _pass(
    context: MemoryContext, view: ReadView, question: Question, stages: Explanation
) -> _Found:
    """Find, judge and order."""
    candidates = gather(context, view, question)
    stages.mark("candidates")
    preset = preset_for(context.config, context.embedder.name)
    candidates = refine(context, view, preset, question, candidates)
    stages.mark("refine")
    fused = fuse(preset, candidates, question)
    stages.mark("fuse")
    reason = judge(preset, question, candidates, fused)
    stages.mark("judge")
    held = doubted = None
    if reason is None:
        held = contrast(context, view, preset, question, (candidates, fused))
        stages.mark("contrast")
        reason = AbstainReason.OTHER_SPEAKER if held is not None and held.refuses else None
    if reason is None:
        candidates, fused = _ordered(context, view, preset, question, (candidates, fused), stages)
        doubted = doubt(context, view, preset, question, (candidates, fused))
        stages.mark("doubt")
    return _Found(candidates, fused, held, doubted, reason)


def _ordered(  # noqa: PLR0917 - the stages between judging and the packet
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    found: tuple[Candidates, Fused],
    stages: Explanation,
) -> tuple[Candidates, Fused]:
    """Return candidates and order after all that looks at the first hits."""
    candidates, fused = hop(context, view, preset, question, found)
    stages.mark("hop")
    fused = vary(view, preset, question, candidates, fused)
    stages.mark("vary")
    candidates, fused = stand(context, view, preset, question, (candidates, fused))
    stages.mark("stand")
    fused = strangers(context, view, question, candidates, fused)
    stages.mark("strangers")
    candidates, fused = news(context, view, preset, question, (candidates, fused))
    stages.mark("news")
    if context.reranker is not None:
        fused = rerank(context, view, question, candidates, fused)
        stages.mark("rerank")
    return candidates, fused


def _with_news(fused: Fused, packet: RecallPacket) -> RecallPacket:
    """Say which of the hits a later one may have changed."""
    shown = {item.memory_id for item in packet.items}
    told = [
        f"#{new} is later and may have changed #{old}"
        for old, new in fused.overtaken.items()
        if {old, new} <= shown
    ]
    if not told:
        return packet
    return replace(packet, detail="; ".join([*told, *([packet.detail] if packet.detail else [])]))


def _doubted(
    context: MemoryContext, view: ReadView, found: _Found, packet: RecallPacket
) -> RecallPacket:
    """Say what the answer lacks, or whom it may be about instead; show that one's if refused."""
    if found.doubt is not None and not found.fused.missed:
        packet = replace(packet, detail=found.doubt.detail)
    held = found.held
    if held is None or not held.doubted:
        return packet
    packet = replace(packet, detail=held.detail)
    if packet.reason is not AbstainReason.OTHER_SPEAKER:
        return packet
    place = found.candidates.place_of(held.other_id)
    miss = found.fused.hit(found.candidates, place, context.config.cos_min_recall, found.chance)
    return with_nearest(context, view, packet, miss)


def judge(
    preset: Preset, question: Question, candidates: Candidates, fused: Fused
) -> AbstainReason | None:
    """Return why the answer cannot be trusted at all, or None."""
    if not question.words:
        # Function words alone ask for nothing, however well they match.
        return AbstainReason.NOTHING_MATCHED
    if question.inquiry is not None and (question.only_times or not fused.missed):
        return None if len(fused.best) else AbstainReason.NOTHING_MATCHED
    return preset.abstention(candidates.evidence, fused.confidences, fused.best)


def _queue(context: MemoryContext, question: Question, packet: RecallPacket) -> None:
    refinement = Refinement.of(context.config)
    # Asked for, the archive answers by words as well, with a confidence that no profile gave.
    judged = _RANKED if question.options.include_archived else _RANKED | {Source.ARCHIVE}
    context.pending.add(
        RecallRecord(
            # When it was asked, which `now` may differ from.
            at=context.clock.now(),
            ids=tuple(item.memory_id for item in packet.items),
            bound=tuple(
                item.memory_id for item in packet.items if item.source is not Source.ASSOCIATED
            ),
            hits=tuple(
                (item.memory_id, round(refinement.raw(item.confidence), 4))
                for item in packet.items[:_HITS_KEPT]
                if item.source in judged
            ),
            k=question.k,
            latency_ms=packet.latency_ms,
            top_confidence=packet.items[0].confidence if packet.items else 0.0,
            abstained=packet.abstained,
            reason=packet.reason,
            session_id=question.options.session_id,
            beside=tuple(
                (item.memory_id, round(item.confidence, 4))
                for item in packet.items[:_HITS_KEPT]
                if item.source not in judged
            ),
        )
    )
