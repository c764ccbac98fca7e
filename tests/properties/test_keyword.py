"""The keyword index equals exhaustive bm25 in plain Python."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from realmemory import _native
from realmemory.core import text
from realmemory.core.reference import keyword as twin

WORDS = ["deploy", "key", "rotates", "Straße", "ERR-4042", "база", "東京", "the", "userName"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
CHANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2), TEXTS), max_size=40)


def make_row(scope, document):
    words = _native.count_words(document)
    return twin.Row(scope=scope, terms=Counter(text.analyze(document)), words=words)


@given(CHANGES, st.sets(st.integers(0, 30)), TEXTS, st.sampled_from([None, [0], [0, 2]]))
def test_equals_its_twin(changes, removed, query, scopes):
    index = _native.KeywordIndex()
    rows = {}
    for slot, scope, document in changes:
        index.upsert([slot], [scope], [document])
        rows[slot] = make_row(scope, document)
    index.remove(sorted(removed))
    rows = {slot: row for slot, row in rows.items() if slot not in removed}
    visible = {slot: row for slot, row in rows.items() if scopes is None or row.scope in scopes}
    assert len(index) == len(rows)

    forms = text.query_forms(query)
    expected = {
        slot: twin.score(forms, row, list(visible.values())) for slot, row in visible.items()
    }
    slots, scores = index.search(query, 5, scopes)
    found = np.frombuffer(slots, "<u4").tolist()
    values = np.frombuffer(scores, "<f4").reshape(-1, 3)
    for slot, value in zip(found, values, strict=True):
        np.testing.assert_allclose(value, expected[slot], rtol=1e-6)
    matching = sorted((score[0] for score in expected.values() if score[2]), reverse=True)
    np.testing.assert_allclose(values[:, 0], matching[:5], rtol=1e-6)
    assert found == sorted(found, key=lambda slot: (-values[found.index(slot), 0], slot))
