"""Arguments of a wrong type are refused as bad input, before anything is read or written."""

from __future__ import annotations

import pytest

from realmemory import InvalidInputError


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
