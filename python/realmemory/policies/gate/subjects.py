"""The numbered thing that a sentence is about: "Service svc-17 listens on port 4017".

Notes of one pattern tell of many such things, and all hold. What stands elsewhere in a sentence is
what is said of its subject, so that another identifier there may well contradict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.policies.words import markers, verbs

if TYPE_CHECKING:
    from realmemory.policies.gate.reading import FactSignature

_WITHIN = 3
"""Tokens at the beginning among which a subject stands, with its article and its sort."""
_VERBS = frozenset(["is", "was", "has", "had", "does", "did", "will", "can", "must"])
_ENDINGS = ("s", "ed", *verbs.VERB_ENDINGS)
_SHORTEST = 4
"""Letters of a word whose ending tells that it is a verb."""


def other_subjects(first: FactSignature, second: FactSignature) -> tuple[str, str] | None:
    """Return the identifiers of the two things that texts begin with, if neither names the other's."""
    one, other = subject_of(first), subject_of(second)
    if one is None or other is None or one in second.identifiers or other in first.identifiers:
        return None
    return one, other


def exchanged(one: str, other: str) -> bool:
    """Say whether identifiers are the same signs in another order, as in one that is mistyped."""
    return sorted(one) == sorted(other)


def subject_of(text: FactSignature) -> str | None:
    """Return the identifier of the thing that a text begins with, None where it begins otherwise."""
    for at, token in enumerate(text.plain[:_WITHIN]):
        if token in text.identifiers:
            numbered = any(map(str.isdigit, token))
            return token if numbered and any(map(_acts, text.plain[at + 1 : at + 2])) else None
    return None


def _acts(word: str) -> bool:
    """Say whether a word behind a name looks like its verb."""
    if word in markers.MARKERS:
        return False
    return word in _VERBS or (len(word) >= _SHORTEST and word.endswith(_ENDINGS))
