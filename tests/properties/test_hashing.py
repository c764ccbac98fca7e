"""The hashing embedder equals its twin bit for bit."""

import numpy as np
from hypothesis import example, given
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
@example("E-ðQ3")
def test_rows_have_unit_length_exactly_when_there_is_a_letter_or_digit(text):
    norms = [
        float(np.linalg.norm(HashingEncoder(256, seed).encode([text])[0])) for seed in (1, 2, 3)
    ]
    assert all(norm == 0.0 or abs(norm - 1.0) < 1e-5 for norm in norms)
    # Two features may cancel in one of 512 seeds, but hardly with three seeds in a row.
    assert (max(norms) > 0.0) == bool(_native.analyze(text))
