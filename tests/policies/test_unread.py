"""Texts are called far without being read only when reading would find them far."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.gate.signature import far_apart
from realmemory.policies.gate.unread import Sought
from realmemory.policies.words import numbers, synonyms

CAPTAIN = "The harbour master opens the northern lock every winter morning"
WORDS = (
    *("the", "deploy", "deploys", "deployment", "runs", "Friday", "16:00", "5", "pm", "must"),
    *("not", "never", "Redis", "cache", "stores", "two", "minutes", "min", "seconds", "s", "10ms"),
    *("ERR-4042", "v1.2", "сервер", "серверы", "перенесён", "Berlin", "moved", "now", "know"),
    *("more", "library", "libraries", "winter", "well-known", "wellknown", "it's", "its", "C"),
    *("R2-D2", "3,000", "Теперь", "dying", "die", "skies", "sky", "relational", "relate", "°cnow"),
    *("café", "cafe", "été", "ete", "offline", "connection", "take place", "count\\n", "FooBars"),
    *("foobar", "foo/bar", "hopping", "hope", "possibly", "possible", "kilometres", "km", "last"),
    *("-5", "C++", "C#", "5M", "5m", "€5", "½", "x", ">=", ".NET", "✅", "+3", "O-"),
)
JOINTS = st.sampled_from((" ", " ", " ", " ", ", ", "-", "_", ".", "/", "\\", "’s ", "* ", ""))


def sentences(most=20):
    """Texts of known words and odd joints between them."""
    parts = st.tuples(st.sampled_from(WORDS), JOINTS).map("".join)
    return st.lists(parts, min_size=1, max_size=most).map("".join)


@st.composite
def pairs(draw):
    """Two texts, the second often the first with a few changes."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=20))
    first = " ".join(words)
    for _ in range(draw(st.integers(0, 6))):
        words[draw(st.integers(0, len(words) - 1))] = draw(sentences(most=2))
    return first, draw(st.sampled_from([" ".join(words), draw(sentences())]))


@given(pairs())
@example(("If ' '*count*\\n' ' is omitted, ignore is 0.", "A point 'becomes\\n' active, ignore 0."))
def test_what_is_called_far_unread_is_far_when_it_is_read(texts):
    draft, stored = texts
    ours = fact_signature(draft)
    if Sought(ours).surely_far(stored):
        theirs = fact_signature(stored)
        assert not theirs.facts or far_apart(theirs, ours)


@given(st.sampled_from(sorted({*numbers.UNITS, *synonyms.SYNONYMS, *numbers.NUMBERS})))
def test_words_that_stand_for_each_other_are_held_for_the_same(word):
    draft = f"{CAPTAIN} 3 {numbers.UNITS.get(word, word)}"
    assert not Sought(fact_signature(draft)).surely_far(f"{CAPTAIN} 3 {word}")


def test_most_of_what_shares_words_by_chance_is_far_unread():
    stored = "Every winter the northern road is closed for a week by the snow"
    sought = Sought(fact_signature(CAPTAIN))
    assert sought.surely_far(stored)
    assert not sought.surely_far(f"Now {stored}")


@pytest.mark.parametrize(
    "draft",
    ["Seen by visitor 41", "The visitor was seen at gate_41", "visitor 41 saw v1.2 of os.path"],
)
@pytest.mark.parametrize("number", ["forty-one", "12", "1,041", "41,5", "4_1", "os . path", "v1,2"])
def test_numbers_and_identifiers_are_missed_only_where_they_are_not_read(draft, number):
    stored = f"Every visitor has seen {number} of them"
    ours, theirs = fact_signature(draft), fact_signature(stored)
    assert far_apart(theirs, ours) or not Sought(ours).surely_far(stored)


def test_what_ends_alike_but_for_a_number_is_far_unread():
    sought = Sought(fact_signature("The lock opens at dawn. Seen by visitor 41."))
    assert sought.surely_far("The road is closed. Seen by visitor 12.")
    assert not sought.surely_far("The lock opens at dawn, says visitor 41.")
