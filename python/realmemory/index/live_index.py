"""The engine's index of one store, kept in step by revision.

A process that is behind reads only the rows that changed since its last look; nothing is read
again that it already holds.
"""

from __future__ import annotations

import math
import threading
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.memory_index import (
    KIND_CODES,
    PINNED,
    STATUS_CODES,
    MemoryIndex,
    RowAttributes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """

    def __init__(self, dim: int, space_id: int) -> None:
        self.dim = dim
        self._space_id = space_id
        self._lock = threading.Lock()
        self._rev = 0
        self.engine = MemoryIndex(dim)

    def refresh(self, view: ReadView) -> None:
        """Catch up with the revision that ``view`` sees."""
        if view.rev() <= self._rev:
            return
        with self._lock:
            if view.rev() <= self._rev:
                return
            self._apply(view.traces.changes_since(self._rev))

    def _apply(self, feed: ChangeFeed) -> None:
        engine = MemoryIndex(self.dim) if feed.needs_rebuild else self.engine
        if feed.removed:
            engine.remove(feed.removed)
        for rows in _chunks(feed.rows):
            hidden = [row.id for row in rows if row.status not in STATUS_CODES]
            if hidden:
                engine.remove(hidden)
            shown = [row for row in rows if row.status in STATUS_CODES]
            # A reinforcement changes neither text nor vector, so neither is read again.
            kept = {row.id for row in shown if row.content_rev <= self._rev and row.id in engine}
            self._upsert(engine, [row for row in shown if row.id not in kept])
            self._update(engine, [row for row in shown if row.id in kept])
        # Searches see the old engine until the new one is whole.
        self.engine = engine
        self._rev = feed.rev

    def _update(self, engine: MemoryIndex, rows: list[IndexRow]) -> None:
        if rows:
            engine.update([row.id for row in rows], attributes_of(rows))

    def _upsert(self, engine: MemoryIndex, rows: list[IndexRow]) -> None:
        if not rows:
            return
        blobs = [row.embedding if row.space_id == self._space_id else None for row in rows]
        vectors = np.frombuffer(b"".join(blob for blob in blobs if blob), dtype=np.float32)
        engine.upsert(
            [row.id for row in rows],
            vectors.reshape(-1, self.dim),
            [row.text for row in rows],
            attributes_of(rows),
            has_vector=[blob is not None for blob in blobs],
        )


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
        valid_until=[_end(row) for row in rows],
        observed_at=[row.observed_at for row in rows],
    )


def _end(row: IndexRow) -> float:
    ends = [end for end in (row.valid_to, row.expires_at) if end is not None]
    return min(ends, default=math.inf)


def _chunks(rows: Iterator[IndexRow]) -> Iterator[list[IndexRow]]:
    while chunk := list(islice(rows, _CHUNK)):
        yield chunk
