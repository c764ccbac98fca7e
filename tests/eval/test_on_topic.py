"""What small memories are asked: half of it nobody told, and only the memory shows which."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from realmemory.eval import bench_on_topic
from realmemory.eval.corpora import on_topic
from realmemory.eval.subject import make_embedder

DEALT = list(on_topic.dealt())
WRITTEN = list(on_topic.written())


def test_the_same_memories_are_dealt_each_time():
    assert list(on_topic.dealt()) == DEALT


@pytest.mark.parametrize("store", [*DEALT, *WRITTEN], ids=lambda store: store.key)
def test_questions_and_notes_are_filled_and_told_apart(store):
    assert len(set(store.notes)) == len(store.notes)
    for ask in store.questions:
        assert not re.search(r"[{}]", ask.text + "".join(store.notes))
        assert (ask.answered_by is not None) == (ask.sort == on_topic.HELD)
        assert ask.answered_by is None or 0 <= ask.answered_by < len(store.notes)


def test_every_matter_is_asked_both_where_it_is_told_and_where_it_is_not():
    sorts = {}
    for store in DEALT:
        for ask in store.questions:
            sorts.setdefault(ask.matter, set()).add(ask.sort)
    assert all({on_topic.HELD, on_topic.MISSING} <= found for found in sorts.values())
    assert Counter(store.lang for store in DEALT) == {"en": 30, "ru": 30, "de": 30}


def test_about_half_of_what_is_asked_has_an_answer():
    for stores in (DEALT, WRITTEN):
        held = [ask.answered_by is not None for store in stores for ask in store.questions]
        assert 0.35 <= sum(held) / len(held) <= 0.5


def test_the_report_tells_both_sides_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(on_topic, "dealt", lambda: iter(DEALT[:2]))
    monkeypatch.setattr(on_topic, "written", lambda: iter(WRITTEN[-1:]))
    report = bench_on_topic.run(make_embedder("hashing"), path=tmp_path / "store")
    part = report.details["honesty"]["written, de"]
    assert part["n"] == 24
    assert 0.0 <= part["mean"]["in_vain"] <= part["mean"]["held"] <= 1.0
    assert part["risk"]["0.25"] <= part["risk"]["0.75"]
