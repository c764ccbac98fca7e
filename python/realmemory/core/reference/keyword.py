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


def score(query: list[dict[str, float]], row: Row, rows: list[Row]) -> tuple[float, float, int]:
    """Return bm25, idf-weighted coverage and number of matched words of one row.

    Args:
        query: For each word, the forms that answer it and their weights (1 for its own forms).
        row: The row to score.
        rows: The visible rows, whose statistics count.
    """
    mean = sum(coded_length(other.words) for other in rows) / len(rows) if rows else 1.0
    found = Counter(term for other in rows for term in other.terms)
    norm = K1 * (1 - B + B * coded_length(row.words) / mean)
    total = asked = held = 0.0
    matched = 0
    for forms in query:
        best = likeness = 0.0
        for form, weight in forms.items():
            frequency = min(row.terms[form], 255)
            if frequency and found[form]:
                part = frequency * (K1 + 1) / (frequency + norm)
                best = max(best, weight * idf(len(rows), found[form]) * part)
                likeness = max(likeness, weight)
        exact = max((found[form] for form, weight in forms.items() if weight == 1), default=0)
        weight = idf(len(rows), exact or max((found[form] for form in forms), default=0))
        asked += weight
        held += weight * likeness
        matched += likeness > 0
        total += best
    return total, held / asked if asked else 0.0, matched


def rare_words(terms: set[str], asked: set[str], rows: list[Row]) -> dict[str, float]:
    """Return what the rare words of a text are worth to other texts; see ``MemoryIndex.bridged``.

    Args:
        terms: The terms of the text.
        asked: The terms of the question, which lead nowhere new.
        rows: The visible rows, whose statistics count.
    """
    found = Counter(term for row in rows for term in row.terms)
    most = max(3.0, 0.05 * len(rows))
    rare = sorted((found[term], term) for term in terms - asked if 2 <= found[term] <= most)
    largest = max(4, min(8, len(rare))) * idf(len(rows), 1)
    return {term: idf(len(rows), count) / largest for count, term in rare[:8]}


def resembling(word: str, vocabulary: list[str]) -> dict[str, float]:
    """Return the terms that resemble a word, with their likeness."""
    if not _takes_part(word):
        return {}
    grams = _grams(word)
    enough = max(len(grams) // 3, 2)
    similar = {}
    for term in filter(_takes_part, vocabulary):
        alike = _likeness(word, term)
        if len(grams & _grams(term)) >= enough and alike:
            similar[term] = alike
    return similar


def _takes_part(term: str) -> bool:
    return len(term) >= 4 and term.isalpha()


def _grams(word: str) -> set[str]:
    edged = f"\x01{word}\x01"
    return {edged[at : at + 3] for at in range(len(edged) - 2)}


def _likeness(word: str, term: str) -> float:
    short, long = sorted((len(word), len(term)))
    differ = (at for at, (c, d) in enumerate(zip(word, term, strict=False)) if c != d)
    prefix = next(differ, short)
    allowed = 1 if short < 8 else 2
    distance = _edits(word, term)
    by_edits = 1 - distance / short if 0 < distance <= allowed else 0.0
    inflected = long > prefix >= 4 and prefix * 10 >= long * 6
    return max(by_edits, 0.9 * prefix / long if inflected else 0.0)


def _edits(left: str, right: str) -> int:
    """Return the optimal string alignment distance."""
    table = [
        [max(i, j) if not (i and j) else 0 for j in range(len(right) + 1)]
        for i in range(len(left) + 1)
    ]
    for i, c in enumerate(left, 1):
        for j, d in enumerate(right, 1):
            costs = [table[i - 1][j - 1] + (c != d), table[i - 1][j] + 1, table[i][j - 1] + 1]
            if i > 1 and j > 1 and c == right[j - 2] and left[i - 2] == d:
                costs.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(costs)
    return table[-1][-1]


def idf(rows: int, found: int) -> float:
    """Return Robertson's inverse document frequency, never negative."""
    return math.log(1 + (rows - found + 0.5) / (found + 0.5))
