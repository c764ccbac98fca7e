"""Closed classes of words, English, German and Russian: each class has one home here.

Everything is folded: lower case; a word with ``ё`` stands there with ``е`` as well, a contraction
without its apostrophe as well, so that either way of folding a text meets them. ``markers``,
``statements`` and ``synonyms`` are read by the gate alone, the others by recall as well.
"""

from __future__ import annotations

from realmemory.late import late_pattern

CYRILLIC = late_pattern("[а-яё]")
"""A letter of Russian; what tells is often the ending of a word, which English lacks."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text in all ways in which they may be folded."""
    words = text.split()
    folded = text.replace("ё", "е").replace("'", "")
    return frozenset(words if folded == text else (*words, *folded.split()))


def first_of_line(groups: str) -> dict[str, str]:
    """Return each word of some lines with the first word of its line."""
    lines = (line.split() for line in groups.strip().splitlines())
    return {word: words[0] for words in lines for word in words}
