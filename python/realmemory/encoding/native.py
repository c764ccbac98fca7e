"""What the embedders that run in the engine share: one space for texts and questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import EmbedderProfile, Vectors


class Encoder(Protocol):
    """A wrapper of an encoder of the engine."""

    dim: int

    @property
    def name(self) -> str:
        """Identity of the space."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim)."""
        ...

    def packed(self, texts: Sequence[str]) -> bytes:
        """Encode texts; the f32 values one after the other."""
        ...


class NativeEmbedder:
    """An embedder over an encoder of the engine; questions are encoded as texts are.

    Args:
        encoder: The encoder.
        profile: Thresholds for its space, or None for the defaults of the configuration.
    """

    def __init__(self, encoder: Encoder, profile: EmbedderProfile | None) -> None:
        self._encoder = encoder
        self._profile = profile

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
        """Thresholds for this space."""
        return self._profile

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim)."""
        return self._encoder.encode(texts)

    def query(self, text: str) -> memoryview[float]:
        """Encode one question, without numpy."""
        return memoryview(self._encoder.packed([text])).cast("f")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions; the same as :meth:`embed`."""
        return self._encoder.encode(texts)
