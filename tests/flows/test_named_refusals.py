"""A refusal names what cannot be used: which item, which turn, which part, which argument."""

from __future__ import annotations

import numpy as np
import pytest

from realmemory import ConfigurationError, Hippocampus, InvalidInputError, WriteRequest
from realmemory.errors import StoreReadOnlyError
from realmemory.flows.reembed import reembed


def test_one_of_many_texts_is_named_by_its_place(memory):
    for texts in (["ok", ""], ["ok", 5], ["ok", WriteRequest(text="fine", importance=7.0)]):
        with pytest.raises(InvalidInputError, match="item 1"):
            memory.remember_many(texts)
    assert memory.list() == []


def test_a_text_alone_has_no_place(memory):
    with pytest.raises(InvalidInputError) as caught:
        memory.remember("")
    assert "item" not in str(caught.value)


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ({"text": "x" * 70_000}, "text_too_large"),
        ({"text": " "}, "empty_text"),
        ({"text": "Hello", "observed_at": "soon"}, "invalid_timestamp"),
        ({"text": "Hello", "speaker": 5}, "invalid_turn"),
    ],
)
@pytest.mark.parametrize("argument", ["turns", "preceding"])
def test_one_of_many_turns_is_named_by_its_place(memory, argument, turn, code):
    given = {"turns": [{"text": "Good morning"}], argument: [{"text": "Fine"}, turn]}
    with pytest.raises(InvalidInputError) as caught:
        memory.store_conversation(**given)
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{argument}[1]: ")
    assert memory.list(kind="turn") == []


def test_what_cannot_be_told_of_progress_is_refused_before_anything_is_stored(memory):
    for call in (
        lambda: memory.store_conversation([{"text": "Hello"}], progress=5),
        lambda: reembed(memory.context, progress=5),
    ):
        with pytest.raises(InvalidInputError) as caught:
            call()
        assert caught.value.code == "invalid_progress"
    assert memory.list(kind="turn") == []


def test_a_page_without_length_is_told_of_its_limit(memory):
    with pytest.raises(InvalidInputError, match="limit must be a whole number"):
        memory.list(limit=0)


def test_a_namespace_is_called_a_namespace(tmp_path):
    with pytest.raises(InvalidInputError, match="a namespace is") as caught:
        Hippocampus.open(tmp_path, namespace="../elsewhere")
    assert caught.value.code == "invalid_namespace"
    assert "scope" not in str(caught.value)


def test_an_embedder_is_told_what_it_lacks(tmp_path):
    class Half:
        dim = 4
        name = "half"

        def embed(self, texts):
            return np.ones((len(texts), 4))

    with pytest.raises(ConfigurationError, match="lacks embed_queries, profile"):
        Hippocampus.open(tmp_path, embedder=Half())


def test_who_opened_a_memory_for_reading_is_told_so(tmp_path):
    with Hippocampus.open(tmp_path) as memory:
        memory.remember("The kettle is in the pantry")
    with Hippocampus.open(tmp_path, read_only=True) as memory:
        with pytest.raises(StoreReadOnlyError, match="was opened read-only"):
            memory.remember("The ladder is in the shed")
        assert memory.recall("where is the kettle?").items
