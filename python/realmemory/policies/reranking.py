"""How the reading of a re-ranker changes the order of the best candidates.

A cross-encoder's logits have a scale of their own, so they count in deviations from the mean of
the candidates that it read, added to the log-odds of their scores. Candidates that were not read
stay behind those that were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.late import late_module
from realmemory.policies import logistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

POOL = 24
"""Most candidates that are read; the cost of a recall grows with each."""
_MOST = 3.0
_LEAST_SPREAD = 1e-6


def shifts(given: Array, weight: float) -> Array:
    """Return what each reading adds to the log-odds of a score; they sum to about zero.

    Args:
        given: What the re-ranker says of each text, on its own scale.
        weight: Log-odds for one deviation.
    """
    spread = float(given.std())
    if spread < _LEAST_SPREAD:
        return np.zeros(len(given))
    return np.asarray(weight * np.clip((given - given.mean()) / spread, -_MOST, _MOST))


def shifted(scores: Array, added: Array) -> Array:
    """Return scores, each in (0, 1), with ``added`` on their log-odds."""
    return logistic.chances(logistic.logits(scores) + added)
