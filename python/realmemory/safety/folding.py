"""A view of a text in which its disguises are gone, with the way back to the original.

Search and screening look at the folded text; what is stored and shown is always the original.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_INVISIBLE = frozenset(
    {
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE1000),
    }
)
"""Code points that are read as nothing (Unicode's default-ignorable ones that occur in texts)."""

# Letters of other scripts that look like Latin ones, as attackers use them inside Latin words.
_TWINS = str.maketrans(
    "абвгеёзийкмнопрстухѕіјѵԁԛԝһАВЕКМНОРСТУХЅІЈαβεηικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "a6bree3iikmhonpctyxsijvdqwhABEKMHOPCTYXSIJabenikvoptuxABEZHIKMNOPTYX",
)
_DIGIT_LETTERS = (
    str.maketrans("013457@$!|", "oieastasil"),
    str.maketrans("013457@$!|", "oleastasil"),
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text: ``origins[i]`` is the index in the original of folded character ``i``.

    ``hidden`` counts invisible characters that stood inside a word.
    """

    text: str
    origins: Sequence[int]
    hidden: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original's span of the folded span ``[start, end)``."""
        return self.origins[start], self.origins[end - 1] + 1


def fold(text: str) -> Folded:
    """Drop invisible characters and undo compatibility forms (full width, ligatures, styles)."""
    if text.isascii():
        return Folded(text, range(len(text)), 0)
    folded: list[str] = []
    origins: list[int] = []
    hidden = 0
    for index, char in enumerate(text):
        if ord(char) in _INVISIBLE:
            inside = 0 < index < len(text) - 1
            hidden += inside and text[index - 1].isalnum() and text[index + 1].isalnum()
            continue
        for plain in unicodedata.normalize("NFKC", char):
            folded.append(plain)
            origins.append(index)
    return Folded("".join(folded), origins, hidden)


def unmask_letters(text: str) -> str:
    """Return ``text`` with look-alike letters inside Latin words replaced, lower-cased.

    Words wholly in another script stay as they are, so that Russian or Greek can still be read.
    """
    words = []
    for word in text.split(" "):
        if not word.isascii() and any("a" <= char <= "z" for char in word.lower()):
            words.append(word.translate(_TWINS))
        else:
            words.append(word)
    return " ".join(words).lower()


def undo_digit_spelling(text: str) -> list[str]:
    """Return ``text`` with digits and signs that stand for letters read as letters.

    A one may stand for ``i`` or for ``l``, so there are two readings.
    """
    return [text.translate(table) for table in _DIGIT_LETTERS]
