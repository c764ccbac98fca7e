"""What the engine's index knows of rows, and which of them a question may see."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from realmemory import _native

KIND_CODES = {"episodic": 0, "semantic": 1, "turn": 2}
"""Kinds as the engine numbers them."""
STATUS_CODES = {"active": 0, "superseded": 1}
"""Statuses of indexed rows as the engine numbers them; archived rows are not indexed."""
PINNED = 1
"""Bit of ``flags`` for rows whose retention does not fade."""


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

    def take(self, rows: Sequence[int]) -> RowAttributes:
        """Return the attributes of some rows of the batch, in the order given."""
        return RowAttributes(
            **{name: getattr(self, name)[rows] for name in RowAttributes.__dataclass_fields__}
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
            scope_array(self.scopes),
            _mask(self.kinds),
            _mask(self.statuses),
            self.min_retention,
            self.taus,
            self.now,
            self.as_of,
            self.since,
            self.until,
        )


def scope_array(scopes: tuple[int, ...] | None) -> NDArray[np.uint32] | None:
    """Return scopes as the native module takes them: ascending, each once."""
    return None if scopes is None else np.array(sorted(set(scopes)), np.uint32)


def _mask(codes: Sequence[int]) -> int:
    mask = 0
    for code in codes:
        mask |= 1 << code
    return mask
