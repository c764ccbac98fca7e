"""Roles where the endings of words mark them and their order is free, as in Russian."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from realmemory.policies import lexicon

if TYPE_CHECKING:
    from realmemory.policies.reading import Word

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
    reflexive = any(
        _reflexive(forms) is not _reflexive(theirs.get(stem, ())) for stem, forms in ours.items()
    )
    if [item.stem for item in left] == [item.stem for item in right]:
        return len(changed) > 1 and not reflexive
    if changed:
        return not reflexive
    return len(_neighbours(left) - _neighbours(right)) > _LOST_NEIGHBOURS


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
    return all(form.endswith(lexicon.VERB_ENDINGS) for form in forms)


def _neighbours(items: list[Word]) -> set[frozenset[str]]:
    words = [item.stem if item.stem.startswith("=") else item.surface for item in items]
    return {frozenset(pair) for pair in pairwise(words)}
