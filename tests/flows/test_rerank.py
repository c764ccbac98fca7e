"""A re-ranker changes the order of the best hits and nothing else, and is never in the way."""

from __future__ import annotations

import numpy as np
import pytest

from encoding.tiny_reranker import build
from realmemory import ConfigurationError, Hippocampus, MemoryConfig
from realmemory.flows.examine import examine
from realmemory.policies.reranking import POOL

QUESTION = "Where is the grey boat?"
TEXTS = [f"The grey boat {number} is at pier {number}." for number in range(6)]
LIKED = "The grey boat was sold to a museum."


@pytest.fixture
def likes_museums(tmp_path):
    return build(tmp_path / "likes", {"museum": 5.0})


class Recorder:
    """Notes what it is asked to read, and likes the last text best."""

    name = "recorder"

    def __init__(self):
        self.texts = []

    def scores(self, query, texts):
        self.texts.append(list(texts))
        return [float(at) for at in range(len(texts))]


def filled(folder, clock, **options):
    memory = Hippocampus.open(folder, clock=clock, **options)
    for text in [*TEXTS, LIKED]:
        memory.remember(text, force_new=True)
    return memory


def test_what_the_model_likes_comes_first(folder, clock, likes_museums):
    with filled(folder, clock) as memory:
        plain = memory.recall(QUESTION, k=7)
    assert plain.items[0].text != LIKED
    with Hippocampus.open(folder, clock=clock, reranker=f"local:{likes_museums}") as memory:
        packet = memory.recall(QUESTION, k=7)
    assert packet.items[0].text == LIKED
    assert packet.degraded is None
    before = {item.memory_id: item.confidence for item in plain.items}
    assert {item.memory_id: item.confidence for item in packet.items} == before
    scores = [item.score for item in packet.items]
    assert scores == sorted(scores, reverse=True)


def test_the_configuration_names_it_and_the_empty_name_switches_it_off(
    folder, clock, likes_museums
):
    with filled(folder, clock) as memory:
        memory.reconfigure(reranker=f"local:{likes_museums}")
        assert memory.recall(QUESTION).items[0].text == LIKED
    with Hippocampus.open(folder, clock=clock) as memory:
        assert memory.recall(QUESTION).items[0].text == LIKED
    with Hippocampus.open(folder, clock=clock, reranker="") as memory:
        assert memory.recall(QUESTION).items[0].text != LIKED
    with Hippocampus.open(folder, clock=clock) as memory:
        memory.reconfigure(reranker="")
        assert memory.recall(QUESTION).items[0].text != LIKED


def test_a_name_without_a_known_form_is_refused_and_changes_nothing(memory):
    with pytest.raises(ConfigurationError, match="local:FOLDER"):
        memory.reconfigure(reranker="museum")
    assert memory.config.reranker == ""
    with pytest.raises(ConfigurationError):
        MemoryConfig(reranker="local:")


def test_the_explanation_adds_up_and_times_the_stage(folder, clock, likes_museums):
    with filled(folder, clock) as memory:
        plain = memory.recall(QUESTION, explain=True).explanation
    assert "rerank" not in plain["timings_ms"]
    with Hippocampus.open(folder, clock=clock, reranker=f"local:{likes_museums}") as memory:
        told = memory.recall(QUESTION, explain=True).explanation
    assert told["timings_ms"]["rerank"] > 0
    fused = {row["id"]: row["score"] for row in plain["candidates"]}
    for row in told["candidates"]:
        before, after = np.array([fused[row["id"]], row["score"]])
        odds = after / (1 - after) / (before / (1 - before))
        assert np.log(odds) == pytest.approx(row["reranker"], abs=1e-6)


def test_a_model_that_cannot_be_loaded_is_said_and_the_order_kept(folder, clock, tmp_path):
    with filled(folder, clock) as memory:
        expected = [item.memory_id for item in memory.recall(QUESTION).items]
    with Hippocampus.open(folder, clock=clock, reranker=f"local:{tmp_path / 'gone'}") as memory:
        packet = memory.recall(QUESTION)
    assert [item.memory_id for item in packet.items] == expected
    assert "ordered without the re-ranker" in packet.degraded


def test_a_model_that_breaks_on_the_way_is_said_and_the_order_kept(folder, clock, likes_museums):
    (likes_museums / "model.onnx").write_bytes(b"no model")
    with filled(folder, clock, reranker=f"local:{likes_museums}") as memory:
        packet = memory.recall(QUESTION)
    assert packet.items
    assert "ordered without the re-ranker" in packet.degraded


def test_the_doctor_says_whether_it_works(folder, clock, likes_museums):
    with Hippocampus.open(folder, clock=clock) as memory:
        assert not [item for item in examine(memory.context) if item.check == "reranker"]
    for ok in (True, False):
        with Hippocampus.open(folder, clock=clock, reranker=f"local:{likes_museums}") as memory:
            (finding,) = [item for item in examine(memory.context) if item.check == "reranker"]
        assert finding.ok is ok
        (likes_museums / "model.onnx").unlink(missing_ok=True)
    assert "config set reranker=" in finding.advice


def test_only_a_bounded_pool_is_read_and_the_rest_stays_behind(folder, clock):
    reader = Recorder()
    with Hippocampus.open(folder, clock=clock, reranker=reader) as memory:
        for number in range(POOL + 12):
            memory.remember(f"The grey boat {number} is at pier {number}.", force_new=True)
        packet = memory.recall(QUESTION, k=POOL + 12)
    (read,) = reader.texts
    assert len(read) == POOL
    texts = [item.text for item in packet.items]
    assert len(texts) > POOL
    assert set(texts[:POOL]) == set(read)
    assert texts[0] == read[-1]


def test_a_question_without_an_answer_costs_no_reading(folder, clock):
    reader = Recorder()
    with filled(folder, clock, reranker=reader) as memory:
        assert memory.recall("qwzx plugh").abstained
    assert reader.texts == []


def test_turns_are_read_with_their_context_and_long_texts_by_passage(folder, clock):
    reader = Recorder()
    filler = "The meeting went on about budgets and rooms without any end. " * 40
    with Hippocampus.open(folder, clock=clock, reranker=reader) as memory:
        memory.store_conversation(
            [
                {"speaker": "Ann", "text": "Where do you keep the grey boat?"},
                {"speaker": "Ben", "text": "In the boathouse."},
            ]
        )
        memory.remember(filler + "The grey boat lies behind the mill. " + filler)
        memory.recall(QUESTION)
    (read,) = reader.texts
    assert any("Ben" in text and "grey boat" in text and "boathouse" in text for text in read)
    (passage,) = [text for text in read if "mill" in text]
    assert len(passage) <= 400
