"""Words and pieces as the engine cuts them, and the writer of the table's file.

The format and the rules are documented in ``rust/engine/src/embed/static_table.rs``. The training
needs neither the engine nor a build of it.
"""

from __future__ import annotations

import struct
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from realmemory.core.reference.static_table import checksum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

MAGIC = b"RMSTATIC"
VERSION = 1
HEADER = struct.Struct("<8s6IQ")
MAX_WORD_CHARS = 64
INNER = "##"
_BITS = 4
_MIDDLE = 7.5

_SPELLINGS = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
        "đ": "d", "ð": "d", "Đ": "D", "Ð": "D", "þ": "th", "Þ": "TH", "ł": "l", "Ł": "L",
        "ħ": "h", "Ħ": "H", "ı": "i", "ς": "σ",
    }
)  # fmt: skip
# Marks that make another letter: the breve of й and ў, the dots of ї.
_LETTER_MARKS = {("и", "\u0306"), ("у", "\u0306"), ("і", "\u0308")}
_DIACRITICS = ((0x0300, 0x036F), (0x0483, 0x0487), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
               (0x20D0, 0x20FF), (0xFE20, 0xFE2F))  # fmt: skip
_IGNORABLE = ((0x00AD, 0x00AD), (0x034F, 0x034F), (0x200B, 0x200F), (0x202A, 0x202E),
              (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF))  # fmt: skip
_CJK = ((0x1100, 0x11FF), (0x3005, 0x3007), (0x3041, 0x30FA), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
        (0xAC00, 0xD7FF))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a file.

    Attributes:
        name: Identity of the space.
        pieces: Pieces by id.
        weights: float32 (pieces): share of each piece in the mean.
        scales: float32 (pieces): step between two codes of a row.
        codes: uint8 (pieces, dim): 0 to 15 for -7.5 to 7.5 steps.
    """

    name: str
    pieces: tuple[str, ...]
    weights: NDArray[np.float32]
    scales: NDArray[np.float32]
    codes: NDArray[np.uint8]


def _within(c: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(c) <= last for first, last in ranges)


def fold(text: str) -> str:
    """Fold and lower-case a text of Latin, Cyrillic or CJK letters as the engine does."""
    kept: list[str] = []
    base = ""
    for c in unicodedata.normalize("NFKD", text):
        if _within(c, _IGNORABLE):
            continue
        if not _within(c, _DIACRITICS):
            base = c
        elif (base.lower(), c) not in _LETTER_MARKS:
            continue
        kept.append(c)
    folded = unicodedata.normalize("NFC", "".join(kept)).translate(_SPELLINGS)
    return folded.lower().replace("ς", "σ")


def words(text: str) -> Iterator[str]:
    """Yield runs of letters and digits; CJK characters stand alone."""
    word = ""
    for c in fold(text):
        single = _within(c, _CJK)
        if word and (single or not c.isalnum()):
            yield word[:MAX_WORD_CHARS]
            word = ""
        if single:
            yield c
        elif c.isalnum():
            word += c
    if word:
        yield word[:MAX_WORD_CHARS]


class Vocabulary:
    """Greedy longest match over the pieces of a table."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._ids = {piece: index for index, piece in enumerate(pieces)}
        self._longest = max(len(piece) for piece in pieces)

    def split(self, word: str) -> list[int]:
        """Return the ids of a word's pieces; characters without a piece are left out."""
        tokens: list[int] = []
        begin = 0
        while begin < len(word):
            prefix = INNER if begin else ""
            for end in range(min(len(word), begin + self._longest), begin, -1):
                token = self._ids.get(prefix + word[begin:end])
                if token is not None:
                    tokens.append(token)
                    begin = end
                    break
            else:
                begin += 1
        return tokens

    def tokenize(self, text: str) -> list[int]:
        """Return the ids of a text's pieces in reading order."""
        return [token for word in words(text) for token in self.split(word)]


def write(table: Table) -> bytes:
    """Return the bytes of a table's file."""
    blob = b"".join(piece.encode("utf-8") for piece in table.pieces)
    ends = np.cumsum([len(piece.encode("utf-8")) for piece in table.pieces]).astype("<u4")
    name = table.name.encode("utf-8")
    packed = table.codes[:, 0::2] | table.codes[:, 1::2] << 4
    sections = [name, ends.tobytes(), blob, table.weights.astype("<f4").tobytes()]
    sections += [table.scales.astype("<f4").tobytes(), packed.astype(np.uint8).tobytes()]
    body = b"".join(sections)
    count, dim = table.codes.shape
    fields = (MAGIC, VERSION, _BITS, count, dim, len(name), len(blob), checksum(body))
    return HEADER.pack(*fields) + body


def quantise(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the scale of each row and its codes, the scale being the best of several.

    Args:
        rows: float32 (n, dim).
    """
    peak = np.abs(rows).max(axis=1)
    best_error = np.full(len(rows), np.inf)
    scales = np.zeros(len(rows), np.float32)
    codes = np.zeros(rows.shape, np.uint8)
    for share in np.linspace(0.4, 1.0, 13):
        scale = np.where(peak > 0, peak * share / _MIDDLE, 1.0).astype(np.float32)
        code = np.clip(np.rint(rows / scale[:, None] + _MIDDLE), 0, 15).astype(np.uint8)
        restored = (code - np.float32(_MIDDLE)) * scale[:, None]
        error = ((rows - restored) ** 2).sum(axis=1)
        better = error < best_error
        best_error[better], scales[better], codes[better] = error[better], scale[better], code[better]
    return scales, codes
