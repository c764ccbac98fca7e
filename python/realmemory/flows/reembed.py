"""Changing the embedder of a memory: online, resumable, safe to kill, and cheap to take back.

Every trace has one vector, in the space of the embedder that made it, and a query is compared
within its own space only. While the change is under way, what is already in the new space answers
by keyword, and packets say that they are degraded; the new space becomes the memory's own when
nothing is left to do. The vectors of the space that was left are kept, so that a change back embeds
only what is new since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from realmemory.encoding.checked import CheckedEmbedder
from realmemory.errors import StoreBusyError
from realmemory.flows import validation
from realmemory.flows.long_texts import CHECKED, cut_missing
from realmemory.policies.wording import spoken
from realmemory.store.kept_vectors import WHOLE, Kept, Part
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.flows.context import MemoryContext
    from realmemory.store.records import Passage
    from realmemory.store.transactions import ReadView, WriteTx

_BATCH = 64


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What a change of embedder did.

    ``restored`` of the ``reembedded`` traces got a vector that was kept from an earlier time;
    ``empty`` texts have nothing that a vector could hold. ``kept`` vectors of the embedder before,
    ``kept_bytes`` together, wait for a change back.
    """

    embedder: str
    examined: int
    reembedded: int
    restored: int
    already_current: int
    empty: int
    kept: int
    kept_bytes: int


