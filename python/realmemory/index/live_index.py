"""The engine's index of one store, kept in step by revision.

A process that is behind reads only the rows that changed since its last look; nothing is read
again that it already holds.
"""

from __future__ import annotations

import math
import threading
from itertools import islice
from typing import TYPE_CHECKING

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.passage_ids import row_id
from realmemory.core.rows import KIND_CODES, PINNED, STATUS_CODES, RowAttributes
from realmemory.index import passage_rows
from realmemory.index.snapshot import worth_saving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.index.snapshot import SnapshotFolder
    from realmemory.store.passages import Passages
    from realmemory.store.records import ChangeFeed, IndexRow
    from realmemory.store.transactions import ReadView

_CHUNK = 2_048
"""Rows handed to the engine at once; bounds the memory of a rebuild."""


class LiveIndex:
    """A :class:`MemoryIndex` that follows a store.

    Rows of another embedding space take part by keyword only. Safe to share between threads: a
    refresh is serialised, searches are not.

    Args:
        dim: Dimension of the embedder.
        space_id: The space whose vectors are comparable with the embedder's.
        snapshots: Where the index begins from and is saved to; without it, it is built from the
            store and lives in memory only.
    """

    def __init__(self, dim: int, space_id: int, snapshots: SnapshotFolder | None = None) -> None:
        self.dim = dim
        self._space_id = space_id
        self._snapshots = snapshots
        self._lock = threading.Lock()
        self._rev = 0
        self._changed = 0
        self.engine = MemoryIndex(dim)
        self._loaded = snapshots is None

    @property
    def rev(self) -> int:
        """The revision that the index stands for, 0 before it was first needed."""
        return self._rev

    def refresh(self, view: ReadView) -> None:
        """Catch up with the revision that ``view`` sees."""
        if view.rev() <= self._rev:
            return
        with self._lock:
            if view.rev() <= self._rev:
                return
            if not self._loaded:
                self._load(view.rev())
            self._apply(view.traces.changes_since(self._rev), view.passages)

    def rebuild(self, view: ReadView) -> None:
        """Build the index anew from the store, because the snapshot under it is damaged."""
        with self._lock:
            self._forget_snapshot()
            self.engine = MemoryIndex(self.dim)
            self._rev = self._changed = 0
            self._apply(view.traces.changes_since(0), view.passages)

    def tend(self) -> None:
        """Fit the engine's codes again if it has outgrown them; takes seconds when it has.

        To be called without the store's lock: other threads search, and follow the store, in
        between.
        """
        engine = self.engine
        if engine.fit_due:
            engine.optimize()

    def save(self, view: ReadView) -> bool:
        """Write a snapshot if enough has changed since the last one, and say whether it was.

        An index that was never used is not loaded for it. The index goes on from the file that was
        written, whose pages all processes share.
        """
        if self._snapshots is None or self._rev == 0:
            return False
        self.refresh(view)
        if not worth_saving(self._changed, len(self.engine)):
            return False
        self.tend()
        with self._lock:
            saved = self._snapshots.save(self.engine, self._rev)
            if saved:
                self._changed = 0
                mapped = self._snapshots.load()
                if mapped is not None and mapped[1] == self._rev:
                    self.engine = mapped[0]
            return saved

    def discard_snapshots(self) -> None:
        """Delete the snapshots from disk: they may hold what was erased from the store."""
        with self._lock:
            self._forget_snapshot()

    def _forget_snapshot(self) -> None:
        if self._snapshots is not None:
            self._snapshots.discard()
        self._loaded = True
        self._changed = max(self._changed, len(self.engine))

    def _load(self, rev: int) -> None:
        """Begin from the newest snapshot unless it is ahead of the store, which was put back."""
        self._loaded = True
        found = self._snapshots.load() if self._snapshots is not None else None
        if found is not None and found[1] <= rev:
            self.engine, self._rev = found

    def _apply(self, feed: ChangeFeed, passages: Passages) -> None:
        engine = MemoryIndex(self.dim) if feed.needs_rebuild else self.engine
        if feed.removed:
            self._changed += _remove(engine, feed.removed)
        long_texts = passages.any()
        for rows in in_chunks(feed.rows):
            hidden = [row.id for row in rows if not row.findable]
            if hidden:
                _remove(engine, hidden)
            self._changed += len(rows)
            shown = [row for row in rows if row.findable]
            # A reinforcement changes neither text nor vector, so neither is read again.
            kept = {row.id for row in shown if row.content_rev <= self._rev and row.id in engine}
            fresh = [row for row in shown if row.id not in kept]
            self._upsert(engine, fresh)
            if long_texts:
                self._upsert_passages(engine, fresh, passages)
            self._update(engine, [row for row in shown if row.id in kept])
        # Searches see the old engine until the new one is whole.
        self.engine = engine
        self._rev = feed.rev

    def _update(self, engine: MemoryIndex, rows: list[IndexRow]) -> None:
        if not rows:
            return
        attributes = attributes_of(rows)
        engine.update([row.id for row in rows], attributes)
        parts = [passage_rows.rows_of(engine, row.id) for row in rows]
        if ids := [row for part in parts for row in part]:
            counts = [len(part) for part in parts]
            engine.update(ids, passage_rows.set_apart(attributes, counts))

    def _upsert_passages(
        self, engine: MemoryIndex, rows: list[IndexRow], passages: Passages
    ) -> None:
        """Put the passages of long texts in place of those that were there."""
        engine.remove([old for row in rows for old in passage_rows.rows_of(engine, row.id)])
        parts = passages.of([row.id for row in rows if row.space_id == self._space_id])
        if not parts:
            return
        owners = [row for row in rows if row.id in parts]
        listed = [part for row in owners for part in parts[row.id]]
        counts = [len(parts[row.id]) for row in owners]
        engine.upsert(
            [row_id(part.trace_id, part.ordinal) for part in listed],
            memoryview(b"".join(part.embedding or b"" for part in listed)).cast("f"),
            [""] * len(listed),
            passage_rows.set_apart(attributes_of(owners), counts),
            has_vector=[part.embedding is not None for part in listed],
        )

    def _upsert(self, engine: MemoryIndex, rows: list[IndexRow]) -> None:
        if not rows:
            return
        blobs = [row.embedding if row.space_id == self._space_id else None for row in rows]
        engine.upsert(
            [row.id for row in rows],
            memoryview(b"".join(blob for blob in blobs if blob)).cast("f"),
            [row.text for row in rows],
            attributes_of(rows),
            has_vector=[blob is not None for blob in blobs],
        )


