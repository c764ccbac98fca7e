"""Text analysis through the wrappers; the cases of the analysis itself are Rust tests."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from realmemory.core import text

IDENTIFIERS = ["ERR-4042", "foo/bar.py:42", "getUserName", "snake_case", "--dry-run", "v1.2.3"]


def finds(query: str, document: str) -> bool:
    terms = set(text.analyze(document))
    words = text.query_forms(query)
    return bool(words) and all(terms.intersection(forms) for forms in words)


@given(st.text())
def test_terms_are_bounded_and_hold_no_white_space(document):
    for term in text.analyze(document):
        assert term
        assert term == "".join(term.split())
        assert len(term) <= 67


@given(st.text())
def test_normal_forms_are_one(document):
    composed = unicodedata.normalize("NFC", document)
    decomposed = unicodedata.normalize("NFD", document)
    assert text.analyze(composed) == text.analyze(decomposed)


@given(st.text())
def test_a_document_answers_itself_as_a_query(document):
    terms = set(text.analyze(document))
    for forms in text.query_forms(document):
        assert terms.intersection(forms)


@given(st.text(), st.sampled_from(IDENTIFIERS), st.text())
def test_identifiers_are_found_whatever_stands_around(before, identifier, after):
    assert finds(identifier, f"{before} {identifier} {after}")


@given(st.lists(st.sampled_from(["the", "of", "is", "what", "для", "это"])))
def test_function_words_alone_ask_nothing(words):
    assert text.analyze_query(" ".join(words)) == []


def test_forms_start_with_the_default_one():
    assert text.analyze_query("Häuser") == [text.query_forms("Häuser")[0][0]]
    assert "haus~de" in text.query_forms("Häuser")[0]


def test_full_text_terms_agree_with_the_analysis():
    document = "C++ at foo/bar.py:42, हिन्दी"
    assert text.fts_terms(document).split(" ") == [
        text.fts_term(term) for term in text.analyze(document)
    ]


def test_what_a_text_says_beyond_what_is_known_is_counted_without_little_words():
    known = {term for forms in text.query_forms("What did Ann's dog Toby eat?") for term in forms}
    said = ["My dogs and Toby!", "He ate a whole salmon, a salmon.", "", "Собака съела лосося."]
    assert text.count_beyond(said, known, 9) == [0, 3, 0, 3]
    assert text.count_beyond(said, known, 2) == [0, 2, 0, 2]


@given(st.lists(st.text()), st.text(max_size=64), st.integers(1, 9))
def test_what_is_known_in_full_says_nothing_beyond(texts, asked, most):
    counts = text.count_beyond(texts, frozenset(text.analyze(asked)), most)
    assert len(counts) == len(texts)
    assert all(0 <= count <= most for count in counts)
    assert text.count_beyond([asked], frozenset(text.analyze(asked)), most) == [0]


@given(st.text(), st.text(), st.integers(1, 9))
def test_the_more_is_known_the_less_is_said_beyond(said, more, most):
    known = frozenset(text.analyze(more))
    assert text.count_beyond([said], known, most) <= text.count_beyond([said], frozenset(), most)
