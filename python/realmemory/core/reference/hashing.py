"""Twin of the hashing embedder: places, signs and norms; the features come from the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_MASK = (1 << 64) - 1
_KIND_STEP = 0x9E3779B97F4A7C15


def feature_hash(seed: int, kind: int, key: int) -> int:
    """Return the 64 bits that place a feature: the finaliser of SplitMix64."""
    mixed = ((seed + kind * _KIND_STEP) & _MASK) ^ key
    mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
    return mixed ^ mixed >> 31


def encode(
    features: Iterable[tuple[int, int, float]], *, dim: int, seed: int
) -> NDArray[np.float32]:
    """Return the unit row of one text's (kind, key, weight) features, or zeros."""
    sums = np.zeros(dim, dtype=np.float64)
    for kind, key, weight in features:
        placed = feature_hash(seed, kind, key)
        sums[placed % dim] += -weight if placed >> 63 else weight
    # The sums are whole numbers, so no order of adding their squares rounds.
    norm = float(np.sqrt(np.sum(sums * sums)))
    return (sums / (norm or 1.0)).astype(np.float32)
