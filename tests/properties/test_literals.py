"""Searching for many literals equals asking for each."""

from hypothesis import example, given
from hypothesis import strategies as st

from realmemory.core.literals import Literals
from realmemory.core.reference import literals as twin

SYLLABLES = st.lists(st.sampled_from(("a", "b", "ab", "é", "пар", "o", "ль", "😀", "")), max_size=6)
WORDS = SYLLABLES.map("".join) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
TEXTS = SYLLABLES.map("".join) | st.text(st.characters(exclude_categories=[]), max_size=20)


@given(st.lists(WORDS, max_size=8), TEXTS)
@example(["ab", "b", "", "ab"], "ab")
@example(["ab", "é"], "\ud800ab")
@example(["\U0001f600"], "\ud83d\ude00")
def test_equals_its_twin(words, text):
    literals = Literals(words)

    assert literals.found_in(text) == twin.found_in(words, text)
    assert literals.any_in(text) == bool(twin.found_in(words, text))
