"""An embedder that misbehaves harms nothing."""

from __future__ import annotations

import numpy as np
import pytest

from realmemory import EmbeddingError, Hippocampus


class Stubborn:
    """Behaves until told what to return instead."""

    dim = 8
    name = "stubborn"
    profile = None

    def __init__(self):
        self.answer = None

    def embed(self, texts):
        if callable(self.answer):
            return self.answer(texts)
        rows = np.zeros((len(texts), 8), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[len(text) % 8] = 3.0
        return rows

    embed_queries = embed


def raising(texts):
    raise ConnectionError("gone away")


MISBEHAVIOURS = {
    "raises": (raising, "embedding_failed"),
    "returns nothing": (lambda texts: None, None),
    "returns NaN": (lambda texts: np.full((len(texts), 8), np.nan), "invalid_vector"),
    "returns what no float of 32 bits holds": (
        lambda texts: np.full((len(texts), 8), 1e39),
        "invalid_vector",
    ),
    "returns infinity": (lambda texts: np.full((len(texts), 8), np.inf), "invalid_vector"),
    "returns another dimension": (lambda texts: np.ones((len(texts), 7)), "dim_mismatch"),
    "returns too few": (lambda texts: np.ones((len(texts) - 1, 8)), "dim_mismatch"),
    "returns words": (lambda texts: [["x"] * 8 for _ in texts], "embedding_failed"),
}


@pytest.mark.parametrize("what", MISBEHAVIOURS)
def test_a_failing_embedder_stores_nothing_and_leaves_the_memory_usable(tmp_path, what):
    embedder = Stubborn()
    with Hippocampus.open(tmp_path / "m", embedder=embedder) as memory:
        kept = memory.remember("The first fact is fine")
        embedder.answer, code = MISBEHAVIOURS[what]

        for call in (
            lambda: memory.remember("The second fact meets a broken embedder"),
            lambda: memory.remember_many(["One more", "And another"]),
            lambda: memory.store_conversation([{"text": "Hello"}]),
        ):
            with pytest.raises(EmbeddingError) as caught:
                call()
            assert code is None or caught.value.code == code

        packet = memory.recall("which fact was the first that is fine?")
        assert [item.memory_id for item in packet.items] == [kept.memory_id]
        assert packet.degraded.startswith("matched by words only: the embedder 'stubborn'")
        assert memory.recall("the weather in Lisbon").degraded

        embedder.answer = None
        assert memory.recall("first fact fine").degraded is None
        assert [trace.id for trace in memory.list()] == [kept.memory_id]
        assert memory.recall("first fact fine").items[0].memory_id == kept.memory_id


def test_rows_of_any_length_are_scaled(tmp_path):
    embedder = Stubborn()
    embedder.answer = lambda texts: np.full((len(texts), 8), 1e20)
    with Hippocampus.open(tmp_path / "m", embedder=embedder) as memory:
        memory.remember("A fact with a very long vector")
        (hit,) = memory.recall("very long vector").items

    assert hit.cosine == pytest.approx(1.0, abs=1e-6)
