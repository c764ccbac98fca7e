"""The read flow: validate, embed, candidates, fuse, re-rank, spread, judge, packet, queue."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from realmemory.flows.candidates import gather
from realmemory.flows.fuse import fuse
from realmemory.flows.judge import judge
from realmemory.flows.packet import assemble
from realmemory.flows.pending import RecallRecord
from realmemory.flows.question import Question, ask
from realmemory.flows.spread import spread

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import RecallOptions
    from realmemory.types import RecallPacket


def recall(context: MemoryContext, query: str, options: RecallOptions) -> RecallPacket:
    """Answer a question with the memories that can be trusted, or abstain.

    Raises:
        InvalidInputError: The query or an option cannot be used.
        EmbeddingError: The embedder failed.
    """
    started = time.perf_counter()
    question = ask(context, query, options)
    candidates = gather(context, question)
    ranked = fuse(context.config, question, candidates)
    ranked += spread(context, question, candidates.visible, ranked)
    verdict = judge(context.config, candidates, ranked)
    packet = assemble(context, question, ranked, verdict, started)
    _queue(context, question, packet)
    return packet


def _queue(context: MemoryContext, question: Question, packet: RecallPacket) -> None:
    context.pending.add(
        RecallRecord(
            at=question.now,
            ids=tuple(item.memory_id for item in packet.items),
            k=question.k,
            latency_ms=packet.latency_ms,
            top_confidence=packet.items[0].confidence if packet.items else 0.0,
            abstained=packet.abstained,
            reason=packet.reason,
            session_id=question.options.session_id,
        )
    )
