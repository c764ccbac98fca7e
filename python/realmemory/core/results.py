"""What the engine's index answers."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from realmemory.core.evidence import Table, floats
from realmemory.late import late_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from realmemory import _native
else:
    np = late_module("numpy")

NULL_SAMPLE = 128
"""Rows behind the null statistics of a query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NullStats:
    """Cosines of the query with a fixed sample of the visible scopes: size, mean, deviation."""

    count: int
    mean: float
    std: float


class ScanWork(NamedTuple):
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


class ScanResult:
    """Hits of a query, best first, ties by id, exactly as brute force finds them.

    Read when asked for: whoever wants only the ids does not pay for the rest.

    Args:
        packed: Ids i64, cosines f32, scores f32, retentions f64; null statistics; work done.
    """

    __slots__ = ("_packed",)

    def __init__(self, packed: _native._PackedScan) -> None:
        self._packed = packed

    @property
    def ids(self) -> NDArray[np.int64]:
        """Trace ids."""
        return np.frombuffer(self._packed[0], np.int64)

    @property
    def order(self) -> list[int]:
        """Trace ids, best first, for whoever has no other use for numpy."""
        return array("q", self._packed[0]).tolist()

    @property
    def cosines(self) -> NDArray[np.float32]:
        """Canonical cosines: inner products, of vectors of unit length."""
        return np.frombuffer(self._packed[1], np.float32)

    @property
    def scores(self) -> NDArray[np.float32]:
        """Cosines times (0.3 + 0.7 * retention), or cosines."""
        return np.frombuffer(self._packed[2], np.float32)

    @property
    def retentions(self) -> NDArray[np.float64]:
        """Retentions, in [0, 1]."""
        return np.frombuffer(self._packed[3], np.float64)

    @property
    def null(self) -> NullStats:
        """Cosines of the query with unrelated rows."""
        count, mean, std = self._packed[4]
        return NullStats(count=count, mean=mean, std=std)

    @property
    def work(self) -> ScanWork:
        """What the pass did."""
        return ScanWork(*self._packed[5])


class Matches(NamedTuple):
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


class Described(NamedTuple):
    """Rows as the vectors and the words of a question see them, in ascending order of ids.

    Attributes:
        ids: Trace ids.
        table: What is known of them, before words are compared with words.
        null: Cosines of the question with unrelated rows.
        bounded: Rows that the scan could see.
    """

    ids: array[int]
    table: Table
    null: NullStats
    bounded: int

    @classmethod
    def unpack(cls, packed: _native._PackedRows) -> Self:
        """Read what the native module packs."""
        ids, values, null, bounded = packed
        return cls(
            ids=array("q", ids),
            table=Table(floats(values)),
            null=NullStats(count=null[0], mean=null[1], std=null[2]),
            bounded=bounded,
        )

    def joined(self, other: Described) -> Described:
        """Return these rows and those of another answer, without any twice."""
        ids = [*self.ids, *other.ids]
        first = {memory_id: at for at, memory_id in reversed(list(enumerate(ids)))}
        order = [first[memory_id] for memory_id in sorted(first)]
        return self._replace(
            ids=array("q", sorted(first)), table=self.table.joined(other.table, order)
        )
