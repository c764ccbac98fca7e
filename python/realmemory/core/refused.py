"""What callers may not ask the kernels for, told as what it is: bad input."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from realmemory.core.vectors import check_finite
from realmemory.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_MOST = 2**32
"""More rows than an index holds."""


class Refused:
    """Names what the kernel refuses as what it is to a caller: bad input.

    A class, because entering a generator costs a query more than checking its filter.

    Args:
        query: Looked at only if something is refused, to say whether it is the query.
    """

    __slots__ = ("_query",)

    def __init__(self, query: ArrayLike | memoryview[float] | None = None) -> None:
        self._query = query

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ValueError):
            if self._query is not None:
                check_finite(self._query)
            raise InvalidInputError(str(error)) from error


def count_of(k: int) -> int:
    """Return a number of rows as the engine takes it; one past every index stands for all.

    Raises:
        InvalidInputError: ``invalid_k``.
    """
    try:
        wanted = operator.index(k)
    except TypeError:
        wanted = -1
    if wanted < 0:
        raise InvalidInputError(
            f"k must be a whole number and not negative, got {k!r:.80}; nothing was searched",
            code="invalid_k",
        )
    return min(wanted, _MOST)
