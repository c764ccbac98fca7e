"""Names in code that differ in case or in the signs within: ``README.md`` is not ``readme.md``.

Prose is another matter: "CI/CD" is "ci/cd", "5:30 PM" is "5:30 pm", "e-mail" is "email".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from realmemory.policies.words import synonyms

_NAME = re.compile(r"--[^\W\d_][\w-]*|[#@]?\w+(?:[-./:@'+#,]\w+)*")
_IN_CODE = re.compile(r"[._/:]")
_PROSE = re.compile(
    r"[#@\d].*|.*[@+'].*|v[\d.,:/-]+|[^\W\d_]+/[^\W\d_]+|[^\W\d_](?:\.[^\W\d_])+", re.IGNORECASE
)
"""Addresses, keys, measures, versions, "and/or", "e.g."."""
_CODE = re.compile(r"`([^`\n]+)`")
_SHARP = re.compile(r"\b(?:maß|buß|floß)(?:en?)?\b", re.IGNORECASE)
"""Words with ``ß`` that are others with ``ss``; elsewhere either is written for the other."""
_SIGNS = re.compile("[-.,]")
_COMMA_WITHIN = re.compile(r"[^\W\d_][\d.]*,\d")


class _Names(NamedTuple):
    """The names of a text as they are spelled, by what they are without case, and without signs."""

    cased: dict[str, set[str]]
    joined: dict[str, set[str]]


def spelled_otherwise(first: str, second: str) -> bool:
    """Say whether two texts spell the same name in code in two ways."""
    if _measures(first) != _measures(second):
        return True
    one, other = _names(first), _names(second)
    return any(
        ours[name].isdisjoint(theirs[name])
        for ours, theirs in zip(one, other, strict=True)
        for name in ours.keys() & theirs.keys()
    )


def _measures(text: str) -> int:
    return 0 if text.isascii() else len(_SHARP.findall(text))


@lru_cache(maxsize=64)
def _names(text: str) -> _Names:
    coded = {name for part in _CODE.findall(text) for name in _NAME.findall(part)}
    found = _Names({}, {})
    for name in _NAME.findall(text):
        folded = name.casefold()
        if name in coded or _is_code(name):
            found.cased.setdefault(folded, set()).add(name)
        if name in coded or not _may_be_joined(folded):
            found.joined.setdefault(_SIGNS.sub("", folded), set()).add(folded)
    return found


def _is_code(name: str) -> bool:
    """Say whether case counts in a name: it has signs within, and is no prose."""
    return _IN_CODE.search(name) is not None and _PROSE.fullmatch(name) is None


def _may_be_joined(folded: str) -> bool:
    """Say whether the signs in a name may be left out, or belong to a number."""
    if not any(map(str.isalpha, folded)) or "'" in folded:
        return True
    if "," in folded:
        return _COMMA_WITHIN.search(folded) is None
    parts = folded.split("-")
    return len(parts) > 1 and not synonyms.COMPOUNDING.isdisjoint((parts[0], parts[-1]))
