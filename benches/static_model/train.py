"""Train the table: ``python train.py WORK OUT.npy [--epochs N] [--data DIR]``.

The student's vector of a text is the normalised sum of its pieces' rows (weights live in the
lengths of the rows). Loss: cosine to the target, plus the distance between the student's and the
targets' similarity distributions inside a batch (temperature softmax, cross-entropy), plus a
contrastive term that pulls translations and definitions together. Adam over the touched rows only, linear decay.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from dataset import Dataset, Tokens, load, unit
from evaluate import report
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20261129
# What the relations of a batch are made of.
SHARES = {"translation": 0.45, "definition": 0.2, "usage": 0.2, "form": 0.15}


def initial_rows(data: Dataset) -> np.ndarray:
    """Each piece starts as the mean target of the texts that hold it, rare pieces longest."""
    counts = data.counts
    total = np.asarray(counts.sum(axis=0)).ravel()
    share = total / total.sum()
    sums = np.asarray(counts.T @ data.targets)
    direction = unit(sums + 1e-6)
    reliability = 1e-4 / (1e-4 + share)
    rows = direction * (0.1 + reliability)[:, None]
    rows[total == 0] = 0.0
    return rows.astype(np.float32)


def softmax(logits: np.ndarray) -> np.ndarray:
    logits = logits - logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    return logits / logits.sum(axis=1, keepdims=True)


def similarity_gradient(student: np.ndarray, target: np.ndarray, tau: float) -> np.ndarray:
    """Gradient of the cross-entropy between in-batch similarity distributions."""
    logits = student @ student.T / tau
    wanted = target @ target.T / tau
    np.fill_diagonal(logits, -1e4)
    np.fill_diagonal(wanted, -1e4)
    difference = (softmax(logits) - softmax(wanted)) / len(student)
    return (difference @ student + difference.T @ student) / tau


def contrast_gradient(
    left: np.ndarray, right: np.ndarray, tau: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of the symmetric contrastive loss over translated pairs."""
    logits = left @ right.T / tau
    n = len(left)
    difference = (softmax(logits.copy()) + softmax(logits.T.copy()).T - 2 * np.eye(n)) / (2 * n)
    difference = difference.astype(np.float32)
    return difference @ right / tau, difference.T @ left / tau


class Adam:
    """Adam whose moments move only for the rows that a batch touches."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.first = np.zeros_like(rows)
        self.second = np.zeros_like(rows)
        self.steps = np.zeros(len(rows), np.int64)

    def step(self, index: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.steps[index] += 1
        age = self.steps[index][:, None]
        first = 0.9 * self.first[index] + 0.1 * gradient
        second = 0.99 * self.second[index] + 0.01 * gradient**2
        self.first[index], self.second[index] = first, second
        corrected = (first / (1 - 0.9**age)) / (np.sqrt(second / (1 - 0.99**age)) + 1e-9)
        self.rows[index] -= (rate * corrected).astype(np.float32)


class Trainer:
    def __init__(self, data: Dataset, options: argparse.Namespace) -> None:
        self.data, self.options = data, options
        self.rng = np.random.default_rng(SEED)
        self.adam = Adam(initial_rows(data))

    def batch(self, chosen: np.ndarray) -> sparse.csr_matrix:
        """Counts of the chosen texts, then of left and of right sides of some relations."""
        left, right = [], []
        for kind, share in SHARES.items():
            sides = self.data.relations[kind]
            rows = self.rng.integers(sides[0].shape[0], size=int(share * self.options.related))
            left.append(sides[0][rows])
            right.append(sides[1][rows])
        counts = sparse.vstack([self.data.counts[chosen], *left, *right], "csr")
        if self.options.dropout:
            kept = self.rng.random(len(counts.data), np.float32) >= self.options.dropout
            counts.data *= kept
        return counts

    def gradient(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Touched rows and their gradient."""
        options = self.options
        counts = self.batch(chosen)
        index, columns = np.unique(counts.indices, return_inverse=True)
        shape = (counts.shape[0], len(index))
        counts = sparse.csr_matrix((counts.data, columns, counts.indptr), shape=shape)
        sums = counts @ self.adam.rows[index]
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        student = sums / lengths
        gradient = np.zeros_like(student)
        n = len(chosen)
        m = (counts.shape[0] - n) // 2
        target = self.data.targets[chosen]
        gradient[:n] = -target / n
        gradient[:n] += options.similarity * similarity_gradient(student[:n], target, options.tau)
        left, right = contrast_gradient(student[n : n + m], student[n + m :], options.heat)
        gradient[n : n + m] = options.contrast * left
        gradient[n + m :] = options.contrast * right
        gradient -= (gradient * student).sum(axis=1, keepdims=True) * student
        return index, counts.T @ (gradient / lengths)

    def run(self, evaluate: Callable[[np.ndarray], str]) -> np.ndarray:
        options, size = self.options, len(self.data.targets)
        steps = size // options.batch * options.epochs
        step, begin = 0, time.monotonic()
        for epoch in range(options.epochs):
            order = self.rng.permutation(size)
            for start in range(0, size - options.batch + 1, options.batch):
                index, gradient = self.gradient(order[start : start + options.batch])
                self.adam.step(index, gradient, options.rate * max(0.02, 1 - step / steps))
                step += 1
            spent = time.monotonic() - begin
            print(f"epoch {epoch + 1}: {spent:.0f} s", evaluate(self.adam.rows), flush=True)
        return self.adam.rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--data", type=Path, help="folder of the evaluation files: measured, never trained on"
    )
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--tau", type=float, default=0.1)
    parser.add_argument("--similarity", type=float, default=3.0)
    parser.add_argument("--contrast", type=float, default=0.15)
    parser.add_argument("--heat", type=float, default=0.07)
    parser.add_argument("--related", type=int, default=224)
    parser.add_argument("--dropout", type=float, default=0.1)
    options = parser.parse_args()
    pieces = (options.work / "vocabulary.txt").read_text("utf-8").split("\n")[:-1]
    data = load(options.work, options.dim, pieces)
    tokens = Tokens(pieces)

    def evaluate(rows: np.ndarray) -> str:
        if options.data is None:
            return ""
        return report(options.data, lambda texts: unit(tokens.counts(texts) @ rows))

    rows = Trainer(data, options).run(evaluate)
    np.save(options.out, rows)


if __name__ == "__main__":
    main()
