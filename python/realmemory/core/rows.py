"""What the engine's index knows of rows, and which of them a question may see."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from realmemory import _native

    Column: TypeAlias = array[Any] | memoryview[Any] | NDArray[Any]
else:
    np = late_module("numpy")

KIND_CODES = {"episodic": 0, "semantic": 1, "turn": 2}
"""Kinds as the engine numbers them."""
STATUS_CODES = {"active": 0, "superseded": 1, "archived": 2}
"""Statuses of indexed rows as the engine numbers them; what is held back is not indexed."""
# By code, so that a filter costs a query one lookup for each.
_KIND_BITS = {code: 1 << code for code in KIND_CODES.values()}
_STATUS_BITS = {code: 1 << code for code in STATUS_CODES.values()}
PINNED = 1
"""Bit of ``flags`` for rows whose retention does not fade."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowAttributes:
    """Attributes of a batch of rows, one element per row in every array. Times are epoch seconds."""

    scopes: Column
    kinds: Column
    statuses: Column
    flags: Column
    base: Column
    last: Column
    valid_from: Column
    valid_until: Column
    observed_at: Column

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
        """Build from lists, or from anything that numpy can turn into the columns' types."""
        return cls(
            scopes=column(scopes, "I"),
            kinds=column(kinds, "B"),
            statuses=column(statuses, "B"),
            flags=column(flags, "B"),
            base=column(base, "d"),
            last=column(last, "d"),
            valid_from=column(valid_from, "d"),
            valid_until=column(valid_until, "d"),
            observed_at=column(observed_at, "d"),
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
        min_strength: Least base strength, whatever time has passed.
        taus: Time constants of retention by kind, seconds; pinned rows have an infinite one.
        as_of: Moment at which a row must have been valid; without it, a row that was not
            superseded must not have ended at ``now``.
        since: Earliest ``observed_at``, inclusive.
        until: Latest ``observed_at``, exclusive.
        ids: Visible rows; ``None`` shows all. An array is taken as it is: ascending, each once.
    """

    now: float
    scopes: tuple[int, ...] | None = None
    kinds: tuple[int, ...] = (0, 1, 2)
    statuses: tuple[int, ...] = (0,)
    min_retention: float = 0.0
    min_strength: float = 0.0
    taus: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    as_of: float | None = None
    since: float | None = None
    until: float | None = None
    ids: tuple[int, ...] | array[int] | None = None

    def packed(self) -> _native._Filter:
        """Return the fields as the native module takes them.

        Raises:
            InvalidInputError: A kind, a status or a scope is none that the engine knows.
        """
        return (
            scope_array(self.scopes),
            _mask(self.kinds, _KIND_BITS, "kinds"),
            _mask(self.statuses, _STATUS_BITS, "statuses"),
            self.min_retention,
            self.min_strength,
            self.taus,
            self.now,
            self.as_of,
            self.since,
            self.until,
            None if self.ids is None else _id_array(self.ids),
        )


def column(values: ArrayLike | array[Any], code: str) -> Column:
    """Return values as the native module takes them.

    Args:
        values: A list is taken as it is, without numpy; anything else is for numpy to read.
        code: Type of the elements, as :mod:`array` names it.
    """
    if isinstance(values, array) and values.typecode == code and values:
        return values
    if isinstance(values, list):
        # An empty array is not aligned.
        return array(code, values) if values else memoryview(array(code, [0]))[:0]
    return np.ascontiguousarray(values, code)


def scope_array(scopes: tuple[int, ...] | None) -> Column | None:
    """Return scopes as the native module takes them: ascending, each once.

    Raises:
        InvalidInputError: They are no numbers of scopes.
    """
    try:
        return None if scopes is None else column(sorted(set(scopes)), "I")
    except (TypeError, OverflowError):
        raise InvalidInputError(
            f"scopes are whole numbers from 0, got {scopes!r:.80}; nothing was searched"
        ) from None


def _id_array(ids: tuple[int, ...] | array[int]) -> Column:
    return ids if isinstance(ids, array) and ids else column(sorted(set(ids)), "q")


def _mask(codes: Sequence[int], known: Mapping[int, int], what: str) -> int:
    mask = 0
    try:
        for code in codes:
            mask |= known[code]
    except (TypeError, KeyError):
        raise InvalidInputError(
            f"{what} are numbers among {', '.join(map(str, known))}, got {codes!r:.80}; nothing "
            "was searched"
        ) from None
    return mask
