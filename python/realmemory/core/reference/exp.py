"""Twin of the engine's exponential: the same operations in the same order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOG2_E = 1.4426950408889634
_LN2_HI = 6.931471803691238e-1
_LN2_LO = 1.9082149292705877e-10
_UNDERFLOW = -708.0
_TAYLOR = [1.0 / math.factorial(power) for power in range(13, -1, -1)]


def exp_nonpositive(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``e**x`` for ``x <= 0``, zero at and below -708, bit for bit as the engine does."""
    used = np.where(x > _UNDERFLOW, x, 0.0)
    n = np.floor(used * _LOG2_E + 0.5)
    r = (used - n * _LN2_HI) - n * _LN2_LO
    total = np.full_like(used, _TAYLOR[0])
    for coefficient in _TAYLOR[1:]:
        total = total * r + coefficient
    return np.where(x > _UNDERFLOW, np.ldexp(total, n.astype(np.int64)), 0.0)
