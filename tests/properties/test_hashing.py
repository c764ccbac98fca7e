"""The hashing embedder equals its twin bit for bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from realmemory import _native
from realmemory.core.hashing import HashingEncoder
from realmemory.core.reference import hashing as twin


@given(
    st.lists(st.text(max_size=60), max_size=4),
    st.integers(1, 300),
    st.integers(0, 2**64 - 1),
)
def test_equals_its_twin(texts, dim, seed):
    rows = HashingEncoder(dim, seed).encode(texts)
    assert rows.shape == (len(texts), dim)
    for row, text in zip(rows, texts, strict=True):
        expected = twin.encode(_native.hashing_features(text), dim=dim, seed=seed)
        assert row.tobytes() == expected.tobytes()


@given(st.text(max_size=60))
def test_rows_have_unit_length_exactly_when_there_is_a_letter_or_digit(text):
    row = HashingEncoder(256).encode([text])[0]
    norm = float(np.linalg.norm(row))
    has_terms = bool(_native.analyze(text))
    # Two features may cancel, but never all of a text in 256 components by chance alone.
    assert abs(norm - 1.0) < 1e-5 if has_terms else norm == 0.0
