"""A text without what only its setting adds: emphasis, kinds of hyphens, separators in numbers, contractions."""

from __future__ import annotations

import re

from realmemory.policies.gate.corrections import introduction

_JOINED_NUMBERS = re.compile(r"\d[,\s\u2010-\u2014\u2212-]+\d")
"""What any of the three below stands in."""
_GROUPED = re.compile(r"(?<=\d)[,\u00a0\u202f ](?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_RANGE = re.compile(r"(?<=\d)(?:[\u2010-\u2014\u2212]|\s+[\u2010-\u2014\u2212-]\s+)(?=\d)")
_IN_FULL = {"ll": "will", "ve": "have", "re": "are", "m": "am", "d": "would"}
_CONTRACTED = re.compile(r"\b(I|you|he|she|it|we|they|there|who)'(ll|ve|re|m|d)\b", re.IGNORECASE)
_HYPHENS = {0x2010: "-", 0x2011: "-"}
_EMPHASIS = re.compile(
    r"(?<!\w)_(?P<mark>[^\W_]+(?:[ ][^\W_]+)*)_(?!\w)|<(?P<tag>b|i|u|em|strong)>(?P<set>[^<>]+)</(?P=tag)>",
    re.IGNORECASE,
)
"""Emphasis in Markdown and HTML; a name with underscores of its own is none."""


def respelled(text: str) -> str:
    """Write letters and the apostrophe that have two spellings in one, and contractions in full."""
    if not text.isascii():
        text = text.replace("ё", "е").replace("Ё", "Е").replace("’", "'")
    if "'" not in text:
        return text
    return _CONTRACTED.sub(lambda match: f"{match[1]} {_IN_FULL[match[2].lower()]}", text)


def _unset(text: str) -> str:
    """Return a text without emphasis, its hyphens and ranges written with one sign."""
    if "_" in text or "<" in text:
        text = _EMPHASIS.sub(lambda match: match["mark"] or match["set"], text)
    return text.translate(_HYPHENS) if not text.isascii() else text


def plain_text(text: str) -> str:
    """Return what is read of a text, :attr:`~realmemory.policies.gate.reading.FactSignature.text`, without reading it."""
    return introduced(text)[1]


def introduced(text: str) -> tuple[str, str]:
    """Return the words that say that a text corrects another, and what they introduce."""
    plain = _unset(respelled(text))
    words = introduction(plain)
    return words, plain[len(words) :]


def one_number(text: str) -> str:
    """Write each number without separators, and with a point."""
    if _JOINED_NUMBERS.search(text) is None:
        return text
    return _RANGE.sub("-", _DECIMAL_COMMA.sub(".", _GROUPED.sub("", text)))
