"""What is left of a trace by its age, and what that counts: exponential forgetting.

The two formulas that hooks need as well; what raises and lowers the strength is in
:mod:`realmemory.policies.decay`.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Values = TypeVar("Values", float, "NDArray[np.float64]")

_VANISHED = 1e-9


def retention(base: float, last_reinforced_at: float, now: float, tau: float) -> float:
    """Return ``base * exp(-age / tau)`` in [0, 1]; a trace from the future has not aged."""
    age = max(0.0, now - last_reinforced_at)
    value = base * math.exp(-age / tau)
    return 0.0 if value < _VANISHED else min(1.0, value)


def weight(retention: Values) -> Values:
    """Return the factor by which retention scales a score of the reference design: ``0.3 + 0.7 r``."""
    return 0.3 + 0.7 * retention
