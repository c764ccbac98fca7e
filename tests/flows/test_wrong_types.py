"""Arguments of a wrong type are refused as bad input, before anything is read or written."""

from __future__ import annotations

import pytest

from realmemory import ConfigurationError, Hippocampus, InvalidInputError


@pytest.mark.parametrize("ids", [b"1", "1", 1.5, None, [b"1"]])
def test_what_is_no_id_forgets_nothing(memory, ids):
    # Bytes iterate as numbers: one of them names a memory.
    memory.remember_many(f"Valve {number} opens at {number * 13} bar" for number in range(60))
    with pytest.raises(InvalidInputError):
        memory.forget(ids)
    assert memory.stats()["memories_active"] == 60


@pytest.mark.parametrize("requests", ["abc", b"abc", None, [None], [5], [{"text": "x"}]])
def test_what_is_no_list_of_texts_stores_nothing(memory, requests):
    with pytest.raises(InvalidInputError):
        memory.remember_many(requests)
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize(
    "given",
    [
        {"path": None},
        {"path": 3},
        {"path": b"m"},
        {"path": ""},
        {"path": "a\0b"},
        {"path": "a\ud800"},
        {"embedder": 5},
        {"config": {}},
        {"clock": 5},
        {"author": 5},
        {"author": "\ud800"},
    ],
    ids=repr,
)
def test_what_cannot_be_opened_makes_nothing(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((InvalidInputError, ConfigurationError)):
        Hippocampus.open(**{"path": tmp_path / "m", **given})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "given", [{"tags": [""]}, {"tags": [" "]}, {"tags": None}, {"tags": ["\ud800"]}, {"tags": [5]}]
)
def test_what_is_no_tag_stores_nothing(memory, given):
    with pytest.raises(InvalidInputError):
        memory.remember("Valve 7 opens at 13 bar", **given)
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize("session_id", ["\ud800", "", 5, "x" * 1001])
def test_what_is_no_session_stores_nothing(memory, session_id):
    with pytest.raises(InvalidInputError):
        memory.remember("Valve 7 opens at 13 bar", session_id=session_id)
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize("who", [{"speaker": "\ud800"}, {"role": "\ud800"}, {"speaker": 5}])
def test_what_is_no_speaker_stores_no_turn(memory, who):
    with pytest.raises(InvalidInputError):
        memory.store_conversation([{"text": "Good morning"}, {"text": "Hello", **who}])
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize("meta", [{"n": 2**64}, {1: 2, "1": 3}, [], [("a", 1)]], ids=repr)
def test_metadata_that_no_import_would_take_is_refused(memory, meta):
    with pytest.raises(InvalidInputError) as refused:
        memory.remember("Gamma is in the cellar", meta=meta)
    assert refused.value.code == "invalid_meta"
    assert memory.list() == []
