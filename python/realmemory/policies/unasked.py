"""When to speak unasked: the chance that a memory belongs to what the user is typing.

Nobody asked, so a wrong line costs more than a missing one. A logistic model over what the two
channels say of each candidate, fitted for precision by ``benches/agents/calibrate_prompt.py``. It
runs in hooks, before every prompt, so it is written for a few dozen rows and without numpy.
"""

from __future__ import annotations

import json
import math
import os

from realmemory.policies.odds import probability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    class Described(Protocol):
        """A candidate as ``core/quick.py`` describes it."""

        cosine: float
        bm25: float
        coverage: float
        matched: float
        alike: float


FEATURES = (
    "cosine",
    "z",
    "coverage",
    "alike",
    "bm25",
    "complete",
    "z_lead",
    "coverage_lead",
    "agreement",
    "largest_z",
    "words",
    "rows",
)
"""Names of the values of :func:`features`."""

STRONG_NATS = 16.0
"""Least evidence of words alone at which a memory is shown unasked."""
MIN_SHARE = 0.10
"""Least part of its own weight that a memory must share with the prompt."""
_COMMON = 10
"""A word that more than one of so many rows hold tells little."""
_LEAST_TOTAL = 1_000
"""A small memory says little about how common a word is: it is judged as if it were a larger one."""
_FILE = "unasked.json"
_Z_SCALE = 6.0
_BM25_SCALE = 8.0
_LEAST_DEVIATION = 0.02
_PRIOR_ROWS = 24
_PRIOR_MEAN = 0.057
_PRIOR_DEVIATION = 0.074


class UnaskedProfile:
    """A fitted model for one space.

    Args:
        weights: In the order of :data:`FEATURES`.
        bias: Log-odds of nothing.
        floor: Least chance at which a candidate is shown.
    """

    __slots__ = ("bias", "floor", "weights")

    def __init__(self, weights: Sequence[float], bias: float, floor: float) -> None:
        self.weights = weights
        self.bias = bias
        self.floor = floor

    def chances(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """Return the chance of each candidate, given its features."""
        return [
            probability(self.bias + sum(a * b for a, b in zip(self.weights, row, strict=True)))
            for row in rows
        ]


def profile_for(marker: str) -> UnaskedProfile | None:
    """Return the profile of the space that a store names, or ``None`` when none was fitted."""
    path = os.path.join(os.path.dirname(__file__), _FILE)
    with open(path, "rb") as file:
        table = json.load(file)
    for family, entry in table.items():
        if marker.startswith(family):
            weights = [entry["weights"][name] for name in FEATURES]
            return UnaskedProfile(weights, entry["bias"], entry["floor"])
    return None


def features(
    candidates: Sequence[Described], null: tuple[int, float, float], words: int, rows: int
) -> list[list[float]]:
    """Return one row for each candidate, columns as in :data:`FEATURES`.

    Args:
        candidates: At least one.
        null: Number, mean and standard deviation of the cosines of unrelated rows.
        words: Content words of the prompt.
        rows: Rows that could have been found.
    """
    mean, deviation = _unrelated(null)
    zs = [(item.cosine - mean) / deviation / _Z_SCALE for item in candidates]
    coverages = [item.coverage for item in candidates]
    # The largest of n unrelated cosines lies about sqrt(2 ln n) deviations above their mean.
    expected = math.sqrt(2.0 * math.log1p(rows)) / _Z_SCALE
    return [
        [
            item.cosine,
            z,
            item.coverage,
            item.alike - item.coverage,
            item.bm25 / (item.bm25 + _BM25_SCALE),
            1.0 if 0 < words <= item.matched else 0.0,
            z - _best_other(zs, at),
            item.coverage - _best_other(coverages, at),
            item.cosine * item.coverage,
            z - expected,
            math.log1p(words) / 4.0,
            math.log1p(rows) / 10.0,
        ]
        for at, (item, z) in enumerate(zip(candidates, zs, strict=True))
    ]


def _unrelated(null: tuple[int, float, float]) -> tuple[float, float]:
    """Return mean and deviation of unrelated cosines; a handful of rows says little about them."""
    count, mean, deviation = null
    share = min(1.0, count / _PRIOR_ROWS)
    mean = share * mean + (1.0 - share) * _PRIOR_MEAN
    return mean, max(share * deviation + (1.0 - share) * _PRIOR_DEVIATION, _LEAST_DEVIATION)


def _best_other(values: Sequence[float], at: int) -> float:
    return max((value for place, value in enumerate(values) if place != at), default=0.0)


class WordEvidence:
    """What words alone say for a memory: how rare those are that it shares with a prompt.

    ``evidence`` is their summed rarity, in nats; ``share`` the part of the memory's own weight that
    they make up; ``words`` how many they are.
    """

    __slots__ = ("evidence", "share", "words")

    def __init__(self, shared: Sequence[float], held: int, rows: int) -> None:
        """Weigh the rarities of the shared words of a text of ``held`` words among ``rows``."""
        own = held * math.log1p(max(rows, _LEAST_TOTAL)) / 2
        self.evidence = sum(shared)
        self.share = min(1.0, self.evidence / own) if own else 0.0
        self.words = len(shared)

    @property
    def strength(self) -> float:
        """What memories are ordered by."""
        return self.evidence * (0.5 + self.share)

    def exceeds(self, nats: float = STRONG_NATS, share: float = MIN_SHARE) -> bool:
        """Whether it shares much with the prompt, and enough of what it says itself."""
        enough = self.words > 1 or self.share >= 2 * share
        return enough and self.evidence >= nats and self.share >= share


def rarity(rows: int, frequency: int) -> float | None:
    """Return the weight of a word in nats, as BM25 weighs it; None if unknown or too common.

    Args:
        rows: How many there are.
        frequency: How many of them hold the word.
    """
    rows = max(rows, _LEAST_TOTAL)
    if not frequency or frequency > rows // _COMMON:
        return None
    return math.log1p((rows - frequency + 0.5) / (frequency + 0.5))
