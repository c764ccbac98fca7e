"""What an embedder must offer, and the profile that travels with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.static_table import Interaction
else:
    np = late_module("numpy")

Vectors: TypeAlias = "NDArray[np.float32]"
"""Row-wise embeddings, shape (texts, dim), each row L2-normalised or zero."""

Vector: TypeAlias = "NDArray[np.float32]"
"""One embedding, shape (dim,), L2-normalised or zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderProfile:
    """Thresholds that fit one embedder's distribution of cosines.

    They replace the defaults of the same names in :class:`realmemory.MemoryConfig` when a store
    is created with this embedder; a value that the caller set explicitly wins.
    """

    theta_reinforce: float
    theta_link: float
    cos_min_recall: float
    cos_min_strong_recall: float = 0.0
    abstain_spread_cos: float = 0.20
    theta_rephrase: float = 1.01


@runtime_checkable
class LateInteraction(Protocol):
    """What an embedder with vectors of words can do beside :class:`EmbeddingProvider`."""

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text."""
        ...


@runtime_checkable
class EmbeddingProvider(Protocol):
    """Turns texts into vectors of one space.

    ``name`` identifies the space: two providers with the same name must return the same vectors
    for the same texts, on every machine. It is stored with the database.
    """

    @property
    def dim(self) -> int:
        """Dimension of the vectors."""
        ...

    @property
    def name(self) -> str:
        """Stable identity of the space: model, revision, pooling, dimension."""
        ...

    @property
    def profile(self) -> EmbedderProfile | None:
        """Thresholds for this space, or None for the defaults."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts to be stored; a text without content gives a zero row.

        Raises:
            EmbeddingError: The model failed or cannot be loaded.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions; differs from :meth:`embed` for asymmetric models only.

        Raises:
            EmbeddingError: The model failed or cannot be loaded.
        """
        ...


def normalised(vectors: Vectors) -> Vectors:
    """Return the rows scaled to unit length; rows without length stay zero."""
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    norms = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
    scaled = rows / np.where(norms > 0, norms, 1.0)
    return np.ascontiguousarray(scaled, dtype=np.float32)
