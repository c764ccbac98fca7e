"""Feature hashing: an embedder without a model."""

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

HASHING_VERSION = 1
"""Rises whenever the vector of some text changes."""


class HashingEncoder:
    """Signed hashing of stems, identifiers and character 3-grams, for every script.

    Args:
        dim: Components, 1 to 65536.
        seed: Other seeds give unrelated vectors.

    Raises:
        ValueError: ``dim`` is out of range.
    """

    def __init__(self, dim: int = 2048, seed: int = 7) -> None:
        self._native = _native.HashingEncoder(dim, seed)
        self.dim = dim
        self.seed = seed

    @property
    def name(self) -> str:
        """Stable identity: vectors of two names are never compared."""
        return f"hashing(v={HASHING_VERSION},dim={self.dim},seed={self.seed})"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a float32 array (n, dim) of unit rows; texts without letters or digits give 0."""
        return np.frombuffer(self.packed(texts), dtype="<f4").reshape(len(texts), self.dim)

    def packed(self, texts: Sequence[str]) -> bytes:
        """Return what :meth:`encode` does, the values one after the other."""
        return self._native.encode(texts)
