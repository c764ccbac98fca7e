"""Sparse distributed codes: the strongest units of a seeded projection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory import _native
from realmemory.late import late_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = late_module("numpy")

NO_UNIT = 2**32 - 1
"""Stands in the code of a zero vector, which has no units."""


class SdrEncoder:
    """Encodes vectors into ``k`` of ``units`` units, alike for alike vectors.

    Args:
        dim: Components of a vector, 1 to 65536.
        units: Units to choose from, at most 2**20.
        k: Units that a code switches on.
        seed: Other seeds give unrelated codes.

    Raises:
        ValueError: A parameter is out of range.
    """

    def __init__(self, dim: int, units: int = 2048, k: int = 64, seed: int = 29) -> None:
        self._native = _native.SdrEncoder(dim, units, k, seed)
        self.dim, self.units, self.k = dim, units, k

    def encode(self, vectors: NDArray[np.float32]) -> NDArray[np.uint32]:
        """Return ascending units (n, k) of float32 vectors (n, dim); zero rows give NO_UNIT.

        Raises:
            ValueError: A value is NaN or infinite, or the shape does not fit.
        """
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise ValueError(f"vectors must have the shape (n, {self.dim}), got {rows.shape}")
        return np.frombuffer(self._native.encode(rows), dtype="<u4").reshape(len(rows), self.k)
