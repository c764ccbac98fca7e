"""Probabilities and their log-odds by the column; see :mod:`realmemory.policies.odds` for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.late import late_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

SURE = 1e-6
"""Probability of being wrong below which nothing is surer."""
_FARTHEST = 40.0
"""Log-odds beyond which a probability is as good as 0 or 1, and the exponential may overflow."""


def bounded(chances: Array) -> Array:
    """Return probabilities with those that are too sure of themselves held back."""
    return np.asarray(np.clip(chances, SURE, 1.0 - SURE))


def logits(chances: Array) -> Array:
    """Return the log-odds of probabilities."""
    sure = bounded(chances)
    return np.asarray(np.log(sure / (1.0 - sure)))


def chances(logits: Array) -> Array:
    """Return the probabilities behind log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -_FARTHEST, _FARTHEST))))
