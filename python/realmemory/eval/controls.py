"""Baselines that every benchmark runs beside the memory: bm25 alone, cosine alone, newest first.

They are deliberately plain and independent of the product: words without stemming or stop words,
no gate, no decay, no abstention beyond finding nothing.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.eval.scoring import Answer

_WORD = re.compile(r"\w+")
_K1 = 1.2
_B = 0.75


def words(text: str) -> list[str]:
    """Return the case-folded words of a text."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


class Control(Protocol):
    """Anything that ranks texts for a query."""

    def rank(self, query: str, k: int) -> tuple[str, ...]:
        """Return the keys of the best ``k`` texts."""
        ...


def answers_of(like: Sequence[Answer], rank: Callable[[Answer], tuple[str, ...]]) -> list[Answer]:
    """Let a baseline answer the questions that the memory answered.

    Finding nothing is the only way in which a baseline abstains.
    """
    answers = []
    for question in like:
        ranking = rank(question)
        answers.append(
            replace(
                question,
                ranking=ranking,
                confidences=(),
                abstained=not ranking,
                reason=None,
                wall_ms=0.0,
                cpu_ms=0.0,
            )
        )
    return answers


def answers_of_each(
    like: Sequence[Answer], systems: Mapping[str, Control], k: int
) -> dict[str, list[Answer]]:
    """Let every baseline answer the same questions from one collection."""

    def ranked_by(system: Control) -> Callable[[Answer], tuple[str, ...]]:
        return lambda answer: system.rank(answer.query, k)

    return {name: answers_of(like, ranked_by(system)) for name, system in systems.items()}


class Bm25Control:
    """Okapi bm25 (k1 = 1.2, b = 0.75) over one collection of texts.

    Args:
        keys: One key for each text.
        texts: What is searched.
    """

    def __init__(self, keys: Sequence[str], texts: Sequence[str]) -> None:
        self._keys = list(keys)
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for row, text in enumerate(texts):
            counts = Counter(words(text))
            self._lengths.append(counts.total())
            for word, count in counts.items():
                self._postings[word].append((row, count))
        self._mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1.0

    def rank(self, query: str, k: int) -> tuple[str, ...]:
        """Return the keys of the best ``k`` texts that share a word with the query."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(words(query)):
            rows = self._postings.get(word, ())
            rarity = math.log1p((len(self._keys) - len(rows) + 0.5) / (len(rows) + 0.5))
            for row, count in rows:
                norm = _K1 * (1 - _B + _B * self._lengths[row] / self._mean)
                scores[row] += rarity * count * (_K1 + 1) / (count + norm)
        best = heapq.nsmallest(k, scores, key=lambda row: (-scores[row], row))
        return tuple(self._keys[row] for row in best)


class CosineControl:
    """Plain cosine over the embedder's own vectors.

    Args:
        embedder: The embedder under test.
        keys: One key for each text.
        texts: What is searched.
    """

    def __init__(
        self, embedder: EmbeddingProvider, keys: Sequence[str], texts: Sequence[str]
    ) -> None:
        self._embedder = embedder
        self._keys = list(keys)
        self._vectors = embedder.embed(list(texts))

    def rank(self, query: str, k: int) -> tuple[str, ...]:
        """Return the keys of the ``k`` nearest texts; none for a query without a vector."""
        vector = self._embedder.embed_queries([query])[0]
        if not vector.any():
            return ()
        order = np.argsort(-(self._vectors @ vector), kind="stable")[:k]
        return tuple(self._keys[int(row)] for row in order)


class RecencyControl:
    """Whatever was written last.

    Args:
        keys: One key for each text.
        times: When each was written.
    """

    def __init__(self, keys: Sequence[str], times: Sequence[float]) -> None:
        order = sorted(range(len(keys)), key=lambda row: (-times[row], -row))
        self._keys = [keys[row] for row in order]

    def rank(self, query: str, k: int) -> tuple[str, ...]:  # noqa: ARG002 - same call as the others
        """Return the keys of the newest ``k`` texts."""
        return tuple(self._keys[:k])
