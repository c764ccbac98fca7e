"""The baselines rank as their definitions say."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from realmemory.eval.controls import Bm25Control, RecencyControl, words
from realmemory.eval.corpora import engmem
from realmemory.eval.corpora.synthetic import sweep

texts = st.lists(st.text("ab cd", max_size=12), min_size=1, max_size=12)


def bm25_by_definition(collection, query):
    tokens = [words(text) for text in collection]
    mean = sum(map(len, tokens)) / len(tokens)
    scores = []
    for document in tokens:
        score = 0.0
        for word in set(words(query)):
            n = sum(word in other for other in tokens)
            count = document.count(word)
            idf = math.log(1 + (len(tokens) - n + 0.5) / (n + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * len(document) / mean) if mean else 1.2
            score += idf * count * 2.2 / (count + norm)
        scores.append(score)
    return scores


@given(texts, st.text("ab cd", max_size=8))
def test_bm25_orders_by_its_formula(collection, query):
    keys = [str(i) for i in range(len(collection))]
    ranking = Bm25Control(keys, collection).rank(query, len(keys))
    scores = bm25_by_definition(collection, query)
    assert {int(key) for key in ranking} == {i for i, score in enumerate(scores) if score > 0}
    ranked = [scores[int(key)] for key in ranking]
    assert all(a >= b or math.isclose(a, b) for a, b in itertools.pairwise(ranked))


def test_recency_returns_the_newest_first():
    control = RecencyControl(["a", "b", "c"], [1.0, 3.0, 2.0])
    assert control.rank("anything", 2) == ("b", "c")


def test_sweep_is_deterministic_and_its_objects_are_unique():
    data = sweep(500, 50)
    assert data == sweep(500, 50)
    objects = [text.split()[1] for text in data.facts]
    assert len(set(objects)) == 500
    for query, fact in data.queries:
        assert objects[fact] in query.split()
        assert set(query.split()) <= set(data.facts[fact].split())
    known = {word for text in data.facts for word in text.split()}
    assert all(known.isdisjoint(text.split()) for text in data.noise)


def test_engmem_replaces_each_convention_once():
    log = engmem.generate(1000)
    assert log == engmem.generate(1000)
    assert len(log.entries) == 1000
    assert [e.when for e in log.entries] == sorted(e.when for e in log.entries)
    assert all(log.start <= entry.when <= log.now for entry in log.entries)
    for area in engmem.AREAS:
        old, current = [entry for entry in log.entries if entry.area == area.name]
        assert (old.current, current.current) == (False, True)
        assert (old.text, current.text) == (area.old, area.current)
    texts_of_log = [entry.text for entry in log.entries]
    assert len(set(texts_of_log)) == len(texts_of_log)
