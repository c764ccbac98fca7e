"""The in-memory index of one memory: typed arrays around the native kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from realmemory import _native
from realmemory.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

KIND_CODES = {"episodic": 0, "semantic": 1, "turn": 2}
"""Kinds as the engine numbers them."""
STATUS_CODES = {"active": 0, "superseded": 1}
"""Statuses of indexed rows as the engine numbers them; archived rows are not indexed."""
PINNED = 1
"""Bit of ``flags`` for rows whose retention does not fade."""
ANALYSIS_VERSION = _native.ANALYSIS_VERSION
"""Rises whenever the keyword terms of some text change."""
NULL_SAMPLE = 128
"""Rows behind the null statistics of a query."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowAttributes:
    """Attributes of a batch of rows, one element per row in every array. Times are epoch seconds."""

    scopes: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    statuses: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    base: NDArray[np.float64]
    last: NDArray[np.float64]
    valid_from: NDArray[np.float64]
    valid_until: NDArray[np.float64]
    observed_at: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        *,
        scopes: ArrayLike,
        kinds: ArrayLike,
        statuses: ArrayLike,
        flags: ArrayLike,
        base: ArrayLike,
        last: ArrayLike,
        valid_from: ArrayLike,
        valid_until: ArrayLike,
        observed_at: ArrayLike,
    ) -> RowAttributes:
        """Build from anything that numpy can turn into the columns' types."""
        return cls(
            scopes=np.ascontiguousarray(scopes, np.uint32),
            kinds=np.ascontiguousarray(kinds, np.uint8),
            statuses=np.ascontiguousarray(statuses, np.uint8),
            flags=np.ascontiguousarray(flags, np.uint8),
            base=np.ascontiguousarray(base, np.float64),
            last=np.ascontiguousarray(last, np.float64),
            valid_from=np.ascontiguousarray(valid_from, np.float64),
            valid_until=np.ascontiguousarray(valid_until, np.float64),
            observed_at=np.ascontiguousarray(observed_at, np.float64),
        )

    def packed(self) -> _native._Attributes:
        """Return the arrays in the order of the fields, as the native module takes them."""
        return (
            self.scopes,
            self.kinds,
            self.statuses,
            self.flags,
            self.base,
            self.last,
            self.valid_from,
            self.valid_until,
            self.observed_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanFilter:
    """Which rows a query may see; the same for the scan and the keyword search.

    Attributes:
        now: Moment of the query, epoch seconds.
        scopes: Visible scopes; ``None`` shows all.
        kinds: Visible kinds, as in ``KIND_CODES``.
        statuses: Visible statuses, as in ``STATUS_CODES``.
        min_retention: Least retention at ``now``.
        taus: Time constants of retention by kind, seconds; pinned rows have an infinite one.
        as_of: Moment at which a row must have been valid; without it, a row that was not
            superseded must not have ended at ``now``.
        since: Earliest ``observed_at``, inclusive.
        until: Latest ``observed_at``, exclusive.
    """

    now: float
    scopes: tuple[int, ...] | None = None
    kinds: tuple[int, ...] = (0, 1, 2)
    statuses: tuple[int, ...] = (0,)
    min_retention: float = 0.0
    taus: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    as_of: float | None = None
    since: float | None = None
    until: float | None = None

    def packed(self) -> _native._Filter:
        """Return the fields as the native module takes them."""
        return (
            _scope_array(self.scopes),
            _mask(self.kinds),
            _mask(self.statuses),
            self.min_retention,
            self.taus,
            self.now,
            self.as_of,
            self.since,
            self.until,
        )


def _scope_array(scopes: tuple[int, ...] | None) -> NDArray[np.uint32] | None:
    return None if scopes is None else np.array(sorted(set(scopes)), np.uint32)


def _mask(codes: Sequence[int]) -> int:
    mask = 0
    for code in codes:
        mask |= 1 << code
    return mask


@dataclass(frozen=True, slots=True, kw_only=True)
class NullStats:
    """Cosines of the query with a fixed sample of the visible scopes: size, mean, deviation."""

    count: int
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class ScanWork:
    """What one pass did.

    Attributes:
        rows: Slots looked at.
        bounded: Rows whose score was bounded by the first plane of codes, or by f32 without codes.
        refined: Rows whose second plane was read.
        rescored: Rows whose canonical cosine was computed.
        bytes: Bytes of codes and vectors read.
    """

    rows: int
    bounded: int
    refined: int
    rescored: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScanResult:
    """Hits of a query, best first, ties by id, exactly as brute force finds them."""

    ids: NDArray[np.int64]
    cosines: NDArray[np.float32]
    scores: NDArray[np.float32]
    retentions: NDArray[np.float64]
    null: NullStats
    work: ScanWork

    @classmethod
    def unpack(cls, packed: _native._PackedScan) -> Self:
        """Read what the native module packs."""
        ids, cosines, scores, retentions, null, work = packed
        return cls(
            ids=np.frombuffer(ids, np.int64),
            cosines=np.frombuffer(cosines, np.float32),
            scores=np.frombuffer(scores, np.float32),
            retentions=np.frombuffer(retentions, np.float64),
            null=NullStats(count=null[0], mean=null[1], std=null[2]),
            work=ScanWork(*work),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matches:
    """How well rows answer a query text, one element per row.

    Attributes:
        ids: Trace ids.
        bm25: Exhaustive bm25 with the statistics of the visible scopes.
        coverage: Share of the query's idf that the row's words hold, in [0, 1].
        matched: Number of query words that the row holds.
    """

    ids: NDArray[np.int64]
    bm25: NDArray[np.float32]
    coverage: NDArray[np.float32]
    matched: NDArray[np.int64]

    @classmethod
    def unpack(cls, ids: NDArray[np.int64], packed: bytes) -> Matches:
        """Read the three values a row that the native module packs."""
        table = np.frombuffer(packed, np.float32).reshape(-1, 3)
        matched = table[:, 2].astype(np.int64)
        return cls(ids=ids, bm25=table[:, 0], coverage=table[:, 1], matched=matched)


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
        try:
            self._native.set_simd(name)
        except ValueError as error:
            raise InvalidInputError(str(error)) from error

    def upsert(
        self,
        ids: ArrayLike,
        vectors: ArrayLike,
        texts: Sequence[str],
        attributes: RowAttributes,
        *,
        has_vector: ArrayLike | None = None,
    ) -> None:
        """Insert rows, replacing those whose ids are present.

        Args:
            ids: Trace ids, shape (n,).
            vectors: f32, shape (m, dim): one for each row that has one, in the order of the rows.
                A zero vector counts as none.
            texts: Text of each row, for the keyword search.
            attributes: Attributes of each row.
            has_vector: Which rows have a vector, shape (n,); all of them by default.

        Raises:
            InvalidInputError: Wrong shape or range, or a value that is not finite; nothing is
                changed.
        """
        rows = np.ascontiguousarray(ids, np.int64)
        matrix = self._vectors(vectors)
        present = np.ones(len(rows), np.uint8) if has_vector is None else has_vector
        mask = np.ascontiguousarray(present, np.bool_).view(np.uint8)
        try:
            self._native.upsert(rows, mask, matrix, texts, attributes.packed())
        except ValueError as error:
            raise InvalidInputError(str(error)) from error

    def update(self, ids: ArrayLike, attributes: RowAttributes) -> None:
        """Change attributes of rows and keep vectors and texts; unknown ids are skipped.

        Raises:
            InvalidInputError: Wrong shape or range; nothing is changed.
        """
        try:
            self._native.update(np.ascontiguousarray(ids, np.int64), attributes.packed())
        except ValueError as error:
            raise InvalidInputError(str(error)) from error

    def remove(self, ids: ArrayLike) -> int:
        """Take rows out and return how many were there; unknown ids are skipped."""
        return self._native.remove(np.ascontiguousarray(ids, np.int64))

    def optimize(self) -> None:
        """Fit the codes of the scan to the present vectors: faster, and no result changes.

        Done by itself each time that the index has grown fourfold; worth calling after the
        vectors have changed much.
        """
        self._native.optimize()

    def topk(
        self,
        query: ArrayLike,
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
            by_cosine: Order by cosine alone instead of cosine * (0.3 + 0.7 * retention).
            min_cosine: Least cosine of a hit.

        Raises:
            InvalidInputError: The query, ``k`` or the filter cannot be used.
        """
        if k < 0:
            raise InvalidInputError(f"k must not be negative, got {k}", code="invalid_k")
        vector = self._query(query)
        try:
            packed = self._native.topk(vector, k, by_cosine, min_cosine, chosen.packed())
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
        return ScanResult.unpack(packed)

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
        if k < 0:
            raise InvalidInputError(f"k must not be negative, got {k}", code="invalid_k")
        matrix = self._vectors(queries)
        try:
            found = self._native.topk_many(matrix, k, by_cosine, min_cosine, chosen.packed())
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
        return [ScanResult.unpack(packed) for packed in found]

    def cosines(self, query: ArrayLike, ids: ArrayLike) -> NDArray[np.float32]:
        """Return the canonical cosine of each id, NaN for one without row or vector.

        Raises:
            InvalidInputError: The query cannot be used.
        """
        packed = self._native.cosines(self._query(query), np.ascontiguousarray(ids, np.int64))
        return np.frombuffer(packed, np.float32)

    def retentions(self, ids: ArrayLike, chosen: ScanFilter) -> NDArray[np.float64]:
        """Return the retention of each id, NaN for one that is absent or filtered out.

        Raises:
            InvalidInputError: The filter cannot be used.
        """
        try:
            packed = self._native.retentions(np.ascontiguousarray(ids, np.int64), chosen.packed())
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
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
        if k < 0:
            raise InvalidInputError(f"k must not be negative, got {k}", code="invalid_k")
        try:
            ids, packed = self._native.search_terms(text, k, chosen.packed(), fuzzy=fuzzy)
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
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
        packed = self._native.lexical(text, rows, _scope_array(scopes), fuzzy=fuzzy)
        return Matches.unpack(rows, packed)

    def _query(self, query: ArrayLike) -> NDArray[np.float32]:
        vector = np.ascontiguousarray(query, np.float32)
        if vector.shape != (self.dim,):
            raise InvalidInputError(
                f"the query has the shape {vector.shape}, this index holds vectors of {self.dim}",
                code="dim_mismatch",
            )
        return _finite(vector)

    def _vectors(self, vectors: ArrayLike) -> NDArray[np.float32]:
        matrix = np.ascontiguousarray(vectors, np.float32)
        if matrix.size == 0:
            return matrix.reshape(0)
        if matrix.ndim != 2 or matrix.shape[1] != self.dim:
            raise InvalidInputError(
                f"the vectors have the shape {matrix.shape}, expected (n, {self.dim}); "
                "nothing was changed",
                code="dim_mismatch",
            )
        return _finite(matrix).reshape(-1)


def _finite(array: NDArray[np.float32]) -> NDArray[np.float32]:
    if not np.isfinite(array).all():
        raise InvalidInputError(
            "a vector holds NaN or infinity; nothing was read or written", code="invalid_vector"
        )
    return array
