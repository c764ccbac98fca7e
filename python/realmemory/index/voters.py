"""Candidates by votes, for memories past the size up to which recall scans exactly."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from realmemory.core.sdr import SdrEncoder
from realmemory.core.voting import VotingIndex
from realmemory.index.live_index import in_chunks
from realmemory.late import late_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from realmemory.config import MemoryConfig
    from realmemory.store.records import ChangeFeed, IndexRow
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")

NOMINATED = 1_024
"""Candidates of one question: nearly all of the ten nearest are among so many by votes."""


class Voters:
    """A voting index over the vectors of a store, made when it is first asked.

    Safe to share between threads.

    Args:
        config: Units, active units and seed of the codes.
        dim: Dimension of the vectors.
        space_id: The space whose vectors are comparable with the embedder's.
    """

    def __init__(self, config: MemoryConfig, dim: int, space_id: int) -> None:
        self._config, self._dim, self._space_id = config, dim, space_id
        self._lock = threading.Lock()
        self._rev = 0
        self._codes: tuple[SdrEncoder, VotingIndex] | None = None

    def nominate(self, view: ReadView, vector: ArrayLike) -> list[int]:
        """Return the traces that share most units with a vector, as the store has them now."""
        with self._lock:
            if self._codes is None:
                self._codes = self._empty()
            if view.rev() > self._rev:
                self._apply(view.traces.changes_since(self._rev))
            encoder, votes = self._codes
            found = votes.query(encoder.encode(np.asarray(vector)[np.newaxis])[0], NOMINATED)
        return [trace_id for trace_id, _ in found]

    def _empty(self) -> tuple[SdrEncoder, VotingIndex]:
        config = self._config
        encoder = SdrEncoder(self._dim, config.n_units, config.k_sparse, config.sdr_seed)
        return encoder, VotingIndex(config.n_units)

    def _apply(self, feed: ChangeFeed) -> None:
        if self._codes is None or feed.needs_rebuild:
            self._codes = self._empty()
        encoder, votes = self._codes
        votes.remove(feed.removed)
        for rows in in_chunks(feed.rows):
            votes.remove([row.id for row in rows])
            voters = [row for row in rows if self._has_vote(row)]
            blobs = b"".join(row.embedding or b"" for row in voters)
            vectors = np.frombuffer(blobs, np.float32).reshape(-1, self._dim)
            votes.upsert([row.id for row in voters], encoder.encode(vectors))
        self._rev = feed.rev

    def _has_vote(self, row: IndexRow) -> bool:
        comparable = row.space_id == self._space_id and row.embedding is not None
        return comparable and row.findable
