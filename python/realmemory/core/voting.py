"""The voting index: rows found by the units they share with a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory import _native
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
else:
    np = late_module("numpy")


class VotingIndex:
    """Pointer lists of units with a cap; approximate, at a cost that the cap bounds.

    As long as none of its pointers was pushed out, a row answers its own code with every vote.

    Args:
        units: Units of the codes.
        cap: Rows that a unit points to; the oldest pointer gives way.

    Raises:
        ValueError: A parameter is out of range.
    """

    def __init__(self, units: int = 2048, cap: int = 1 << 20) -> None:
        self._native = _native.VotingIndex(units, cap)

    def __len__(self) -> int:
        return len(self._native)

    def upsert(self, ids: Sequence[int], codes: NDArray[np.uint32]) -> None:
        """Write rows with their codes (n, k), in place of those with the same ids.

        Raises:
            ValueError: A unit does not exist, or there is not one code a row.
        """
        rows = np.ascontiguousarray(codes, dtype="<u4")
        self._native.upsert(np.asarray(ids, dtype="<i8"), rows, rows.shape[-1])

    def remove(self, ids: Sequence[int]) -> int:
        """Take rows out and return how many there were."""
        return self._native.remove(np.asarray(ids, dtype="<i8"))

    def query(
        self, code: NDArray[np.uint32], k: int, *, weighted: bool = False
    ) -> list[tuple[int, int]]:
        """Return id and votes of the ``k`` rows with most votes, ties by id.

        Args:
            code: The units of the query.
            k: Rows wanted; those without a vote are never among them.
            weighted: Let a unit count ``1 + floor(log2(rows / length of its list))``.
        """
        packed = self._native.query(np.ascontiguousarray(code, dtype="<u4"), k, weighted=weighted)
        ids, votes = np.frombuffer(packed[0], "<i8"), np.frombuffer(packed[1], "<u4")
        return list(zip(ids.tolist(), votes.tolist(), strict=True))

    def heap_bytes(self) -> int:
        """Return the bytes it holds on the heap, about."""
        return self._native.heap_bytes()
