"""Rare words lead from one text to the next, as the twin in plain Python says."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory import _native
from realmemory.core import text
from realmemory.core.memory_index import MemoryIndex
from realmemory.core.reference import keyword as twin
from realmemory.core.rows import RowAttributes, ScanFilter
from realmemory.errors import InvalidInputError

WORDS = (
    *"abcdefghijklmnop",
    "harbour",
    "harbours",
    "lighthouse",
    "the",
    "Straße",
    "гавань",
    "гавани",
)
TEXTS = st.lists(st.sampled_from([f"{w}x" if len(w) == 1 else w for w in WORDS]), max_size=14)


def filled(texts, scopes):
    index = MemoryIndex(2)
    count = len(texts)
    index.upsert(
        np.arange(count) * 2,
        np.zeros((count, 2), np.float32),
        texts,
        RowAttributes.of(
            scopes=scopes,
            kinds=np.zeros(count),
            statuses=np.zeros(count),
            flags=np.zeros(count),
            base=np.ones(count),
            last=np.zeros(count),
            valid_from=np.zeros(count),
            valid_until=np.full(count, math.inf),
            observed_at=np.zeros(count),
        ),
    )
    return index


def seen(scopes):
    return ScanFilter(now=0.0, scopes=scopes, taus=(1.0, 1.0, 1.0))


def row(scope, document):
    terms = Counter(text.analyze(document))
    return twin.Row(scope=scope, terms=terms, words=_native.count_words(document))


@given(
    st.lists(st.tuples(TEXTS, st.integers(0, 2)), min_size=1, max_size=40),
    TEXTS,
    TEXTS,
    st.sampled_from([None, (0,), (0, 2)]),
    st.integers(0, 4),
)
def test_equals_its_twin(stored, source, question, scopes, k):
    texts = [" ".join(words) for words, _ in stored]
    source, question = " ".join(source), " ".join(question)
    index = filled(texts, [scope for _, scope in stored])
    rows = {at * 2: row(scope, texts[at]) for at, (_, scope) in enumerate(stored)}
    visible = {i: r for i, r in rows.items() if scopes is None or r.scope in scopes}
    forms = {form for forms in text.query_forms(question) for form in forms}
    asked = forms | set(text.analyze(question))
    worth = twin.rare_words(set(text.analyze(source)), asked, list(visible.values()))
    expected = {i: sum(v for t, v in worth.items() if r.terms[t]) for i, r in visible.items()}

    found, again = index.bridged([source, source], question, sorted(rows), seen(scopes), k=k)
    assert list(found) == [i for i in sorted(visible) if expected[i] > 0]
    np.testing.assert_allclose(list(found.values()), [expected[i] for i in found], rtol=1e-5)
    assert all(value <= 1.0 + 1e-6 for value in found.values())
    assert again == found

    [alone] = index.bridged([source], question, [], seen(scopes), k=k)
    assert len(alone) == min(k, len(found))
    assert set(alone) <= set(found)


def test_a_word_that_many_rows_hold_leads_nowhere():
    texts = [f"everywhere lighthouse{at // 2}" for at in range(100)]
    index = filled(texts, np.zeros(100))
    [found] = index.bridged(texts[:1], "where", range(0, 200, 2), seen(None), k=5)
    assert list(found) == [0, 2]
    assert found[0] == found[2] > 0.1


def test_a_negative_number_of_rows_is_refused():
    with pytest.raises(InvalidInputError, match="not negative"):
        filled(["a"], [0]).bridged(["a"], "b", [], seen(None), k=-1)
