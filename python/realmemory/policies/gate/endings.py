"""Roles where the endings of words mark them and their order is free, as in Russian."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from realmemory.policies.words import markers, numbers, verbs

if TYPE_CHECKING:
    from realmemory.policies.gate.reading import Word

_EITHER_CASE = re.compile("[бвгджзклмнпрстфхцчшщоеыиьa-z]$")
"""Endings of nouns whose nominative may be the accusative as well."""
_ADJECTIVE = re.compile("(?:[оыие][йм]|[ыи]х|[ую]ю|[ое]го|[ое]му)$")
_VERB = re.compile(f"(?:{'|'.join(verbs.VERB_ENDINGS)}|[аеиуыя]л|[аеяыу][нт]|тель)$")
"""Endings of verbs, of participles, and of those who do things."""
_LOST_NEIGHBOURS = 2
"""Pairs of neighbours that moving one part of a sentence tears apart at most."""


def roles_differ_by_form(left: list[Word], right: list[Word]) -> bool:
    """Compare roles where endings mark them and order is free, as in Russian."""
    ours, theirs = _forms(left), _forms(right)
    changed = [
        stem
        for stem in ours
        if ours[stem] != theirs.get(stem) and not _verbal(ours[stem] + theirs.get(stem, ()))
    ]
    reflexive_verb = any(_reflexive((item.surface,)) for item in (*left, *right))
    reflexive = any(
        _reflexive(forms) is not _reflexive(theirs.get(stem, ())) for stem, forms in ours.items()
    )
    if [item.stem for item in left] == [item.stem for item in right]:
        return len(changed) > 1 and not reflexive
    if changed:
        return not reflexive
    if not reflexive_verb and _turned(left, right):
        return True
    return len(_neighbours(left) - _neighbours(right)) > _LOST_NEIGHBOURS


def _turned(left: list[Word], right: list[Word]) -> bool:
    """Say whether of two words whose endings show no role another one comes first."""
    names = {item.stem for item in (*left, *right) if item.name or item.surface.isascii()}
    return _of_either_role(left, names) != _of_either_role(right, names)


def _of_either_role(items: list[Word], names: set[str]) -> dict[str, list[str]]:
    """Return the nouns that may be subject and object alike, and names in the same place, in order."""
    found: dict[str, list[str]] = {}
    for before, word, item in zip((None, None, *items), (None, *items), items, strict=False):
        if item.marker or item.surface in numbers.UNITS or not _is_noun(item.surface):
            continue
        if word is not None and word.stem in markers.MARKERS:
            place = word.stem if item.surface.isascii() else ""
        elif item.surface.isascii() or not _described(before, word):
            place = "a name" if item.stem in names else "a noun"
        else:
            place = ""
        if place:
            found.setdefault(place, []).append(item.stem)
    return found


def _is_noun(surface: str) -> bool:
    return _EITHER_CASE.search(surface) is not None and _VERB.search(surface) is None


def _described(before: Word | None, word: Word | None) -> bool:
    """Say whether a preposition and an adjective precede a noun."""
    return bool(
        before and word and before.stem in markers.MARKERS and _ADJECTIVE.search(word.surface)
    )


def _forms(items: list[Word]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for item in items:
        # Of exchangeable words the forms say nothing about each other.
        if not item.marker and not item.stem.startswith("="):
            found.setdefault(item.stem, []).append(item.surface)
    return {stem: tuple(sorted(forms)) for stem, forms in found.items()}


def _reflexive(forms: tuple[str, ...]) -> bool:
    return any(form.endswith(("ся", "сь")) for form in forms)


def _verbal(forms: tuple[str, ...]) -> bool:
    return all(form.endswith(verbs.VERB_ENDINGS) for form in forms)


def _neighbours(items: list[Word]) -> set[frozenset[str]]:
    words = [item.stem if item.stem.startswith("=") else item.surface for item in items]
    return {frozenset(pair) for pair in pairwise(words)}
