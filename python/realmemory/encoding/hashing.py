"""The embedder that needs no model: words and character n-grams, hashed in the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.core.hashing import HashingEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbedderProfile, Vectors


class HashingEmbedder:
    """Signed hashing of words and their character 3-grams; every script works.

    Args:
        dim: Dimension of the vectors.
        seed: Seed of the hash.

    Raises:
        ValueError: ``dim`` is out of range.
    """

    def __init__(self, dim: int = 2048, seed: int = 7) -> None:
        self._encoder = HashingEncoder(dim, seed)

    @property
    def dim(self) -> int:
        """Dimension of the vectors."""
        return self._encoder.dim

    @property
    def name(self) -> str:
        """Identity of the space."""
        return self._encoder.name

    @property
    def profile(self) -> EmbedderProfile | None:
        """The defaults of the configuration were chosen for this embedder."""
        return None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim)."""
        return self._encoder.encode(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions; the same as :meth:`embed`."""
        return self._encoder.encode(texts)
