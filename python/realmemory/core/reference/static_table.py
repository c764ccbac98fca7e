"""Twin of the static embedder: greedy longest match and a weighted mean, over a parsed table."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_HEADER = struct.Struct("<8s6IQ")


@dataclass(frozen=True, slots=True)
class Table:
    """A parsed table file."""

    name: str
    pieces: list[str]
    weights: NDArray[np.float32]
    rows: NDArray[np.float32]


def checksum(body: bytes) -> int:
    """Return FNV-1a over words of eight bytes, the last one filled up with zeros."""
    padded = body + bytes(-len(body) % 8)
    value = 0xCBF29CE484222325
    for word in np.frombuffer(padded, dtype="<u8").tolist():
        value = ((value ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def parse(data: bytes) -> Table:
    """Read a table file that is known to be sound."""
    _, _, bits, count, dim, name_bytes, blob_bytes, _ = _HEADER.unpack_from(data)
    at = _HEADER.size
    name = data[at : at + name_bytes].decode()
    at += name_bytes
    ends = np.frombuffer(data, "<u4", count, at).tolist()
    at += 4 * count
    blob = data[at : at + blob_bytes]
    at += blob_bytes
    pieces = [blob[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)]
    weights = np.frombuffer(data, "<f4", count, at)
    scales = np.frombuffer(data, "<f4", count, at + 4 * count)
    packed = np.frombuffer(data, "u1", count * dim * bits // 8, at + 8 * count)
    codes = packed if bits == 8 else np.stack([packed & 15, packed >> 4], axis=-1)
    centred = codes.reshape(count, dim).astype(np.float32) - np.float32((2**bits - 1) / 2)
    return Table(name, pieces, weights, centred * scales[:, None])


def tokenize(table: Table, words: Iterable[str]) -> list[int]:
    """Return the ids of the longest pieces that fit, from the left, word by word."""
    ids = {piece: token for token, piece in enumerate(table.pieces)}
    tokens = []
    for word in words:
        at = 0
        while at < len(word):
            prefix = "##" if at else ""
            for end in range(len(word), at, -1):
                token = ids.get(prefix + word[at:end])
                # A word that starts with ## is no inner piece.
                if token is not None and (at or not table.pieces[token].startswith("##")):
                    tokens.append(token)
                    at = end
                    break
            else:
                at += 1
    return tokens


def encode(table: Table, tokens: list[int]) -> NDArray[np.float64]:
    """Return the unit vector of the weighted mean, or zeros."""
    weighted = table.weights[tokens].astype(np.float64)[:, None] * table.rows[tokens]
    total: NDArray[np.float64] = weighted.sum(axis=0)
    norm = float(np.linalg.norm(total))
    return total / norm if norm else total


def about(table: Table, tokens: list[int], world: NDArray[np.float32]) -> list[float]:
    """Return coherence, and largest, mean and deviation of the cosines with rows of the world."""
    weighted = table.weights[tokens].astype(np.float64)[:, None] * table.rows[tokens]
    reach = float(np.linalg.norm(weighted.sum(axis=0)))
    if not reach or not len(world):
        return [0.0] * 4
    cosines = world @ encode(table, tokens)
    weights = float(table.weights[tokens].astype(np.float64).sum())
    return [reach / weights, float(cosines.max()), float(cosines.mean()), float(cosines.std())]


def interact(
    table: Table, query: Iterable[str], text: Iterable[str]
) -> tuple[int, float, float, float]:
    """Compare words: number of query words, letters per piece, mean and weakest cosine.

    A word that holds a number is not answered by one that holds another.

    Args:
        table: The table.
        query: The content words of a query.
        text: The words of a text.
    """
    asked = _word_vectors(table, dict.fromkeys(query))
    if not asked:
        return 0, 0.0, 0.0, 0.0
    spelt = [size for _, _, size, _ in asked if size > 0]
    letters = float(np.mean(spelt)) if spelt else 0.0
    answers = _word_vectors(table, dict.fromkeys(text))
    best = [
        max([0.0, *(float(row @ word.row) for word in answers if _fits(number, word.number))])
        for row, _, _, number in asked
    ]
    weights = [length for _, length, _, _ in asked]
    mean = sum(b * w for b, w in zip(best, weights, strict=True)) / sum(weights)
    return len(asked), letters, mean, min(best)


class _Word(NamedTuple):
    """Unit vector, its length before scaling, letters per piece, and the number in the word."""

    row: NDArray[np.float64]
    length: float
    size: float
    number: str


def _fits(asked: str, held: str) -> bool:
    return not asked or not held or asked == held


def _number_in(word: str) -> str:
    """Return the digits of a word without leading zeros."""
    digits = "".join(char for char in word if category(char).startswith("N"))
    return digits.lstrip("0") or digits[:1]


def _word_vectors(table: Table, words: Iterable[str]) -> list[_Word]:
    """Describe those words that the table has a vector for."""
    result = []
    for word in words:
        tokens = tokenize(table, [word])
        weighted = table.weights[tokens].astype(np.float64)[:, None] * table.rows[tokens]
        length = float(np.linalg.norm(weighted.sum(axis=0)))
        if length > 0:
            size = len(word) / len(tokens) if len(word) > 1 else 0.0
            row = weighted.sum(axis=0) / length
            result.append(_Word(row, length, size, _number_in(word)))
    return result
