"""The keyword index equals exhaustive bm25 in plain Python."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory import _native
from realmemory.core import text
from realmemory.core.reference import keyword as twin

WORDS = [
    *("deploy", "deplyo", "deployer", "deployers", "redeploy", "keys", "key", "rotates", "the"),
    *(
        "Straße",
        "ERR-4042",
        "ERR-4043",
        "база",
        "базы",
        "переезд",
        "переезжать",
        "東京",
        "userName",
    ),
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
CHANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2), TEXTS), max_size=40)


def make_row(scope, document):
    words = _native.count_words(document)
    return twin.Row(scope=scope, terms=Counter(text.analyze(document)), words=words)


def exact(query):
    return [dict.fromkeys(forms, 1.0) for forms in text.query_forms(query)]


def widened(query, vocabulary):
    words = exact(query)
    for forms in words:
        similar = twin.resembling(next(iter(forms)), vocabulary)
        forms.update({term: alike**2 for term, alike in similar.items() if term not in forms})
    return words


@given(
    CHANGES,
    st.sets(st.integers(0, 30)),
    TEXTS,
    st.sampled_from([None, [0], [0, 2]]),
    st.tuples(st.booleans(), st.integers(0, 40)),
)
def test_equals_its_twin(changes, removed, query, scopes, variant):
    fuzzy, reopened_at = variant
    index = _native.KeywordIndex()
    rows = {}
    for step, (slot, scope, document) in enumerate(changes):
        if step == reopened_at:
            index = _native.KeywordIndex.open(index.to_bytes())
        index.upsert([slot], [scope], [document])
        rows[slot] = make_row(scope, document)
    index.remove(sorted(removed))
    rows = {slot: row for slot, row in rows.items() if slot not in removed}
    visible = {slot: row for slot, row in rows.items() if scopes is None or row.scope in scopes}
    assert len(index) == len(rows)

    vocabulary = sorted({term for row in rows.values() for term in row.terms})
    words = widened(query, vocabulary) if fuzzy else exact(query)
    expected = {
        slot: twin.score(words, row, list(visible.values())) for slot, row in visible.items()
    }
    slots, scores = index.search(query, 5, scopes, fuzzy=fuzzy)
    found = np.frombuffer(slots, "<u4").tolist()
    values = np.frombuffer(scores, "<f4").reshape(-1, 3)
    for slot, value in zip(found, values, strict=True):
        np.testing.assert_allclose(value, expected[slot], rtol=1e-6)
    matching = sorted((score[0] for score in expected.values() if score[2]), reverse=True)
    np.testing.assert_allclose(values[:, 0], matching[:5], rtol=1e-6)
    assert found == sorted(found, key=lambda slot: (-values[found.index(slot), 0], slot))


def test_typing_errors_are_a_signal_of_their_own():
    index = _native.KeywordIndex()
    index.upsert([0, 1], [0, 0], ["the database migration failed", "переезжаем на новый склад"])
    for query, slot in (("databse migratoin", 0), ("переезд на склады", 1)):
        slots, scores = index.search(query, 1, fuzzy=True)
        assert np.frombuffer(slots, "<u4").tolist() == [slot]
        assert 0.4 < np.frombuffer(scores, "<f4")[1] < 1
    assert index.search("databse migratoin", 1) == (b"", b"")


@given(st.binary(max_size=300))
def test_foreign_bytes_are_refused(data):
    with pytest.raises(OSError, match="snapshot refused"):
        _native.KeywordIndex.open(data)
