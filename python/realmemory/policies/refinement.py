"""Refinement: what a memory's own feedback says about the confidence of its hits.

The profile of an embedder was fitted on general data. Judged hits of one memory move its odds by
two numbers (Platt scaling): ``odds' = factor * odds ** scale``. The order of hits and the decision
to abstain stay those of the profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.late import late_module
from realmemory.policies import logistic
from realmemory.policies.odds import log_odds, probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.config import MemoryConfig

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

NEEDED = 40
"""Judged hits below which nothing is fitted."""
NEEDED_OF_EACH = 8
"""Judged hits that helped, and that did not, below which nothing is fitted."""
_PRIOR = 4.0
"""Weight of the profile as it is: feedback of a few dozen hits moves it gently."""
_SCALES = (0.25, 4.0)
_FACTORS = (1 / 16, 16.0)
_STEPS = 30
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Refinement:
    """``factor`` and ``scale`` of the odds; 1 and 1 change nothing."""

    scale: float = 1.0
    factor: float = 1.0

    @classmethod
    def of(cls, config: MemoryConfig) -> Refinement:
        """Return the refinement that is in force."""
        return cls(config.confidence_scale, config.confidence_factor)

    @property
    def is_identity(self) -> bool:
        """Whether nothing changes."""
        return self.scale == self.factor == 1.0

    def refined(self, confidence: float) -> float:
        """Return what a confidence of the profile means in this memory."""
        if self.is_identity or not 0.0 < confidence < 1.0:
            return confidence
        return probability(
            math.log(self.factor) + self.scale * log_odds(confidence, least=logistic.SURE)
        )

    def raw(self, refined: float) -> float:
        """Return the confidence of the profile behind a refined one."""
        if self.is_identity or not 0.0 < refined < 1.0:
            return refined
        return probability(
            (log_odds(refined, least=logistic.SURE) - math.log(self.factor)) / self.scale
        )


@dataclass(frozen=True, slots=True)
class Fit:
    """A refinement with its evidence: log loss and calibration error on hits it did not see."""

    refinement: Refinement
    loss_before: float
    loss_after: float
    error_before: float
    error_after: float

    @property
    def helps(self) -> bool:
        """Whether hits that were held out are described better than before."""
        return self.loss_after < self.loss_before


def fit(raw: Sequence[float], helped: Sequence[bool], before: Refinement) -> Fit | None:
    """Return the refinement that judged hits suggest, or ``None`` when there are too few.

    Args:
        raw: Confidences of the profile, one a judged hit, oldest first.
        helped: Whether each hit helped.
        before: The refinement in force, to compare with.
    """
    logits = logistic.logits(np.asarray(raw, dtype=np.float64))
    labels = np.asarray(helped, dtype=np.float64)
    positive = int(labels.sum())
    if len(labels) < NEEDED or min(positive, len(labels) - positive) < NEEDED_OF_EACH:
        return None
    held_out = np.empty(len(labels))
    for fold in range(_FOLDS):
        own = np.arange(len(labels)) % _FOLDS == fold
        held_out[own] = _applied(_fitted(logits[~own], labels[~own]), logits[own])
    now = _applied(before, logits)
    return Fit(
        refinement=_fitted(logits, labels),
        loss_before=_loss(now, labels),
        loss_after=_loss(held_out, labels),
        error_before=calibration_error(now, labels),
        error_after=calibration_error(held_out, labels),
    )


def calibration_error(chances: Array, labels: Array) -> float:
    """Return the mean distance between stated and observed frequency, over ten bins."""
    bins = np.minimum((chances * 10).astype(np.int64), 9)
    gaps = [
        abs(chances[bins == number].sum() - labels[bins == number].sum()) for number in range(10)
    ]
    return float(sum(gaps)) / max(1, len(labels))


def _fitted(logits: Array, labels: Array) -> Refinement:
    """Minimise log loss plus a ridge towards the identity, by Newton's method."""
    design = np.column_stack([logits, np.ones(len(logits))])
    identity = np.array([1.0, 0.0])
    weights = identity.copy()
    for _ in range(_STEPS):
        chance = logistic.chances(design @ weights)
        gradient = design.T @ (chance - labels) + _PRIOR * (weights - identity)
        curvature = (design * (chance * (1.0 - chance))[:, None]).T @ design + _PRIOR * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    scale = float(np.clip(weights[0], *_SCALES))
    factor = float(np.clip(np.exp(weights[1]), *_FACTORS))
    return Refinement(round(scale, 4), round(factor, 4))


def _applied(refinement: Refinement, logits: Array) -> Array:
    return logistic.chances(math.log(refinement.factor) + refinement.scale * logits)


def _loss(chances: Array, labels: Array) -> float:
    sure = logistic.bounded(chances)
    return float(-(labels * np.log(sure) + (1.0 - labels) * np.log(1.0 - sure)).mean())
