"""Vectors as the engine takes them: f32 in one buffer, of the right dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError
from realmemory.late import late_module

if TYPE_CHECKING:
    from typing import TypeGuard

    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = late_module("numpy")


def query_vector(
    query: ArrayLike | memoryview[float], dim: int
) -> memoryview[float] | NDArray[np.float32]:
    """Return one vector of ``dim`` values. The engine checks that they are finite.

    Raises:
        InvalidInputError: ``dim_mismatch``.
    """
    if _is_packed(query) and len(query) == dim:
        return query
    vector = _packed(query)
    if vector.shape != (dim,):
        raise InvalidInputError(
            f"the query has the shape {vector.shape}, this index holds vectors of {dim}",
            code="dim_mismatch",
        )
    return vector


def vector_rows(
    vectors: ArrayLike | memoryview[float], dim: int
) -> memoryview[float] | NDArray[np.float32]:
    """Return vectors of ``dim`` values each, one after the other.

    Raises:
        InvalidInputError: ``dim_mismatch`` or ``invalid_vector``.
    """
    if _is_packed(vectors) and len(vectors) % dim == 0:
        return vectors  # The engine checks length and numbers.
    matrix = _packed(vectors)
    if matrix.size == 0:
        return matrix.reshape(0)
    if matrix.ndim != 2 or matrix.shape[1] != dim:
        raise InvalidInputError(
            f"the vectors have the shape {matrix.shape}, expected (n, {dim}); nothing was changed",
            code="dim_mismatch",
        )
    check_finite(matrix)
    return matrix.reshape(-1)


def check_finite(vectors: ArrayLike | memoryview[float]) -> None:
    """Refuse vectors that are not finite.

    Raises:
        InvalidInputError: ``invalid_vector``.
    """
    if not np.isfinite(vectors).all():
        raise InvalidInputError(
            "a vector holds NaN or infinity; nothing was read or written", code="invalid_vector"
        )


def _packed(values: ArrayLike | memoryview[float]) -> NDArray[np.float32]:
    try:
        return np.ascontiguousarray(values, np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"this is no vector of numbers ({error}); nothing was read or written",
            code="invalid_vector",
        ) from error


def _is_packed(values: ArrayLike | memoryview[float]) -> TypeGuard[memoryview[float]]:
    """Say whether values are f32 in a buffer already, so that numpy is not needed to read them."""
    return isinstance(values, memoryview) and values.format == "f"
