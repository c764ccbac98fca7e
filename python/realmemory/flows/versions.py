"""The part of stage `candidates` that knows versions: who asks for how it was gets what held then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.core.rows import STATUS_CODES
from realmemory.policies.question.former import held
from realmemory.types import Status

if TYPE_CHECKING:
    from realmemory.core.memory_index import MemoryIndex
    from realmemory.core.results import Described
    from realmemory.core.rows import ScanFilter
    from realmemory.flows.question import Question
    from realmemory.store.records import Version
    from realmemory.store.transactions import ReadView

_FOUND = 16
"""Replaced versions that are looked at."""


def held_then(
    engine: MemoryIndex, view: ReadView, question: Question, visible: ScanFilter
) -> tuple[Described | None, dict[int, Version]]:
    """Return the replaced versions that a question is about, and when each of their chains held.

    Who asks for the history of everything has met them already.
    """
    if question.history or not question.looks_back:
        return None, {}
    past = replace(visible, statuses=(STATUS_CODES[Status.SUPERSEDED],), min_strength=0.0)
    text, vector = question.text, question.vector
    found = engine.gather(text, vector, past, k=_FOUND, by_cosine=True).ids
    versions = view.succession.versions(found) if found else {}
    then = [i for i in found if i in versions and held(versions[i], question.spans)]
    if not then:
        return None, {}
    return engine.describe(text, vector, then, past), versions
