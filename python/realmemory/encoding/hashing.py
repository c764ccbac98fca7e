"""The embedder that needs no model: words and character n-grams, hashed in the engine."""

from __future__ import annotations

from realmemory.core.hashing import HashingEncoder
from realmemory.encoding.native import NativeEmbedder


class HashingEmbedder(NativeEmbedder):
    """Signed hashing of words and their character 3-grams; every script works.

    The defaults of the configuration were chosen for this embedder, so it has no profile.

    Args:
        dim: Dimension of the vectors.
        seed: Seed of the hash.

    Raises:
        ValueError: ``dim`` is out of range.
    """

    def __init__(self, dim: int = 2048, seed: int = 7) -> None:
        super().__init__(HashingEncoder(dim, seed), profile=None)
