"""Training examples: token counts of every text, and the vector it should get.

English texts take the English teacher's vector (centred, reduced by PCA to the table's
dimension). The Russian half of a translated pair takes the vector of its English half. Other
Russian texts take the multilingual teacher's vector, carried into the same space by a ridge
regression that is fitted on texts which both teachers have read.

Beside them there are relations that need no teacher: translations, words with their definitions
or synonyms, definitions with their usage, forms of one word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import table_file
from scipy import sparse
from teacher import load_cache, read_columns

from realmemory.core.static_table import StaticEncoder, words
from realmemory.core.text import fts_terms

if TYPE_CHECKING:
    from pathlib import Path

RIDGE = 3.0
MOST_RARE = 3
Relations = tuple[sparse.csr_matrix, sparse.csr_matrix]


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
    relations: dict[str, Relations]  # texts of one meaning, side by side
    space: Space


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Tokens:
    """Token counts of texts under a vocabulary, cut by the engine itself."""

    def __init__(self, pieces: list[str]) -> None:
        self.size = len(pieces)
        nothing = np.zeros(self.size, np.float32)
        codes = np.zeros((self.size, 2), np.uint8)
        table = table_file.Table("untrained", tuple(pieces), nothing, nothing, codes)
        self._encoder = StaticEncoder(table_file.write(table))

    def counts(self, texts: list[str]) -> sparse.csr_matrix:
        rows = [self._encoder.tokenize(text) for text in texts]
        pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        columns = np.concatenate(rows).astype(np.int32)
        ones = np.ones(len(columns), np.float32)
        matrix = sparse.csr_matrix((ones, columns, pointers), shape=(len(texts), self.size))
        matrix.sum_duplicates()
        return matrix


def fit_space(dim: int, english: np.ndarray, multilingual: np.ndarray, wanted: np.ndarray) -> Space:
    """PCA of the English teacher, and the bridge from ``multilingual`` rows to ``wanted`` ones."""
    sample = english[:100_000].astype(np.float32)
    mean = sample.mean(axis=0)
    covariance = np.cov((sample - mean).T)
    _, vectors = np.linalg.eigh(covariance)
    space = Space(
        mean, vectors[:, ::-1][:, :dim].astype(np.float32), np.zeros((385, dim), np.float32)
    )
    inputs = np.hstack(
        [multilingual.astype(np.float32), np.ones((len(multilingual), 1), np.float32)]
    )
    outputs = space.from_english(wanted)
    gram = inputs.T @ inputs + RIDGE * len(inputs) * 1e-5 * np.eye(385, dtype=np.float32)
    space.bridge = np.linalg.solve(gram, inputs.T @ outputs).astype(np.float32)
    return space


def word_forms(work: Path) -> list[tuple[str, str]]:
    """Pairs of words with one stem, such as forms of declension, seen at least three times."""
    seen: Counter[str] = Counter()
    for name in ("en.tsv", "ru.tsv"):
        for _, text in read_columns(work / name):
            seen.update(words(text))
    stems: dict[str, list[str]] = defaultdict(list)
    for word, count in sorted(seen.items()):
        if count >= MOST_RARE and word.isalpha():
            stems[fts_terms(word)].append(word)
    return [
        (left, right)
        for forms in stems.values()
        for left, right in zip(forms, forms[1:] + forms[:1], strict=True)
        if left != right
    ]


def related_texts(work: Path) -> dict[str, list[tuple[str, str]]]:
    """Pairs of texts of one meaning, by what makes them so."""
    kinds: dict[str, list[tuple[str, str]]] = {"translation": [], "definition": [], "usage": []}
    for _, english, russian in read_columns(work / "pairs.tsv"):
        kinds["translation"].append((english, russian))
    for kind, left, right in read_columns(work / "relations.tsv"):
        kinds[kind].append((left, right))
    return kinds | {"form": word_forms(work)}


def examples(work: Path, dim: int) -> tuple[list[str], np.ndarray, Space]:
    """Texts, their targets, and the space of the targets."""
    bge_texts, bge_vectors = load_cache(work / "teacher/bge")
    e5_texts, e5_vectors = load_cache(work / "teacher/e5")
    bge_row = {text: i for i, text in enumerate(bge_texts)}
    e5_row = {text: i for i, text in enumerate(e5_texts)}
    pairs = {row[2]: row[1] for row in read_columns(work / "pairs.tsv") if row[1] in bge_row}
    both = [(e5_row[t], bge_row[t]) for t in e5_texts if t in bge_row]
    both += [(e5_row[ru], bge_row[en]) for ru, en in pairs.items() if ru in e5_row]
    left, right = np.array(both).T
    space = fit_space(dim, bge_vectors, e5_vectors[left], bge_vectors[right])

    russian = [t for t in e5_texts if t not in bge_row and t not in pairs]
    english_targets = space.from_english(bge_vectors)
    translated = english_targets[[bge_row[en] for en in pairs.values()]]
    read = [(i, e5_row[ru]) for i, ru in enumerate(pairs) if ru in e5_row]
    for i, row in read:
        translated[i] += space.from_multilingual(e5_vectors[row : row + 1])[0]
    alone = space.from_multilingual(e5_vectors[[e5_row[t] for t in russian]])
    print(
        f"{len(bge_texts)} English, {len(pairs)} translated, {len(russian)} Russian texts;"
        f" bridge fitted on {len(both)}", flush=True,
    )  # fmt: skip
    targets = np.concatenate([english_targets, unit(translated), alone]).astype(np.float32)
    return bge_texts + list(pairs) + russian, targets, space


def load(work: Path, dim: int, pieces: list[str]) -> Dataset:
    tokens = Tokens(pieces)
    texts, targets, space = examples(work, dim)
    counts = tokens.counts(texts)
    known = np.diff(counts.indptr) > 0
    relations = {}
    for kind, pairs in related_texts(work).items():
        left, right = (tokens.counts([pair[side] for pair in pairs]) for side in (0, 1))
        full = (np.diff(left.indptr) > 0) & (np.diff(right.indptr) > 0)
        relations[kind] = (left[full], right[full])
        print(f"{full.sum()} relations: {kind}", flush=True)
    return Dataset(counts[known], targets[known], relations, space)
