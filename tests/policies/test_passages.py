"""Cutting long texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realmemory.policies.passages import LONG, SIZE, split


@given(st.text(alphabet="ab .!\n。я", max_size=6000))
def test_passages_cover_the_text_without_a_gap(text):
    ranges = split(text)
    if len(text) <= LONG:
        assert ranges == []
        return
    assert "".join(text[start:end] for start, end in ranges) == text
    for start, end in ranges:
        assert 0 < len(text[start:end].rstrip()) <= SIZE


def test_a_cut_lies_between_paragraphs_where_it_can():
    paragraph = "One two three. " * 22
    text = "\n\n".join([paragraph] * 5)
    assert all(text[end - 2 : end] == "\n\n" for _, end in split(text)[:-1])


def test_sentences_are_kept_whole():
    text = "This is a sentence of some length. " * 100
    assert all(text[:end].rstrip().endswith(".") for _, end in split(text))


def test_a_text_without_a_break_is_cut_anyway():
    assert [end for _, end in split("x" * 1500)] == [400, 800, 1200, 1500]
