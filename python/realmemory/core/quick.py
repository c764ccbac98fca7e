"""The engine for a process that lives for milliseconds: no numpy, a few rows in plain tuples.

A hook runs before every prompt, and importing numpy would cost it more than the whole answer. This
module does with buffers of the standard library what :mod:`realmemory.core.memory_index` and
:mod:`realmemory.core.static_table` do with arrays.
"""

from __future__ import annotations

import math
from array import array
from operator import mul

from realmemory import _native
from realmemory.core.passage_ids import APART, row_id, trace_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

ANALYSIS_VERSION = _native.ANALYSIS_VERSION
"""Rises whenever the keyword terms of some text change."""
_KINDS = {"episodic": 0, "semantic": 1, "turn": 2}
_ASKED_KINDS = 0b011
_ACTIVE = 0b001
_PINNED = 1


class StaticQuery:
    """A text in the space of a static table.

    Args:
        table: Path of the table file.
        text: The text.

    Raises:
        OSError: The table cannot be read.
        ValueError: It is damaged.
    """

    __slots__ = ("_encoder", "dim", "name", "vector")

    def __init__(self, table: str, text: str) -> None:
        with open(table, "rb") as file:
            encoder = _native.StaticEncoder(file.read())
        self._encoder = encoder
        self.name = encoder.name
        self.dim = encoder.dim
        self.vector = encoder.encode([text])

    def likeness(self, one: str, other: str) -> float:
        """Return the largest cosine of a word of one text with a word of another."""
        found = self._encoder.nearest_words(one, other)
        return max((cosine for _, _, cosine in found), default=0.0)

    def cosine(self, stored: bytes | None) -> float:
        """Return the cosine with one stored vector; 0.0 without one."""
        if stored is None:
            return 0.0
        ours, theirs = memoryview(self.vector).cast("f"), memoryview(stored).cast("f")
        product: float = sum(map(mul, ours, theirs))
        return product


class Candidate:
    """A row that some channel found, described by all of them; see ``Evidence`` of the policies."""

    __slots__ = ("alike", "bm25", "cosine", "coverage", "id", "matched")

    def __init__(
        self, row: int, cosine: float, exact: tuple[float, float, float], alike: float
    ) -> None:
        self.id = row
        self.cosine = cosine
        self.bm25, self.coverage, self.matched = exact
        self.alike = alike


