"""Probabilities and their log-odds, for single values and without numpy."""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LEAST = 1e-12
_FARTHEST = 700.0
"""Log-odds beyond which the exponential overflows."""


def log_odds(probability: float, *, least: float = _LEAST) -> float:
    """Return ``ln(p / (1 - p))``; nothing is surer than ``least`` allows, either way."""
    sure = min(max(probability, least), 1.0 - least)
    return math.log(sure / (1.0 - sure))


def all_log_odds(probabilities: Iterable[float]) -> list[float]:
    """Return :func:`log_odds` of each value; a call for each would cost more than the logarithm."""
    log, most = math.log, 1.0 - _LEAST
    return [
        log(value / (1.0 - value)) if _LEAST <= value <= most else log_odds(value)
        for value in probabilities
    ]


def probability(log_odds: float) -> float:
    """Return the probability behind log-odds."""
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -_FARTHEST), _FARTHEST)))


def probabilities(all_log_odds: Iterable[float]) -> list[float]:
    """Return :func:`probability` of each value."""
    exp = math.exp
    return [
        1.0 / (1.0 + exp(-value)) if -_FARTHEST <= value <= _FARTHEST else probability(value)
        for value in all_log_odds
    ]
