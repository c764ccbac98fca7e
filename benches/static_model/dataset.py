"""Training examples: token counts of every text, and the vector it should get.

English texts take the English teacher's vector (centred, reduced by PCA to the table's
dimension). The Russian half of a translated pair takes the vector of its English half. Other
Russian texts take the multilingual teacher's vector, carried into the same space by a ridge
regression that is fitted on texts which both teachers have read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from table_file import Vocabulary
from teacher import load_cache, read_columns
from vocabulary import fast_words

RIDGE = 3.0


@dataclass
class Space:
    """Where targets live: the English teacher's centred principal axes."""

    mean: np.ndarray
    axes: np.ndarray
    bridge: np.ndarray  # (385, dim): multilingual teacher -> targets, last row the offset

    def from_english(self, vectors: np.ndarray) -> np.ndarray:
        return unit((vectors.astype(np.float32) - self.mean) @ self.axes)

    def from_multilingual(self, vectors: np.ndarray) -> np.ndarray:
        vectors = vectors.astype(np.float32)
        return unit(vectors @ self.bridge[:-1] + self.bridge[-1])


@dataclass
class Dataset:
    counts: sparse.csr_matrix
    targets: np.ndarray
    weights: np.ndarray
    pairs: np.ndarray  # (n, 2) rows of an English text and its translation
    space: Space


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Tokens:
    """Token counts of texts under a vocabulary; words are cut once."""

    def __init__(self, pieces: list[str]) -> None:
        self.size = len(pieces)
        self._vocabulary = Vocabulary(pieces)
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        tokens: list[int] = []
        for word in fast_words(text):
            pieces = self._known.get(word)
            if pieces is None:
                pieces = self._known[word] = self._vocabulary.split(word)
            tokens += pieces
        return tokens

    def counts(self, texts: list[str]) -> sparse.csr_matrix:
        rows = [self.ids(text) for text in texts]
        lengths = np.array([len(row) for row in rows])
        columns = np.fromiter((t for row in rows for t in row), np.int32, lengths.sum())
        pointers = np.concatenate([[0], np.cumsum(lengths)])
        matrix = sparse.csr_matrix(
            (np.ones(len(columns), np.float32), columns, pointers), shape=(len(texts), self.size)
        )
        matrix.sum_duplicates()
        return matrix


def fit_space(dim: int, english: np.ndarray, multilingual: np.ndarray, wanted: np.ndarray) -> Space:
    """PCA of the English teacher, and the bridge from ``multilingual`` rows to ``wanted`` ones."""
    sample = english[:100_000].astype(np.float32)
    mean = sample.mean(axis=0)
    covariance = np.cov((sample - mean).T)
    _, vectors = np.linalg.eigh(covariance)
    space = Space(mean, vectors[:, ::-1][:, :dim].astype(np.float32), np.zeros((385, dim), np.float32))
    inputs = np.hstack([multilingual.astype(np.float32), np.ones((len(multilingual), 1), np.float32)])
    outputs = space.from_english(wanted)
    gram = inputs.T @ inputs + RIDGE * len(inputs) * 1e-5 * np.eye(385, dtype=np.float32)
    space.bridge = np.linalg.solve(gram, inputs.T @ outputs).astype(np.float32)
    return space


def load(work: Path, dim: int, pieces: list[str]) -> Dataset:
    bge_texts, bge_vectors = load_cache(work / "teacher/bge")
    e5_texts, e5_vectors = load_cache(work / "teacher/e5")
    bge_row = {text: i for i, text in enumerate(bge_texts)}
    e5_row = {text: i for i, text in enumerate(e5_texts)}
    pairs = [(row[1], row[2]) for row in read_columns(work / "pairs.tsv") if row[1] in bge_row]
    both = [(e5_row[t], bge_row[t]) for t in e5_texts if t in bge_row]
    both += [(e5_row[ru], bge_row[en]) for en, ru in pairs if ru in e5_row]
    left, right = np.array(both).T
    space = fit_space(dim, bge_vectors, e5_vectors[left], bge_vectors[right])

    translations = {ru: en for en, ru in pairs}
    russian = [t for t in e5_texts if t not in bge_row and t not in translations]
    texts = bge_texts + list(translations) + russian
    english_targets = space.from_english(bge_vectors)
    translated = english_targets[[bge_row[en] for en in translations.values()]]
    for i, ru in enumerate(translations):
        if ru in e5_row:
            row = e5_row[ru]
            translated[i] += space.from_multilingual(e5_vectors[row : row + 1])[0]
    targets = [english_targets, unit(translated)]
    targets.append(space.from_multilingual(e5_vectors[[e5_row[t] for t in russian]]))
    counts = Tokens(pieces).counts(texts)
    position = {ru: len(bge_texts) + i for i, ru in enumerate(translations)}
    pair_rows = np.array([(bge_row[en], position[ru]) for en, ru in pairs])
    print(
        f"{len(bge_texts)} English, {len(translations)} translated, {len(russian)} Russian texts;"
        f" bridge fitted on {len(both)}", flush=True,
    )  # fmt: skip
    all_targets = np.concatenate(targets).astype(np.float32)
    return Dataset(counts, all_targets, np.ones(len(texts), np.float32), pair_rows, space)
