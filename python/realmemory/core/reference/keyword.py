"""Twin of the keyword index: exhaustive bm25 over the terms of every row."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its scope, its terms with repetitions, and its number of words."""

    scope: int
    terms: Counter[str]
    words: int


def coded_length(words: int) -> int:
    """Return the document length that the index sees: exact to 127, then five bits."""
    words = max(words, 1)
    if words < 128:
        return words
    shift = words.bit_length() - 5
    return min(words >> shift << shift, 31 << 10)


def score(query: list[list[str]], row: Row, rows: list[Row]) -> tuple[float, float, int]:
    """Return bm25, idf-weighted coverage and number of matched words of one row.

    Args:
        query: For each word, the forms that answer it.
        row: The row to score.
        rows: The visible rows, whose statistics count.
    """
    mean = sum(coded_length(other.words) for other in rows) / len(rows) if rows else 1.0
    found = Counter(term for other in rows for term in other.terms)
    norm = K1 * (1 - B + B * coded_length(row.words) / mean)
    total = asked = held = 0.0
    matched = 0
    for forms in query:
        best = 0.0
        for form in forms:
            frequency = min(row.terms[form], 255)
            if frequency and found[form]:
                part = frequency * (K1 + 1) / (frequency + norm)
                best = max(best, idf(len(rows), found[form]) * part)
        weight = idf(len(rows), max(found[form] for form in forms))
        asked += weight
        if best > 0:
            held += weight
            matched += 1
        total += best
    return total, held / asked if asked else 0.0, matched


def idf(rows: int, found: int) -> float:
    """Return Robertson's inverse document frequency, never negative."""
    return math.log(1 + (rows - found + 0.5) / (found + 0.5))
