"""Long turns are cut without loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from realmemory.eval.conversations import split_turns
from realmemory.eval.corpora.dialogue import Turn


@given(st.text("ab д\n", min_size=1, max_size=200).filter(str.strip), st.integers(4, 40))
def test_pieces_fit_and_hold_every_word(text, limit):
    pieces = split_turns([Turn("t", "Ada", text)], limit)
    assert all(piece.key == "t" for piece in pieces)
    assert all(0 < len(piece.text.encode()) <= limit for piece in pieces)
    joined = "".join(piece.text for piece in pieces)
    assert "".join(joined.split()) == "".join(text.split())
