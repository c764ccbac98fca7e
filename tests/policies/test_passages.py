"""Cutting long texts."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    "name",
    ["Mr. Okonkwo", "Dr. Alvarez", "J. Smith", "e.g. Tuesday", "z.B. Dienstag", "т.е. среда"],
)
@pytest.mark.parametrize("before", range(330, 400, 7))
def test_a_short_form_ends_no_sentence(name, before):
    lead = ("Routine words of no matter. " * 20)[: before - 20].rstrip() + "."
    text = f"{lead} Whom to call is {name} at the firm. " + "And more of it follows here. " * 60
    start, end = next((a, b) for a, b in split(text) if a <= text.index(name) < b)
    assert name in text[start:end]


@pytest.mark.parametrize("heading", ["## Backups\n\n", "### Backups\n", "Backups:\n"])
@pytest.mark.parametrize("before", range(210, 400, 19))
def test_a_heading_stays_with_what_it_is_about(heading, before):
    lead = ("Routine words of no matter. " * 20)[:before].rstrip()
    text = f"{lead}\n\n{heading}They run at night.\n\n" + "And more of it follows here. " * 60
    assert any(f"{heading}They" in text[start:end] for start, end in split(text))


def test_a_text_without_a_break_is_cut_anyway():
    assert [end for _, end in split("x" * 1500)] == [400, 800, 1200, 1500]