@dataclass(frozen=True, slots=True)
class _Change:
    """One change of embedder: to which space, from which if it is another, and what is kept."""

    space_id: int
    left: int | None
    keep: bool


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some traces with their passages: what is embedded of each, and what is known of it."""

    ids: Sequence[int]
    wordings: Mapping[Part, str]
    known: Mapping[Part, bytes]


def reembed(
    context: MemoryContext,
    embedder: EmbeddingProvider | None = None,
    *,
    batch: int = _BATCH,
    keep: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> ReembedReport:
    """Give every trace a vector of one embedder, and make its space the memory's own.

    Called again after an interruption it goes on where it stopped.

    Args:
        context: The open memory.
        embedder: The new embedder; the open one by default, which fills gaps only.
        batch: Texts embedded in one call and written in one transaction.
        keep: Keep the vectors of the embedder that is left, which take as much room as those of
            the new one; one embedder before is kept, no more. Without it all kept ones go.
        progress: Called with the traces done and their total after each batch.

    Raises:
        EmbeddingError: The embedder failed; what was done so far is kept.
        StoreBusyError: Another change began after this one, which goes on in its place.
    """
    chosen = embedder or context.embedder
    validation.checked_progress(progress)
    with context.store.write() as tx:
        total = sum(row.traces for row in tx.traces.counts())
        change = _begin(tx, chosen, keep=keep)
    done = reembedded = restored = after = 0
    while True:
        with context.store.read() as view:
            rows = view.spaces.missing(change.space_id, limit=batch, after=after)
            found = _look(view, change, rows)
        if not rows:
            break
        after = found.ids[-1]
        vectors = _vectors(found, chosen)
        with context.store.write() as tx:
            _check_unchallenged(tx, change)
            _write(tx, change, found, vectors)
        done += len(found.ids)
        reembedded += sum(vectors[Part(trace_id, WHOLE)] is not None for trace_id in found.ids)
        restored += sum(Part(trace_id, WHOLE) in found.known for trace_id in found.ids)
        if progress is not None:
            progress(done, total)
    with context.store.write() as tx:
        _check_unchallenged(tx, change)
        kept, kept_bytes = _finish(tx, change)
        tx.journal.append("reembed", {"embedder": chosen.name, "traces": reembedded})
    moved = replace(context, embedder=CheckedEmbedder(chosen), space_id=change.space_id)
    cut_missing(moved, most_chars=None)
    return ReembedReport(
        embedder=chosen.name,
        examined=total,
        reembedded=reembedded,
        restored=restored,
        # What others write meanwhile is embedded as well.
        already_current=max(0, total - done),
        empty=done - reembedded,
        kept=kept,
        kept_bytes=kept_bytes,
    )


def _begin(tx: WriteTx, embedder: EmbeddingProvider, *, keep: bool) -> _Change:
    space_id = tx.spaces.id_of(embedder.name, embedder.dim)
    current = tx.spaces.current()
    if current is None or current.id == space_id:
        if tx.spaces.in_use()[1] is not None:
            # Takes back a change that was interrupted, or stops one that is under way.
            tx.spaces.begin_change(space_id)
        return _Change(space_id, None, keep)
    tx.spaces.begin_change(space_id)
    return _Change(space_id, current.id, keep)


def _check_unchallenged(tx: WriteTx, change: _Change) -> None:
    """Stop where another change has begun since: each would undo what the other does."""
    current, following = tx.spaces.in_use()
    # Another change to the same embedder may have come to its end first.
    if following == change.space_id or (following is None and current == change.space_id):
        return
    raise StoreBusyError(
        "another change of the embedder began after this one and goes on in its place; no memory is "
        "lost, and no vector is of two embedders. Wait until it is done (`realmemory status`), "
        "then run `realmemory reembed` again if this embedder is the one to use.",
        code="change_overtaken",
    )


def _look(view: ReadView, change: _Change, rows: Sequence[tuple[int, str]]) -> _Batch:
    ids = [trace_id for trace_id, _ in rows]
    wordings = {Part(trace_id, WHOLE): text for trace_id, text in rows}
    parts = view.passages.of(ids)
    for trace_id, trace in view.traces.get_many(parts).items():
        who = trace.speaker if trace.kind is Kind.TURN else None
        for passage in parts[trace_id]:
            text = spoken(trace.text[passage.start : passage.end], who)
            wordings[Part(trace_id, passage.ordinal)] = text
    return _Batch(ids, wordings, view.kept_vectors.of(change.space_id, wordings))


def _vectors(batch: _Batch, embedder: EmbeddingProvider) -> dict[Part, bytes | None]:
    vectors: dict[Part, bytes | None] = dict(batch.known)
    missing = [part for part in batch.wordings if part not in vectors]
    if missing:
        made = embedder.embed([batch.wordings[part] for part in missing])
        for part, vector in zip(missing, made, strict=True):
            vectors[part] = vector.tobytes() if vector.any() else None
    return vectors


def _write(
    tx: WriteTx, change: _Change, batch: _Batch, vectors: Mapping[Part, bytes | None]
) -> None:
    passages = tx.passages.of(batch.ids)
    if change.keep:
        _keep(tx, batch, passages)
    tx.kept_vectors.drop(change.space_id, batch.ids)
    whole = {trace_id: vectors[Part(trace_id, WHOLE)] for trace_id in batch.ids}
    tx.traces.set_embeddings(change.space_id, whole)
    for trace_id, parts in passages.items():
        tx.passages.replace(
            trace_id,
            [p._replace(embedding=vectors.get(Part(trace_id, p.ordinal))) for p in parts],
        )


def _keep(tx: WriteTx, batch: _Batch, passages: Mapping[int, Sequence[Passage]]) -> None:
    """Keep the vectors that are about to be replaced, each under the space that it is of."""
    kept: list[Kept] = []
    for trace_id, (space_id, vector) in tx.spaces.vectors(batch.ids).items():
        found = {WHOLE: vector}
        found |= {p.ordinal: p.embedding for p in passages.get(trace_id, ()) if p.embedding}
        parts = {Part(trace_id, ordinal): value for ordinal, value in found.items()}
        kept += [
            Kept(space_id, part, batch.wordings[part], value)
            for part, value in parts.items()
            if part in batch.wordings
        ]
    tx.kept_vectors.keep(kept)


def _finish(tx: WriteTx, change: _Change) -> tuple[int, int]:
    """End the change; return how many vectors stay kept, and their bytes."""
    tx.meta.set(CHECKED, 0)
    tx.spaces.set_current(change.space_id)
    if not change.keep:
        tx.kept_vectors.drop_all()
    elif change.left is not None:
        tx.kept_vectors.drop_all(but=change.left)
    sizes = tx.kept_vectors.sizes().values()
    return sum(count for count, _ in sizes), sum(octets for _, octets in sizes)
