"""Listwise regression finds the weights that put the right items first."""

from __future__ import annotations

import numpy as np

from realmemory.eval import listwise


def test_the_telling_column_gets_the_weight():
    random = np.random.default_rng(5)
    lists = [random.random((12, 3)) for _ in range(60)]
    relevant = [part[:, 1] >= part[:, 1].max() for part in lists]
    weights = listwise.fit(lists, relevant, [1.0] * 60)

    found = [int(np.argmax(part @ weights)) for part in lists]
    right = [int(np.argmax(part[:, 1])) for part in lists]
    assert np.mean(np.equal(found, right)) > 0.8
    assert weights[1] > 5 * abs(weights[[0, 2]]).max()


def test_the_gradient_vanishes_at_the_solution():
    random = np.random.default_rng(6)
    lists = [random.standard_normal((9, 4)) for _ in range(20)]
    relevant = [np.arange(9) < 2 for _ in lists]
    counts = random.random(20) + 0.5
    weights = listwise.fit(lists, relevant, counts)

    gradient = weights.copy()
    for part, mask, count in zip(lists, relevant, counts, strict=True):
        chance = np.exp(part @ weights)
        gradient += count * (chance / chance.sum() @ part - part[mask].mean(axis=0))
    assert np.abs(gradient).max() < 1e-2
