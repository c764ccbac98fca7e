"""What the hash of a row covers is spelled as its twin spells it, for the files of all times."""

from hypothesis import given
from hypothesis import strategies as st

from realmemory.core import fields
from realmemory.core.reference import fields as twin

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(),
    st.text(st.characters(exclude_categories=["Cs"])),
)


@given(st.lists(VALUES))
def test_equals_its_twin(values):
    assert fields.tagged(*values) == twin.tagged(*values)
