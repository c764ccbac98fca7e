"""The local sentence model, on real weights."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from realmemory import ConfigurationError, EmbedderMismatchError, Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.local import LocalEmbedder


@pytest.fixture(scope="module")
def bge(bge_folder):
    return LocalEmbedder("bge-small-en-v1.5", folder=bge_folder, pooling="cls", threads=1)


def test_vectors_are_unit_length_and_meaning_beats_words(bge):
    texts = ["The cat sleeps on the sofa", "A kitten naps on the couch", "Stock prices fell"]
    vectors = bge.embed(texts)

    assert vectors.shape == (3, bge.dim)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


def test_vectors_equal_a_hand_run_of_the_model(bge, bge_folder):
    """CLS pooling, the query instruction and normalisation, against onnxruntime itself."""
    session = onnxruntime.InferenceSession(str(bge_folder / "model.onnx"))
    encoding = Tokenizer.from_file(str(bge_folder / "tokenizer.json")).encode(
        "Represent this sentence for searching relevant passages: who owns billing?"
    )
    names = {item.name for item in session.get_inputs()}
    columns = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    feed = {name: np.array([column], np.int64) for name, column in columns.items() if name in names}
    expected = session.run(None, feed)[0][0, 0]
    expected /= np.linalg.norm(expected)

    assert bge.embed_queries(["who owns billing?"])[0] @ expected > 0.999


def test_a_memory_with_the_local_model_recalls_by_meaning(bge, tmp_path):
    with Hippocampus.open(tmp_path / "m", embedder=bge) as memory:
        memory.remember("The kitten naps on the couch every afternoon")
        memory.remember("Quarterly revenue is reported in euros")
        packet = memory.recall("where does the young cat sleep?")

    assert packet.items[0].text.startswith("The kitten")


def test_another_embedder_is_refused_with_the_remedy(bge, tmp_path):
    with Hippocampus.open(tmp_path / "m", embedder=bge) as memory:
        memory.remember("A fact")
    with pytest.raises(EmbedderMismatchError, match="re-embed"):
        Hippocampus.open(tmp_path / "m", embedder=HashingEmbedder(256))


def test_an_incomplete_folder_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigurationError, match="tokenizer"):
        LocalEmbedder("x", folder=tmp_path)


def test_an_unknown_model_name_is_refused():
    with pytest.raises(ConfigurationError, match="no-such-model"):
        LocalEmbedder("no-such-model")
