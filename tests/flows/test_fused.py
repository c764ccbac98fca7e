"""What the stages of a recall noted of a candidate stays with it when others join the candidates."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from realmemory.flows.fuse import Fused
from realmemory.policies.subject.strangers import Stranger


@given(st.lists(st.booleans(), min_size=2, max_size=12).filter(any))
def test_what_is_known_of_a_candidate_moves_with_it(present):
    places = [at for at, is_present in enumerate(present) if is_present]
    own = range(len(places))
    before = Fused(
        array("d", [0.1 + at for at in own]),
        array("d", [1.0 + at for at in own]),
        best=list(own),
        copies=dict.fromkeys(own, 0),
        stood={at: 2.0 + at for at in own},
        strangers={at: Stranger(3.0 + at, "another") for at in own},
    )
    after = before.among(array("d", [0.5] * len(present)), places)
    assert list(after.best) == places
    for at, place in enumerate(places):
        assert after.confidences[place] == before.confidences[at]
        assert after.scores[place] == before.scores[at]
        assert after.copies[place] == places[0]
        assert after.stood[place] == before.stood[at]
        assert after.strangers[place] == before.strangers[at]
    assert all(after.scores[at] == 0.0 for at in set(range(len(present))).difference(places))
