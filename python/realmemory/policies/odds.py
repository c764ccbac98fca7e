"""Probabilities and their log-odds, for single values and without numpy."""

from __future__ import annotations

import math

_LEAST = 1e-12
_FARTHEST = 700.0
"""Log-odds beyond which the exponential overflows."""


def log_odds(probability: float, *, least: float = _LEAST) -> float:
    """Return ``ln(p / (1 - p))``; nothing is surer than ``least`` allows, either way."""
    sure = min(max(probability, least), 1.0 - least)
    return math.log(sure / (1.0 - sure))


def probability(log_odds: float) -> float:
    """Return the probability behind log-odds."""
    return 1.0 / (1.0 + math.exp(-min(max(log_odds, -_FARTHEST), _FARTHEST)))
