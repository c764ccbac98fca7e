"""What an embedder returns is checked once, before anything is stored or searched with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.encoding.native import NativeEmbedder
from realmemory.encoding.protocol import LateInteraction, normalised
from realmemory.encoding.static import about, nearest_words
from realmemory.errors import EmbeddingError, RealMemoryError
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from realmemory.core.static_table import About, Interaction, NearestWord
    from realmemory.encoding.protocol import EmbedderProfile, EmbeddingProvider, Vector, Vectors
else:
    np = late_module("numpy")

_UNHARMED = "nothing was stored. Mend the embedder, or open the memory with another."


class CheckedEmbedder:
    """Passes texts on to a provider and refuses results that are no vectors of its space.

    Rows of any length are accepted and scaled to unit length.

    Args:
        provider: The embedder of a caller.
    """

    def __init__(self, provider: EmbeddingProvider) -> None:
        self._provider = provider
        self._words = provider if isinstance(provider, LateInteraction) else None

    @property
    def provider(self) -> EmbeddingProvider:
        """The embedder of the caller, as it was given."""
        return self._provider

    @property
    def dim(self) -> int:
        """Dimension of the vectors."""
        return self._provider.dim

    @property
    def name(self) -> str:
        """Identity of the space."""
        return self._provider.name

    @property
    def profile(self) -> EmbedderProfile | None:
        """Thresholds for this space."""
        return self._provider.profile

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; shape (texts, dim).

        Raises:
            EmbeddingError: The provider failed, or returned something else.
        """
        return self._checked(self._provider.embed, texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions; shape (texts, dim).

        Raises:
            EmbeddingError: As :meth:`embed`.
        """
        return self._checked(self._provider.embed_queries, texts)

    def query(self, text: str) -> Vector | memoryview[float]:
        """Encode one question; f32 values in a buffer, shape (dim,).

        Raises:
            EmbeddingError: As :meth:`embed`.
        """
        if isinstance(self._provider, NativeEmbedder):
            # The engine returns what the engine takes: there is nothing to check.
            return self._provider.query(text)
        vector: Vector = self.embed_queries([text])[0]
        return vector

    @property
    def compares_words(self) -> bool:
        """Whether the provider offers :meth:`interact`."""
        return self._words is not None

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text.

        Raises:
            TypeError: The provider has no vectors of words; see :attr:`compares_words`.
        """
        if self._words is None:
            raise TypeError(f"the embedder {self.name!r} has no vectors of words")
        return self._words.interact(query, texts)

    def about(self, question: str) -> About | None:
        """Return what a question is about, None when it has no known word.

        By the table that ships, whatever the embedder: it is there, and takes microseconds.
        """
        return about(question)

    def nearest_words(self, question: str, text: str) -> list[NearestWord]:
        """Return how near a text comes to each content word of a question, by the same table."""
        return nearest_words(question, text)

    def _checked(self, encode: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        try:
            # What is too large for a number of 32 bits becomes infinite, and is refused below.
            with np.errstate(over="ignore"):
                rows = np.asarray(encode(texts), dtype=np.float32)
        except RealMemoryError:
            raise
        except Exception as error:  # the provider is the caller's code and may raise anything
            raise EmbeddingError(
                f"the embedder {self.name!r} failed: {error}; {_UNHARMED}"
            ) from error
        if rows.shape != (len(texts), self.dim):
            raise EmbeddingError(
                f"the embedder {self.name!r} returned the shape {rows.shape} for {len(texts)} "
                f"texts of dimension {self.dim}; {_UNHARMED}",
                code="dim_mismatch",
            )
        if not np.isfinite(rows).all():
            raise EmbeddingError(
                f"the embedder {self.name!r} returned NaN or infinity; {_UNHARMED}",
                code="invalid_vector",
            )
        return normalised(rows)
