"""What a reading is worth is found on questions whose right answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from encoding.tiny_reranker import build
from realmemory import Hippocampus
from realmemory.eval.calibrate_reranker import WEIGHTS, Read, judged, read_of


def reads(deviations_of_right, count=60):
    """Questions with eight texts, where chance alone put the right one somewhere."""
    chance = np.random.default_rng(3)
    for number in range(count):
        deviations = chance.normal(size=8)
        right = np.zeros(8, dtype=bool)
        right[chance.integers(8)] = True
        deviations[right] += deviations_of_right
        yield Read(chance.normal(size=8), deviations, right, f"q{number}")


def test_a_reading_that_knows_more_gets_a_large_weight_and_lifts_the_rank():
    result = judged(list(reads(4.0)))
    assert result["best"] >= 1.0
    assert result["held_out"] > result["without"] + 0.2


def test_a_reading_that_misleads_gets_no_weight():
    result = judged(list(reads(-4.0)))
    assert result["best"] == 0.0
    assert result["held_out"] == result["without"] == result["mrr_by_weight"][str(WEIGHTS[0])]


def test_the_order_without_and_with_the_reading_is_read_from_an_explanation(
    folder, clock, tmp_path
):
    likes = build(tmp_path / "likes", {"museum": 5.0})
    texts = [f"The grey boat {at} is at pier {at}." for at in range(4)]
    with Hippocampus.open(folder, clock=clock) as memory:
        for text in [*texts, "The grey boat was sold to a museum."]:
            memory.remember(text, force_new=True)
        plain = memory.recall("Where is the grey boat?", explain=True).explanation["candidates"]
    with Hippocampus.open(folder, clock=clock, reranker=f"local:{likes}") as memory:
        rows = memory.recall("Where is the grey boat?", explain=True).explanation["candidates"]
    read = read_of(rows, [row["id"] == 5 for row in rows], "q")
    before = np.array([row["score"] for row in plain])
    assert read.before == pytest.approx(np.log(before / (1 - before)))
    assert read.reciprocal_rank(0.0) < read.reciprocal_rank(2.0) == 1.0
    assert read_of(rows, [False] * len(rows), "q") is None
