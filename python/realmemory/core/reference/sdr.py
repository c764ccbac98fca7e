"""Twin of the sparse code: the same transforms with numpy's additions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.sdr import NO_UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MASK = (1 << 64) - 1


def signs(count: int, seed: int) -> NDArray[np.float64]:
    """Return random signs: the top bits of SplitMix64."""
    row, state = [], seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        x = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _MASK
        row.append(-1.0 if (x ^ x >> 31) >> 63 else 1.0)
    return np.array(row)


def hadamard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Walsh-Hadamard transform, not scaled."""
    half = 1
    while half < len(values):
        pairs = values.reshape(-1, 2, half)
        left, right = pairs[:, 0], pairs[:, 1]
        values = np.stack([left + right, left - right], axis=1).reshape(-1)
        half *= 2
    return values


def encode(vector: NDArray[np.float32], *, units: int, k: int, seed: int) -> list[int]:
    """Return the ascending numbers of the ``k`` strongest units; NO_UNIT for a zero vector."""
    if not vector.any():
        return [NO_UNIT] * k
    width = 1 << (len(vector) - 1).bit_length()
    blocks = -(-units // width)
    rows = signs(2 * blocks * width, seed).reshape(blocks, 2, width)
    padded = np.zeros(width)
    padded[: len(vector)] = vector
    responses = np.concatenate([hadamard(hadamard(padded * a) * b) for a, b in rows])[:units]
    strongest = sorted(range(units), key=lambda unit: (-responses[unit], unit))[:k]
    return sorted(strongest)
