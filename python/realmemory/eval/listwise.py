"""Listwise softmax regression: weights that put the right items of many lists first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_RIDGE = 1.0
_STEPS = 60
_ENOUGH = 1e-6
_HALVINGS = 20


def fit(
    lists: Sequence[Array], relevant: Sequence[NDArray[np.bool_]], counts: Sequence[float]
) -> Array:
    """Return the weights under which a softmax over each list finds its relevant items.

    Minimises ``sum count x (log sum exp(x . w) - mean over relevant of x . w) + ridge |w|^2 / 2``
    by damped Newton steps; the loss is convex.

    Args:
        lists: One matrix a question, shape (items, features).
        relevant: Which items are right, at least one of each list.
        counts: What each question counts.
    """
    table = np.concatenate(lists)
    starts = np.cumsum([0, *(len(part) for part in lists)])[:-1]
    owner = np.repeat(np.arange(len(lists)), [len(part) for part in lists])
    right = np.array([part[mask].mean(axis=0) for part, mask in zip(lists, relevant, strict=True)])
    weight = np.asarray(counts, dtype=np.float64)

    def value(w: Array) -> tuple[float, Array]:
        scores = table @ w
        top = np.maximum.reduceat(scores, starts)
        parts = np.exp(scores - top[owner])
        sums = np.add.reduceat(parts, starts)
        loss = weight @ (np.log(sums) + top - right @ w) + _RIDGE * (w @ w) / 2.0
        return float(loss), parts / sums[owner]

    w = np.zeros(table.shape[1])
    loss, chance = value(w)
    for _ in range(_STEPS):
        expected = np.add.reduceat(table * chance[:, None], starts)
        gradient = _RIDGE * w + weight @ (expected - right)
        spread = table.T @ (table * (chance * weight[owner])[:, None])
        curvature = spread - (expected * weight[:, None]).T @ expected + _RIDGE * np.eye(len(w))
        step = np.linalg.solve(curvature, gradient)
        for _ in range(_HALVINGS):
            lower, changed = value(w - step)
            if lower <= loss:
                break
            step = step / 2.0
        w = w - step
        if loss - lower < _ENOUGH:
            break
        loss, chance = lower, changed
    return w
