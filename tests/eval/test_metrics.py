"""The measures hold their definitions on arbitrary rankings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.eval import metrics

ids = st.integers(0, 20)
rankings = st.lists(ids, unique=True, max_size=20)
golds = st.frozensets(ids, max_size=6)
shares = st.floats(0, 1)
scored = st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=40)


@given(rankings, golds, st.integers(1, 20))
def test_complete_implies_recall_implies_hit(ranking, gold, k):
    hit = metrics.hit_at(ranking, gold, k)
    recall = metrics.recall_at(ranking, gold, k)
    complete = metrics.complete_at(ranking, gold, k)
    assert 0 <= complete <= recall <= hit <= 1
    assert (recall == 1) == bool(complete)
    assert (recall > 0) == bool(hit)


@given(rankings, golds, st.integers(1, 19))
def test_measures_never_fall_with_k(ranking, gold, k):
    for measure in (metrics.hit_at, metrics.recall_at, metrics.complete_at):
        assert measure(ranking, gold, k) <= measure(ranking, gold, k + 1)


@given(rankings, golds)
def test_reciprocal_rank_agrees_with_hits(ranking, gold):
    rank = metrics.reciprocal_rank(ranking, gold)
    if not rank:
        assert not gold.intersection(ranking)
    else:
        first = round(1 / rank)
        assert metrics.hit_at(ranking, gold, first) == 1
        assert metrics.hit_at(ranking, gold, first - 1) == 0


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_holds_the_proportion_and_shrinks(successes, failures):
    n = successes + failures
    low, high = metrics.wilson(successes, n)
    assert 0 <= low <= high <= 1
    if n:
        assert low - 1e-12 <= successes / n <= high + 1e-12
        wider = metrics.wilson(successes, n, z=2.5758)
        assert wider[0] <= low + 1e-12
        assert wider[1] >= high - 1e-12


def test_wilson_matches_a_published_value():
    low, high = metrics.wilson(81, 263)
    assert low == pytest.approx(0.2553, abs=1e-4)
    assert high == pytest.approx(0.3662, abs=1e-4)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(a, b):
    p = metrics.mcnemar(a, b)
    assert 0 < p <= 1
    assert p == metrics.mcnemar(b, a)
    assert (p == 1) == (abs(a - b) <= 1)


def test_mcnemar_matches_the_binomial_sum():
    assert metrics.mcnemar(1, 9) == pytest.approx(2 * (1 + 10) / 1024)


@given(scored)
def test_auroc_equals_counting_pairs(items):
    positives = [score for score, label in items if label]
    negatives = [score for score, label in items if not label]
    value = metrics.auroc([s for s, _ in items], [label for _, label in items])
    if not positives or not negatives:
        assert math.isnan(value)
        return
    wins = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    assert value == pytest.approx(wins / (len(positives) * len(negatives)))


@given(scored, st.integers(1, 12))
def test_reliability_bins_hold_everyone_once(items, bins):
    scores, labels = [s for s, _ in items], [label for _, label in items]
    rows = metrics.reliability(scores, labels, bins)
    assert sum(row.count for row in rows) == len(items)
    assert [row.confidence for row in rows] == sorted(row.confidence for row in rows)
    assert 0 <= metrics.calibration_error(rows) <= 1
    total = sum(row.accuracy * row.count for row in rows)
    assert total == pytest.approx(sum(labels))


def test_perfect_confidence_has_no_calibration_error():
    rows = metrics.reliability([0.0] * 5 + [1.0] * 5, [False] * 5 + [True] * 5, 2)
    assert metrics.calibration_error(rows) == 0


@given(scored)
def test_risk_coverage_ends_with_everything_answered(items):
    scores, labels = [s for s, _ in items], [label for _, label in items]
    points = metrics.risk_coverage(scores, labels)
    assert points[-1].coverage == 1
    assert points[-1].risk == pytest.approx(1 - sum(labels) / len(labels))
    assert [p.coverage for p in points] == sorted(p.coverage for p in points)
    assert len({p.threshold for p in points}) == len(points)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_abstention_counts(items):
    score = metrics.abstention([a for a, _ in items], [b for _, b in items])
    unanswerable = [a for a, b in items if not b]
    answerable = [a for a, b in items if b]
    if unanswerable:
        assert score.recall == sum(unanswerable) / len(unanswerable)
    if answerable:
        assert score.lost == sum(answerable) / len(answerable)
    if any(a for a, _ in items):
        assert 0 <= score.precision <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), shares)
def test_percentile_equals_numpy(values, share):
    expected = np.quantile(np.array(values), share)
    assert metrics.percentile(values, share) == pytest.approx(expected, abs=1e-6)