def _remove(engine: MemoryIndex, ids: Sequence[int]) -> int:
    """Take traces and their passages out and return how many rows went."""
    parts = [row for trace_id in ids for row in passage_rows.rows_of(engine, trace_id)]
    return engine.remove([*ids, *parts])


def attributes_of(rows: list[IndexRow]) -> RowAttributes:
    """Return the engine's attributes of rows as the store gives them."""
    return RowAttributes.of(
        scopes=[row.scope_id for row in rows],
        kinds=[KIND_CODES[row.kind] for row in rows],
        statuses=[STATUS_CODES[row.status] for row in rows],
        flags=[PINNED if row.pinned else 0 for row in rows],
        base=[row.base_strength for row in rows],
        last=[row.last_reinforced_at for row in rows],
        valid_from=[row.valid_from for row in rows],
        valid_until=[_end(row.valid_to, row.expires_at) for row in rows],
        observed_at=[row.observed_at for row in rows],
    )


def _end(valid_to: float | None, expires_at: float | None) -> float:
    if valid_to is None:
        return math.inf if expires_at is None else expires_at
    return valid_to if expires_at is None else min(valid_to, expires_at)


def in_chunks(rows: Iterator[IndexRow]) -> Iterator[list[IndexRow]]:
    """Hand rows on in lists that bound the memory of a rebuild."""
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
