"""Sparse codes and the voting index equal their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from realmemory.core.reference import sdr as sdr_twin
from realmemory.core.reference import voting as voting_twin
from realmemory.core.sdr import NO_UNIT, SdrEncoder
from realmemory.core.voting import VotingIndex

VALUES = st.floats(-1, 1, width=32) | st.just(0.0)
UNITS = st.integers(0, 11) | st.just(NO_UNIT)
CODES = st.lists(UNITS, min_size=3, max_size=3)
STEPS = st.lists(st.tuples(st.integers(0, 8), st.none() | CODES), max_size=40)


@given(st.data(), st.integers(1, 40), st.integers(1, 70), st.integers(0, 2**64 - 1))
def test_codes_equal_their_twin(data, dim, units, seed):
    k = data.draw(st.integers(1, units))
    vectors = data.draw(hnp.arrays(np.float32, (2, dim), elements=VALUES))
    codes = SdrEncoder(dim, units, k, seed).encode(vectors)
    for vector, code in zip(vectors, codes, strict=True):
        assert code.tolist() == sdr_twin.encode(vector, units=units, k=k, seed=seed)


@given(STEPS, CODES, st.integers(1, 6), st.integers(0, 10), st.booleans())
def test_votes_equal_their_twin(steps, query, cap, k, weighted):
    native, plain = VotingIndex(12, cap), voting_twin.VotingIndex(cap)
    for trace, code in steps:
        if code is None:
            assert native.remove([trace]) == (trace in plain.codes)
            plain.remove(trace)
        else:
            native.upsert([trace], np.array([code], dtype="<u4"))
            plain.upsert(trace, code)
    assert len(native) == len(plain.codes)
    found = native.query(np.array(query, dtype="<u4"), k, weighted=weighted)
    assert found == plain.query(query, k, weighted=weighted)


@given(st.lists(CODES, min_size=1, max_size=20))
def test_a_row_answers_its_own_code_with_every_vote(codes):
    index = VotingIndex(12)
    index.upsert(range(len(codes)), np.array(codes, dtype="<u4"))
    for code in codes:
        units = set(code) - {NO_UNIT}
        found = index.query(np.array(code, dtype="<u4"), 1)
        assert [votes for _, votes in found] == ([len(units)] if units else [])


def test_what_does_not_fit_is_refused():
    encoder = SdrEncoder(4, 16, 2)
    for bad in (np.full((1, 4), np.nan, np.float32), np.zeros((1, 3), np.float32)):
        with pytest.raises(ValueError, match=r"NaN|shape"):
            encoder.encode(bad)
    with pytest.raises(ValueError, match="unit 16"):
        VotingIndex(16).upsert([1], np.array([[16]], dtype="<u4"))
