"""A cross-encoder in a folder, run by fastembed and onnxruntime; see ``tiny_reranker``."""

from __future__ import annotations

import pytest

from encoding.tiny_reranker import build
from realmemory import ConfigurationError, EmbeddingError
from realmemory.encoding.cross_encoder import CrossEncoder
from realmemory.encoding.reranker import GuardedReranker, guarded


@pytest.fixture
def likes_boats(tmp_path):
    return build(tmp_path / "likes", {"boat": 3.0, "rain": -1.5})


def test_the_first_output_of_the_model_is_the_score(likes_boats):
    encoder = CrossEncoder("likes", folder=likes_boats)
    texts = ["A boat, another boat", "Rain and a boat", "nothing", ""]
    assert encoder.scores("boat rain rain", texts) == pytest.approx([6.0, 1.5, 0.0, 0.0])
    assert encoder.scores("boat", []) == []


def test_two_folders_of_one_name_are_two_models(tmp_path):
    names = []
    for place, weight in (("one", 1.0), ("two", -1.0)):
        folder = build(tmp_path / place / "likes", {"boat": weight})
        encoder = CrossEncoder.named(str(folder))
        assert encoder.scores("q", ["boat"]) == pytest.approx([weight])
        names.append(encoder.name)
    assert names[0] != names[1]


def test_a_folder_that_lacks_a_file_is_refused(likes_boats):
    (likes_boats / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json"):
        CrossEncoder.named(str(likes_boats))


def test_a_name_that_nobody_knows_is_refused():
    with pytest.raises(ConfigurationError, match="neither a folder nor"):
        CrossEncoder.named("no/such-model")


def test_a_known_model_is_never_fetched_unless_that_was_allowed(tmp_path, monkeypatch):
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    known = "Xenova/ms-marco-MiniLM-L-6-v2"
    with pytest.raises(EmbeddingError, match="allow its download"):
        CrossEncoder.named(known).scores("q", ["text"])
    monkeypatch.setenv("REALMEMORY_OFFLINE", "1")
    with pytest.raises(EmbeddingError, match="allow its download"):
        CrossEncoder.named(known, download=True).scores("q", ["text"])
    assert list(tmp_path.rglob("*.onnx")) == []


@pytest.mark.parametrize("name", ["likes", "local:", "hub:likes", "download: "])
def test_a_name_without_a_known_form_is_refused(name):
    with pytest.raises(ConfigurationError, match="local:FOLDER"):
        guarded(name)


def test_the_empty_name_is_no_reranker():
    assert guarded("") is None


def test_what_goes_wrong_becomes_a_reason_and_is_tried_again_later(tmp_path):
    folder = tmp_path / "later"
    patient = GuardedReranker(f"local:{folder}")
    eager = GuardedReranker(f"local:{folder}", again_s=0.0)
    for reranker in (patient, eager):
        reading = reranker.read("q", ["boat"])
        assert reading.scores is None
        assert str(folder) in reading.trouble
    build(folder, {"boat": 2.0})
    assert patient.read("q", ["boat"]).scores is None
    assert eager.read("q", ["boat"]).scores == pytest.approx([2.0])


@pytest.mark.parametrize("given", [[1.0], [1.0, float("nan")], [[1.0], [2.0]], ["a", "b"]])
def test_an_answer_that_is_no_list_of_numbers_is_a_reason(given):
    class Odd:
        name = "odd"

        def scores(self, query, texts):
            return given

    reading = GuardedReranker(Odd()).read("q", ["one", "two"])
    assert reading.scores is None
    assert "'odd'" in reading.trouble
