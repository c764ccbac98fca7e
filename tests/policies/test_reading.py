"""Reading a text: words that no rule is about are read by a shorter way, to the same signature."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.eval.corpora import own
from realmemory.policies.gate import reading
from realmemory.policies.words import changes, little, markers, numbers, statements, synonyms

RULED = sorted(
    {
        *markers.LIGHT,
        *synonyms.FILLERS,
        *statements.FORBIDDEN,
        *little.NEGATIONS,
        *numbers.NUMBERS,
        *statements.MODALS,
        *numbers.UNITS,
        *markers.MARKERS,
        *synonyms.SYNONYMS,
        *markers.PLACES,
        *changes.CHANGES,
        *" ".join([*map(str, synonyms.PHRASES), *map(str, synonyms.NEGATING_PHRASES)]).split(),
        *(
            "twice",
            "дважды",
            "is",
            "was",
            "by",
            "per",
            "every",
            "3",
            "3.12",
            "v2",
            "don't",
            "Dana's",
        ),
        *("harbour", "Redis", "gateway", "сервер", "--flag", "a_b", "parseUrl", "path/to"),
    }
)


def signatures(text):
    """The signature of a text by both ways."""
    both = reading._Reader(text).signature()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_ordinary", lambda _token: None)
        return both, reading._Reader(text).signature()


@given(st.lists(st.sampled_from(RULED) | st.text(max_size=8), max_size=12).map(" ".join))
def test_the_shorter_way_reads_what_the_rules_read(text):
    short, long = signatures(text)
    assert short == long


def test_the_shorter_way_reads_our_corpus_as_the_rules_do():
    for fact in own.load_corpus().facts:
        short, long = signatures(fact.text)
        assert short == long
