"""Vectors of the embedder that a memory had before, so that going back to it costs little.

Each stands under its trace and the part of it: :data:`WHOLE` for the trace itself, else the number
of a passage. A hash over the wording and the vector says whether it still holds: a vector of
another wording, or one with a flipped bit, counts as none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.store.row_hash import row_hash
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from realmemory.store.session import Session

WHOLE = -1
"""The part that is the trace itself."""


class Part(NamedTuple):
    """What one vector stands for: a trace (``ordinal`` is :data:`WHOLE`) or one of its passages."""

    trace_id: int
    ordinal: int


class Kept(NamedTuple):
    """A vector of a space, with what it was made of."""

    space_id: int
    part: Part
    wording: str
    vector: bytes


class KeptVectors:
    """The kept vectors of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, space_id: int, wordings: Mapping[Part, str]) -> dict[Part, bytes]:
        """Return the vectors of one space that were made of exactly these wordings."""
        rows = self._session.all(
            """
            SELECT trace_id, ordinal, seal, embedding FROM kept_vectors
            WHERE trace_id IN (SELECT value FROM json_each(?)) AND space_id = ?
            """,
            (id_list({part.trace_id for part in wordings}), space_id),
        )
        return {
            part: vector
            for trace_id, ordinal, seal, vector in rows
            if (part := Part(trace_id, ordinal)) in wordings
            and row_hash(wordings[part], vector) == seal
        }

    def sizes(self) -> dict[int, tuple[int, int]]:
        """Return by space how many vectors are kept, and their bytes."""
        rows = self._session.all(
            "SELECT space_id, count(*), sum(length(embedding)) FROM kept_vectors GROUP BY space_id"
        )
        return {row[0]: (row[1], row[2]) for row in rows}


class KeptVectorWrites(KeptVectors):
    """The kept vectors of one write transaction."""

    def keep(self, vectors: Iterable[Kept]) -> None:
        """Keep vectors, in place of those of the same parts and spaces."""
        self._session.run_many(
            "INSERT OR REPLACE INTO kept_vectors (trace_id, ordinal, space_id, seal, embedding) "
            "VALUES (?, ?, ?, ?, ?)",
            [
                (*kept.part, kept.space_id, row_hash(kept.wording, kept.vector), kept.vector)
                for kept in vectors
            ],
        )

    def drop(self, space_id: int, trace_ids: Iterable[int]) -> None:
        """Drop what is kept of some traces in one space."""
        self._session.run(
            "DELETE FROM kept_vectors "
            "WHERE trace_id IN (SELECT value FROM json_each(?)) AND space_id = ?",
            (id_list(trace_ids), space_id),
        )

    def drop_all(self, *, but: int | None = None) -> int:
        """Drop everything but the vectors of one space, and return how many went."""
        return self._session.run("DELETE FROM kept_vectors WHERE space_id IS NOT ?", (but,))