class QuickIndex:
    """The rows of one memory, as a snapshot or a look into the store gives them.

    Args:
        native: The engine's index.
    """

    def __init__(self, native: _native.MemoryIndex) -> None:
        self._native = native

    @classmethod
    def empty(cls, dim: int) -> Self:
        """Return an index without rows."""
        return cls(_native.MemoryIndex(dim))

    @classmethod
    def mapped(cls, path: str, identity: bytes, dim: int) -> tuple[Self, int]:
        """Map a snapshot and return the index with the revision that it stands for.

        Raises:
            OSError: It cannot be used.
        """
        native, rev = _native.MemoryIndex.open(path, identity, dim)
        return cls(native), rev

    def apply(
        self,
        rows: Sequence[tuple[Any, ...]],
        space_id: int,
        passages: Mapping[int, Sequence[bytes | None]],
    ) -> None:
        """Take in rows as ``store/index_rows.py`` selects them; those that are not active go.

        Args:
            rows: The rows.
            space_id: The space of the vectors that count.
            passages: Vectors of the passages of long texts, in order, by row.
        """
        shown = [row for row in rows if row[3] == "active" and row[2] in _KINDS]
        self.drop([row[0] for row in rows])
        self._upsert(
            [
                (row[0], row[1], row[12] if row[11] == space_id else None, row[13], row)
                for row in shown
            ]
        )
        self._upsert(
            [
                (row_id(row[0], at), row[1] + APART, vector, b"", row)
                for row in shown
                if row[11] == space_id
                for at, vector in enumerate(passages.get(row[0], ()))
            ]
        )

    def _upsert(
        self, found: Sequence[tuple[int, int, bytes | None, bytes, tuple[Any, ...]]]
    ) -> None:
        """Put rows in, each as id, scope, vector, text and the row whose attributes it has."""
        if not found:
            return
        rows = [one[4] for one in found]
        self._native.upsert(
            array("q", [one[0] for one in found]),
            bytes(one[2] is not None for one in found),
            memoryview(b"".join(one[2] for one in found if one[2])).cast("f"),
            [one[3].decode("utf-8", "replace") for one in found],
            (
                array("I", [one[1] for one in found]),
                bytes(_KINDS[row[2]] for row in rows),
                bytes(len(rows)),
                bytes(_PINNED if row[4] else 0 for row in rows),
                array("d", [row[5] for row in rows]),
                array("d", [row[6] for row in rows]),
                array("d", [row[7] for row in rows]),
                array("d", [_end(row[8], row[9]) for row in rows]),
                array("d", [row[10] for row in rows]),
            ),
        )

    def drop(self, ids: Sequence[int]) -> None:
        """Take rows out; unknown ids are skipped."""
        if ids:
            self._native.remove(array("q", ids))

    def search(
        self,
        query: StaticQuery,
        text: str,
        pool: int,
        *,
        scopes: Sequence[int],
        taus: tuple[float, float, float],
        floor: float,
        now: float,
    ) -> tuple[list[Candidate], tuple[int, float, float], int]:
        """Return the candidates of both channels, the null statistics and the rows looked at.

        Args:
            query: ``text`` as a vector.
            text: The question.
            pool: Rows that each channel brings.
            scopes: Visible scopes.
            taus: Time constants of retention by kind, seconds.
            floor: Least retention.
            now: Epoch seconds.

        Raises:
            OSError: A block of the snapshot is damaged.
        """
        visible = array("I", sorted(scopes))
        kept = (_ASKED_KINDS, _ACTIVE, floor, 0.0, taus, now, None, None, None, None)
        chosen = (visible, *kept)
        vector = memoryview(query.vector).cast("f")
        ids, _, _, _, null, work = self._native.topk(vector, pool, True, -1.0, chosen)
        words, _ = self._native.search_terms(text, pool, chosen, fuzzy=True)
        apart = array("I", [scope + APART for scope in visible])
        nearest = self._nearest_passages(vector, pool, (apart, *kept))
        listed = {*memoryview(ids).cast("q"), *memoryview(words).cast("q"), *nearest}
        found = array("q", sorted(listed))
        if not found:
            return [], null, work[1]
        cosines = memoryview(self._native.cosines(vector, found)).cast("f")
        exact = memoryview(self._native.lexical(text, found, visible)).cast("f")
        alike = memoryview(self._native.lexical(text, found, visible, fuzzy=True)).cast("f")
        candidates = [
            Candidate(
                found[at],
                # Without a vector the cosine is NaN, which no maximum that begins with a number takes.
                max(0.0, cosines[at], nearest.get(found[at], 0.0)),
                (exact[3 * at], exact[3 * at + 1], exact[3 * at + 2]),
                alike[3 * at + 1],
            )
            for at in range(len(found))
        ]
        return candidates, null, work[1]

    def _nearest_passages(
        self, vector: memoryview[float], pool: int, chosen: tuple[Any, ...]
    ) -> dict[int, float]:
        """Return the texts whose passages come nearest, each with its largest cosine."""
        rows, cosines, *_ = self._native.topk(vector, pool, True, -1.0, chosen)
        nearest: dict[int, float] = {}
        for row, cosine in zip(
            memoryview(rows).cast("q"), memoryview(cosines).cast("f"), strict=True
        ):
            text = trace_id(row)
            if text in self._native:
                nearest[text] = max(cosine, nearest.get(text, 0.0))
        return nearest


def _end(valid_to: float | None, expires_at: float | None) -> float:
    ends = [end for end in (valid_to, expires_at) if end is not None]
    return min(ends, default=math.inf)
