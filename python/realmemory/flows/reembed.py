"""Changing the embedder of a memory: online, resumable, safe to kill.

Every trace has one vector, in the space of the embedder that made it, and a query is compared
within its own space only. While the change is under way, what is already in the new space answers
by keyword, and packets say that they are degraded; the new space becomes the memory's own when nothing is left to do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from realmemory.encoding.checked import CheckedEmbedder
from realmemory.flows.long_texts import CHECKED, cut_missing
from realmemory.policies.wording import spoken
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import WriteTx

_BATCH = 64


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a change of embedder did; ``empty`` texts have nothing that a vector could hold."""

    embedder: str
    examined: int
    reembedded: int
    already_current: int
    empty: int


def reembed(
    context: MemoryContext,
    embedder: EmbeddingProvider | None = None,
    *,
    batch: int = _BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> ReembedReport:
    """Give every trace a vector of one embedder, and make its space the memory's own.

    Called again after an interruption it goes on where it stopped.

    Args:
        context: The open memory.
        embedder: The new embedder; the open one by default, which fills gaps only.
        batch: Texts embedded in one call and written in one transaction.
        progress: Called with the traces done and their total after each batch.

    Raises:
        EmbeddingError: The embedder failed; what was done so far is kept.
    """
    chosen = embedder or context.embedder
    with context.store.write() as tx:
        space_id = tx.spaces.id_of(chosen.name, chosen.dim)
        total = sum(row.traces for row in tx.traces.counts())
        current = tx.spaces.current()
        if current is None or current.id != space_id:
            tx.spaces.begin_change(space_id)
    done = reembedded = after = 0
    while True:
        with context.store.read() as view:
            rows = view.traces.without_space(space_id, limit=batch, after=after)
        if not rows:
            break
        after = rows[-1][0]
        vectors = chosen.embed([text for _, text in rows])
        fresh = {
            trace_id: vector.tobytes() if vector.any() else None
            for (trace_id, _), vector in zip(rows, vectors, strict=True)
        }
        with context.store.write() as tx:
            tx.traces.set_embeddings(space_id, fresh)
            _reembed_passages(tx, chosen, list(fresh))
        done += len(fresh)
        reembedded += sum(vector is not None for vector in fresh.values())
        if progress is not None:
            progress(done, total)
    with context.store.write() as tx:
        tx.meta.set(CHECKED, 0)
        tx.spaces.set_current(space_id)
        tx.journal.append("reembed", {"embedder": chosen.name, "traces": reembedded})
    moved = replace(context, embedder=CheckedEmbedder(chosen), space_id=space_id)
    cut_missing(moved, most_chars=None)
    return ReembedReport(chosen.name, total, reembedded, total - done, done - reembedded)


def _reembed_passages(tx: WriteTx, embedder: EmbeddingProvider, ids: list[int]) -> None:
    for trace_id, parts in tx.passages.of(ids).items():
        trace = tx.traces.get(trace_id)
        who = trace.speaker if trace.kind is Kind.TURN else None
        vectors = embedder.embed([spoken(trace.text[part.start : part.end], who) for part in parts])
        tx.passages.replace(
            trace_id,
            [
                part._replace(embedding=vector.tobytes() if vector.any() else None)
                for part, vector in zip(parts, vectors, strict=True)
            ],
        )
