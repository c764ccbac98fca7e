"""Whether two similar texts state the same fact.

Cosine cannot tell "16" from "8", "allowed" from "not allowed", or "tabs over spaces" from
"spaces over tabs". The signature compares what carries the fact: numbers, negation, and the
content words in their order.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:[.,:/\-]\d+)*")
_NEGATIONS = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "without",
        "cannot",
        "nor",
        "neither",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "don't",
        "doesn't",
        "didn't",
        "won't",
        "can't",
        "couldn't",
        "shouldn't",
        "wouldn't",
        "mustn't",
        "hasn't",
        "haven't",
        "hadn't",
        "не",
        "ни",
        "нет",
        "без",
        "никогда",
        "нельзя",
        "никто",
        "ничего",
        "нигде",
    ]
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class FactSignature:
    """What of a text carries its fact.

    ``content`` are the content terms of the text analysis in order of appearance.
    """

    numbers: tuple[str, ...]
    negations: int
    content: tuple[str, ...]


def fact_signature(text: str, content_terms: Sequence[str]) -> FactSignature:
    """Return the signature of ``text``, whose analysed content terms are given."""
    words = (word.replace("’", "'") for word in _WORD.findall(text.casefold()))
    return FactSignature(
        numbers=tuple(sorted(_NUMBER.findall(text))),
        negations=sum(word in _NEGATIONS for word in words),
        content=tuple(content_terms),
    )


def differences(first: FactSignature, second: FactSignature) -> tuple[str, ...]:
    """Name what keeps two texts from stating the same fact; empty when nothing does.

    One text may say more than the other, but each having something that the other lacks, or the
    same words in another order, is a difference.
    """
    found: list[str] = []
    if first.numbers != second.numbers:
        found.append("numbers")
    if first.negations != second.negations:
        found.append("negation")
    ours, theirs = Counter(first.content), Counter(second.content)
    if ours - theirs and theirs - ours:
        found.append("content")
    elif _shared_order(first.content, theirs) != _shared_order(second.content, ours):
        found.append("order")
    return tuple(found)


def _shared_order(terms: Sequence[str], other: Counter[str]) -> list[str]:
    left = Counter(other)
    kept: list[str] = []
    for term in terms:
        if left[term] > 0:
            left[term] -= 1
            kept.append(term)
    return kept
