"""Arguments of a wrong type are refused as bad input, before anything is read or written."""

from __future__ import annotations

import pytest

from realmemory import ConfigurationError, Hippocampus, InvalidInputError
from realmemory.flows import lookup


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


@pytest.mark.parametrize(
    "turns",
    [None, 5, "abc", b"abc", {"text": "x"}, [None], [5], [{"text": ["a"]}], [{"text": "x", 5: 6}]],
    ids=repr,
)
@pytest.mark.parametrize("name", ["turns", "preceding"])
def test_what_is_no_list_of_turns_stores_nothing(memory, turns, name):
    given = {"turns": [{"text": "Good morning"}], name: turns}
    with pytest.raises(InvalidInputError, match="nothing was stored"):
        memory.store_conversation(**given)
    assert memory.stats()["memories_active"] == 0


def test_a_turn_of_parts_is_named_by_its_place(memory):
    parts = [{"type": "text", "text": "Hello"}]
    with pytest.raises(InvalidInputError, match=r"turns\[1\].*Join the texts"):
        memory.store_conversation([{"text": "Good morning"}, {"role": "user", "content": parts}])
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize(
    "given",
    [{"first_turn": at} for at in ("3", 1.5, -1, 2**70, True)]
    + [{"context_turns": width} for width in ("1", 1.5, True, 9)],
    ids=repr,
)
def test_what_is_no_place_in_a_session_stores_no_turn(memory, given):
    with pytest.raises(InvalidInputError):
        memory.store_conversation([{"text": "Good morning"}], **given)
    assert memory.stats()["memories_active"] == 0


@pytest.mark.parametrize("wanted", [(5,), ("nope",), "active", 5], ids=repr)
def test_what_is_no_list_of_statuses_or_kinds_finds_an_error(memory, wanted):
    memory.remember("Valve 7 opens at 13 bar")
    with pytest.raises(InvalidInputError):
        list(lookup.filtered(memory.context, statuses=wanted))
    with pytest.raises(InvalidInputError):
        lookup.search_words(memory.context, "valve", statuses=wanted)
    with pytest.raises(InvalidInputError):
        memory.recall("valve", kinds=wanted)


def test_what_is_no_session_asks_nothing(memory):
    with pytest.raises(InvalidInputError):
        memory.recall("valve", session_id=5)
