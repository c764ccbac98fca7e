"""The static embedder: token vectors from a small quantised table, averaged.

The file format is documented in ``rust/engine/src/embed/static_table.rs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from realmemory import _native
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
else:
    np = late_module("numpy")


class Interaction(NamedTuple):
    """How well texts answer the single words of a query (MaxSim).

    ``words`` counts the content words of the query that have a vector, ``letters_per_piece`` how
    long the pieces are that they fall into. ``mean`` and ``weakest``, one value a text, are the
    weighted mean and the least, over those words, of the largest cosine with a word of the text.
    """

    words: int
    letters_per_piece: float
    mean: memoryview[float]
    weakest: memoryview[float]


class NearestWord(NamedTuple):
    """A content word of a query: its weight, and its largest cosine with a word of a text."""

    word: str
    weight: float
    cosine: float


class About(NamedTuple):
    """What a question is about, before any memory was looked at.

    ``coherence`` is the length of the sum of its weighted pieces, as a share of what it were if
    all pointed one way: 0 without a vector. ``largest``, ``mean`` and ``deviation`` are those of
    its cosines with the directions of the world.
    """

    coherence: float
    largest: float
    mean: float
    deviation: float


def words(text: str) -> list[str]:
    """Return the folded words of a text, before they are cut into pieces.

    Who trains a table counts these, so that training and look-up agree.
    """
    return _native.static_words(text)


class StaticEncoder:
    """Looks tokens up in a table and averages their rows.

    Args:
        data: The bytes of a table file; they are not copied.

    Raises:
        ValueError: The file is foreign, damaged or of another version.
    """

    def __init__(self, data: bytes) -> None:
        self._adopt(_native.StaticEncoder(data))

    @classmethod
    def map(cls, path: Path) -> Self:
        """Map a table file, so that processes share its pages; it must not change while in use.

        Raises:
            ValueError: The file is foreign, damaged or of another version.
            OSError: It cannot be mapped.
        """
        encoder = cls.__new__(cls)
        encoder._adopt(_native.StaticEncoder.map(path))  # noqa: SLF001 - its own class
        return encoder

    def _adopt(self, native: _native.StaticEncoder) -> None:
        self._native = native
        self.dim = self._native.dim
        self.name = self._native.name
        """Stable identity: vectors of two names are never compared."""
        self.pieces = self._native.pieces

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a float32 array (n, dim) of unit rows; zeros where no piece fits."""
        return np.frombuffer(self.packed(texts), dtype="<f4").reshape(len(texts), self.dim)

    def packed(self, texts: Sequence[str]) -> bytes:
        """Return what :meth:`encode` does, the values one after the other."""
        return self._native.encode(texts)

    def interact(self, query: str, texts: Sequence[str]) -> Interaction:
        """Compare the content words of a query with the words of each text."""
        words, letters, mean, weakest = self._native.interact(query, texts)
        return Interaction(
            words, letters, memoryview(mean).cast("f"), memoryview(weakest).cast("f")
        )

    def nearest_words(self, query: str, text: str) -> list[NearestWord]:
        """Return the content words of a query that have a vector, in their order."""
        return [NearestWord(*found) for found in self._native.nearest_words(query, text)]

    def about(self, text: str, world: bytes) -> About:
        """Compare a text with the directions of the world.

        Args:
            text: A question.
            world: f32 unit rows of this space, one after the other; see :meth:`directions`.
        """
        return About(*self._native.about(text, memoryview(world).cast("f")))

    def directions(self) -> bytes:
        """Return the unit rows of all pieces, f32 values one after the other."""
        return self._native.token_rows(range(self.pieces))

    def tokenize(self, text: str) -> NDArray[np.uint32]:
        """Return the ids of a text's pieces in reading order."""
        return np.frombuffer(self._native.tokenize(text), dtype="<u4")

    def token_rows(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return unit rows (n, dim) and weights (n,) of a text's pieces."""
        tokens = self.tokenize(text).tolist()
        rows = np.frombuffer(self._native.token_rows(tokens), dtype="<f4")
        weights = np.frombuffer(self._native.weights(tokens), dtype="<f4")
        return rows.reshape(len(tokens), self.dim), weights
