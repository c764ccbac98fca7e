"""The in-memory index of one memory: typed arrays around the native kernel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

from realmemory import _native
from realmemory.core.refused import Refused, count_of
from realmemory.core.results import Described, Matches, ScanResult
from realmemory.core.rows import column, scope_array
from realmemory.core.vectors import query_vector, vector_rows
from realmemory.errors import InvalidInputError
from realmemory.late import late_module

if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from realmemory.core.rows import RowAttributes, ScanFilter
else:
    np = late_module("numpy")

ANALYSIS_VERSION = _native.ANALYSIS_VERSION
"""Rises whenever the keyword terms of some text change."""


class MemoryIndex:
    """Rows, vectors and keywords of one memory. Safe to share between threads.

    Args:
        dim: Values per vector, 1 to 65,536.

    Raises:
        InvalidInputError: ``dim`` is out of range.
    """

    def __init__(self, dim: int) -> None:
        try:
            self._adopt(_native.MemoryIndex(dim))
        except (ValueError, OverflowError) as error:
            raise InvalidInputError(str(error), code="dim_mismatch") from error

    def _adopt(self, native: _native.MemoryIndex) -> None:
        self._native = native
        self.dim = native.dim

    @classmethod
    def open(cls, path: Path, *, identity: bytes, dim: int) -> tuple[Self, int]:
        """Map a snapshot and return the index with the revision that it stands for.

        Its pages are shared with other processes; changes stay in memory.

        Args:
            path: A file that :meth:`save` wrote.
            identity: The 32 bytes that it was saved with.
            dim: Values per vector.

        Raises:
            OSError: The file is missing, damaged, or of another identity, dimension or version.
                The index must be built anew. A block that is damaged further in is noticed when
                it is first read: then a search raises this error.
        """
        native, rev = _native.MemoryIndex.open(path, identity, dim)
        index = cls.__new__(cls)
        index._adopt(native)  # noqa: SLF001 - its own class
        return index, rev

    def save(self, path: Path, *, identity: bytes, rev: int) -> None:
        """Write a snapshot to a file that must not exist yet. Searches go on, writers wait.

        Args:
            path: The new file.
            identity: 32 bytes that say what must agree when it is opened.
            rev: Revision of the store that the rows stand for.

        Raises:
            OSError: It cannot be written; a part of it may be left behind.
        """
        self._native.save(path, identity, rev)

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, row_id: int) -> bool:
        return row_id in self._native

    @property
    def simd(self) -> str:
        """Name of the SIMD path in use."""
        return self._native.simd

    @simd.setter
    def simd(self, name: str) -> None:
        with Refused():
            self._native.set_simd(name)

    @property
    def threads(self) -> int:
        """Most threads of a scan; only large ones use more than one. No result depends on it."""
        return self._native.threads

    @threads.setter
    def threads(self, most: int) -> None:
        if most < 1:
            raise InvalidInputError(f"a scan needs a thread, got {most}")
        self._native.set_threads(most)

    def upsert(
        self,
        ids: ArrayLike,
        vectors: ArrayLike | memoryview[float],
        texts: Sequence[str],
        attributes: RowAttributes,
        *,
        has_vector: ArrayLike | None = None,
    ) -> None:
        """Insert rows, replacing those whose ids are present.

        Args:
            ids: Trace ids, shape (n,).
            vectors: f32, shape (m, dim), or a memoryview of the values one after the other: one for
                each row that has one, in the order of the rows. A zero vector counts as none.
            texts: Text of each row, for the keyword search.
            attributes: Attributes of each row.
            has_vector: Which rows have a vector, shape (n,); all of them by default.

        Raises:
            InvalidInputError: Wrong shape or range, or a value that is not finite; nothing is
                changed.
        """
        rows = column(ids, "q")
        matrix = vector_rows(vectors, self.dim)
        mask = column([1] * len(rows) if has_vector is None else has_vector, "B")
        with Refused():
            self._native.upsert(rows, mask, matrix, texts, attributes.packed())

    def update(self, ids: ArrayLike, attributes: RowAttributes) -> None:
        """Change attributes of rows and keep vectors and texts; unknown ids are skipped.

        Raises:
            InvalidInputError: Wrong shape or range; nothing is changed.
        """
        with Refused():
            self._native.update(column(ids, "q"), attributes.packed())

    def remove(self, ids: ArrayLike) -> int:
        """Take rows out and return how many were there; unknown ids are skipped."""
        return self._native.remove(column(ids, "q"))

    @property
    def fit_due(self) -> bool:
        """Whether the index has grown fourfold since its codes were fitted, or has none."""
        return self._native.fit_due

    def optimize(self) -> None:
        """Fit the codes of the scan to the present vectors: faster, and no result changes.

        Worth its price, seconds for a large index, whenever :attr:`fit_due` says so. Searches and
        writes of other threads go on in between.
        """
        self._native.optimize()

    def topk(
        self,
        query: ArrayLike | memoryview[float],
        k: int,
        chosen: ScanFilter,
        *,
        by_cosine: bool = False,
        min_cosine: float = -math.inf,
    ) -> ScanResult:
        """Return the exact best rows.

        Args:
            query: f32, shape (dim,).
            k: Most hits; more than there are rows returns all.
            chosen: Which rows may be hits.
            by_cosine: Order by cosine alone instead of cosine * (0.3 + 0.7 * retention), and leave
                out the null statistics.
            min_cosine: Least cosine of a hit.

        Raises:
            InvalidInputError: The query, ``k`` or the filter cannot be used.
        """
        vector, most = query_vector(query, self.dim), count_of(k)
        with Refused(vector):
            found = self._native.topk(vector, most, by_cosine, min_cosine, chosen.packed())
        return ScanResult(found)

    def topk_many(
        self,
        queries: ArrayLike,
        k: int,
        chosen: ScanFilter,
        *,
        by_cosine: bool = False,
        min_cosine: float = -math.inf,
    ) -> list[ScanResult]:
        """Return what :meth:`topk` returns for each of several queries, in one pass.

        Args:
            queries: f32, shape (n, dim).
            k: Most hits of each.
            chosen: Which rows may be hits.
            by_cosine: As for :meth:`topk`.
            min_cosine: As for :meth:`topk`.

        Raises:
            InvalidInputError: A query, ``k`` or the filter cannot be used.
        """
        matrix, most = vector_rows(queries, self.dim), count_of(k)
        with Refused(matrix):
            found = self._native.topk_many(matrix, most, by_cosine, min_cosine, chosen.packed())
        return [ScanResult(packed) for packed in found]

    def gather(
        self,
        text: str,
        query: ArrayLike | memoryview[float],
        chosen: ScanFilter,
        *,
        k: int,
        scan_k: int | None = None,
        by_cosine: bool = False,
        fuzzy: bool = True,
    ) -> Described:
        """Return the best rows by vector and the best by words, each described by both.

        One call in place of :meth:`topk`, :meth:`search_terms`, :meth:`retentions`,
        :meth:`lexical` and :meth:`cosines`, and equal to them.

        Args:
            text: The question.
            query: Its vector, f32, shape (dim,).
            chosen: Which rows may be found.
            k: Most rows by words.
            scan_k: Most rows by vector; ``k`` by default.
            by_cosine: As for :meth:`topk`.
            fuzzy: Also find words that resemble those of the question.

        Raises:
            InvalidInputError: The query, ``k`` or the filter cannot be used.
        """
        most = count_of(k)
        nearest = most if scan_k is None else count_of(scan_k)
        vector, visible = query_vector(query, self.dim), chosen.packed()
        with Refused(vector):
            packed = self._native.gather(
                text, most, vector, nearest, by_cosine, visible, fuzzy=fuzzy
            )
        return Described.unpack(packed)

    def gather_ahead(
        self,
        beside: MemoryIndex,
        ids: ArrayLike,
        attributes: RowAttributes,
        *,
        texts: Sequence[str],
        vectors: ArrayLike | memoryview[float],
        has_vector: ArrayLike,
        scanned: Sequence[Sequence[int]],
        chosen: Sequence[ScanFilter],
        k: int,
    ) -> list[list[tuple[int, float, int]]]:
        """Return what one index over two finds for each text, best by cosine and by words.

        Before the next text is asked for, the one before comes to ``beside`` as a row.

        Args:
            beside: The other index; no id may be in both.
            ids: Of the rows that come: those of the first texts, not necessarily of all.
            attributes: Of these rows.
            texts: What is asked for.
            vectors: As for :meth:`upsert`; a text without one is asked for by its words alone.
            has_vector: Which texts have one.
            scanned: What :meth:`topk_many` finds for each text by cosine in this index.
            chosen: Which rows each may find.
            k: Most rows by either.

        Returns:
            Id, cosine (NaN without a vector) and number of shared words, by id.
        """
        rows, mask = column(ids, "q"), column(has_vector, "B")
        matrix, visible = vector_rows(vectors, self.dim), [each.packed() for each in chosen]
        with Refused(matrix):
            return self._native.gather_ahead(
                beside._native, rows, mask, matrix, texts, attributes.packed(), scanned, visible, k
            )

    def describe(
        self, text: str, query: ArrayLike | memoryview[float], ids: ArrayLike, chosen: ScanFilter
    ) -> Described:
        """Return those of the ids that are present and pass the filter, as :meth:`gather` does.

        Raises:
            InvalidInputError: The query or the filter cannot be used.
        """
        vector, rows = query_vector(query, self.dim), column(ids, "q")
        with Refused(vector):
            packed = self._native.describe(text, vector, rows, chosen.packed())
        return Described.unpack(packed)

    def cosines(self, query: ArrayLike | memoryview[float], ids: ArrayLike) -> NDArray[np.float32]:
        """Return the canonical cosine of each id, NaN for one without row or vector.

        Raises:
            InvalidInputError: The query cannot be used.
        """
        vector = query_vector(query, self.dim)
        with Refused(vector):
            packed = self._native.cosines(vector, column(ids, "q"))
        return np.frombuffer(packed, np.float32)

    def retentions(self, ids: ArrayLike, chosen: ScanFilter) -> NDArray[np.float64]:
        """Return the retention of each id, NaN for one that is absent or filtered out.

        Raises:
            InvalidInputError: The filter cannot be used.
        """
        with Refused():
            packed = self._native.retentions(column(ids, "q"), chosen.packed())
        return np.frombuffer(packed, np.float64)

    def accepted(self, ids: ArrayLike, chosen: ScanFilter) -> NDArray[np.bool_]:
        """Return which ids are present and pass the filter."""
        return ~np.isnan(self.retentions(ids, chosen))

    def search_terms(
        self, text: str, k: int, chosen: ScanFilter, *, fuzzy: bool = False
    ) -> Matches:
        """Return the best ``k`` rows for a query text by bm25, ties by id.

        Equal to scoring every row: the filter is applied before the limit, and the statistics
        (number of rows, mean length, idf) are those of the filter's scopes.

        Args:
            text: The query; function words ask for nothing.
            k: Rows wanted.
            chosen: Which rows may be found.
            fuzzy: Also find words that resemble those of the query (typing errors, inflection);
                they count with their likeness squared, a signal of its own beside bm25.

        Raises:
            InvalidInputError: ``k`` or the filter cannot be used.
        """
        most = count_of(k)
        with Refused():
            ids, packed = self._native.search_terms(text, most, chosen.packed(), fuzzy=fuzzy)
        return Matches.unpack(np.frombuffer(ids, np.int64), packed)

    def lexical(
        self,
        text: str,
        ids: ArrayLike,
        *,
        scopes: tuple[int, ...] | None = None,
        fuzzy: bool = False,
    ) -> Matches:
        """Return how well given rows answer a query text; absent rows match nothing.

        Args:
            text: The query.
            ids: Trace ids, shape (n,).
            scopes: Scopes whose rows make the statistics; ``None`` for all.
            fuzzy: Also count words that resemble those of the query.
        """
        rows = np.ascontiguousarray(ids, np.int64)
        packed = self._native.lexical(text, rows, scope_array(scopes), fuzzy=fuzzy)
        return Matches.unpack(rows, packed)

    def bridged(
        self,
        texts: Sequence[str],
        without: str,
        ids: ArrayLike | array[int],
        chosen: ScanFilter,
        *,
        k: int,
    ) -> list[dict[int, float]]:
        """Return what the rare words are worth that rows share with each text, in order of ids.

        The eight rarest words count that another row of the scopes holds as well, but no more than
        a twentieth of the rows: each with its idf as a share of the largest there is, divided by
        their number but at least by four. So a row is worth 1 at most.

        Args:
            texts: Where the words come from.
            without: A question, whose words lead nowhere new.
            ids: Rows that are looked at.
            chosen: Which rows may be found.
            k: Most rows beside those.

        Raises:
            InvalidInputError: ``k`` or the filter cannot be used.
        """
        most = count_of(k)
        with Refused():
            shared = self._native.bridged(texts, without, most, column(ids, "q"), chosen.packed())
        return [
            dict(zip(memoryview(found).cast("q"), memoryview(worth).cast("f"), strict=True))
            for found, worth in shared
        ]
