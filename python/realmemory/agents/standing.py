"""Which memories that are surely about a prompt may be shown: none of others, none that has changed.

The same decisions as recall's stages ``strangers`` and ``news``, on the few rows that a hook looks
at, and only where something is about to be shown.
"""

from __future__ import annotations

from array import array

from realmemory.policies.times.time_words import HINTS
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from realmemory.core.quick import StaticQuery
    from realmemory.policies.change.changes import Changed
    from realmemory.policies.subject.grammar import Counterpart
    from realmemory.store.glance import Glance

    Row = tuple[Any, ...]
    Ranked = list[tuple[float, Row]]

_FIRST = 3
"""Rows that a later memory may be news of: as many as are shown."""
_CONFLICTS = 16
_PULLED = 2
"""What contradicts them and was not found, of which the latest are looked at."""
_OF_MANY = 400
"""Characters from which a text has many subjects."""
_TEXT, _TOLD_AT = 1, 6


class _Said(NamedTuple):
    """What a row says, and when it was told, epoch seconds."""

    text: str
    observed_at: float


class Typed:
    """What the user typed: ``text``, its vector, where it was typed and when, epoch seconds."""

    __slots__ = ("now", "project", "scope_ids", "text", "vector")

    def __init__(
        self,
        text: str,
        vector: StaticQuery,
        project: str | None,
        scope_ids: Sequence[int],
        now: float,
    ) -> None:
        self.text = text
        self.vector = vector
        self.project = project
        self.scope_ids = scope_ids
        self.now = now


def standing(view: Glance, typed: Typed, ranked: Ranked, floor: float) -> Ranked:
    """Return what may be shown of some rows, the likeliest first.

    A prompt that names a time may mean what held then.

    Args:
        view: A look into the store.
        typed: The prompt.
        ranked: Rows with their chances, the likeliest first; also those that may be news of others.
        floor: Least chance of what is shown.
    """
    if not _names_time(typed.text, typed.now):
        ranked = _of_whom_is_asked(typed, ranked)
        ranked = _with_news(view, typed, ranked, floor)
    return [one for one in ranked if one[0] >= floor]


def _names_time(prompt: str, now: float) -> bool:
    low = prompt.casefold()
    if not any(hint in low for hint in HINTS) and not any(map(str.isdigit, low)):
        return False
    from realmemory.policies.times.moments import spans  # noqa: PLC0415 - few prompts name a time

    return bool(spans(prompt, now))


def _of_whom_is_asked(typed: Typed, ranked: Ranked) -> Ranked:
    """Leave out what tells of others than those whom the prompt names, or not what it asks for."""
    from realmemory.policies.subject.counterparts import ONE  # noqa: PLC0415 - see the module
    from realmemory.policies.subject.strangers import Asked  # noqa: PLC0415

    def is_one(found: Counterpart) -> bool:
        return found.alike and typed.vector.likeness(*found[:2]) >= ONE

    said = {at: row[_TEXT] for at, (_, row) in enumerate(ranked) if len(row[_TEXT]) < _OF_MANY}
    chances = array("d", [one[0] for one in ranked])
    asked = Asked.of(typed.text, typed.text.casefold(), typed.project)
    strange = asked.others(said, chances, is_one)
    return [one for at, one in enumerate(ranked) if at not in strange]


def _with_news(view: Glance, typed: Typed, ranked: Ranked, floor: float) -> Ranked:
    """Put news in the place of what it tells of."""
    first = [row[0] for chance, row in ranked[:_FIRST] if chance >= floor]
    if not first:
        return ranked
    against: dict[int, set[int]] = {}
    for one, other in view.conflicts(first, _CONFLICTS):
        against.setdefault(one, set()).add(other)
        against.setdefault(other, set()).add(one)
    further = against.keys() - {row[0] for _, row in ranked}
    if further:
        latest = sorted(further)[-_PULLED:]
        pulled = view.shown(latest, typed.scope_ids, typed.now)
        ranked = [*ranked, *((0.0, pulled[one]) for one in latest if one in pulled)]
    told = list(_told(typed.text, ranked, first, against))
    return _applied(ranked, told) if told else ranked


def _applied(ranked: Ranked, told: Sequence[tuple[int, int, Changed]]) -> Ranked:
    from realmemory.policies.change.changes import Changed  # noqa: PLC0415 - see the module
    from realmemory.policies.currency import overtake  # noqa: PLC0415

    chances = array("d", [one[0] for one in ranked])
    places = array("d", chances)
    gone = set()
    for old, new, how in told:
        surely = how is Changed.SURELY
        if overtake(chances, places, old, new, surely=surely) and places[new] > places[old]:
            gone.add(old)
    left = [(places[at], row) for at, (_, row) in enumerate(ranked) if at not in gone]
    return sorted(left, key=lambda one: (-one[0], one[1][0]))


def _told(
    prompt: str, ranked: Ranked, first: Sequence[int], against: dict[int, set[int]]
) -> Iterator[tuple[int, int, Changed]]:
    """Yield the places of what was said first and of its news, in order of time."""
    from realmemory.policies.change.changes import (  # noqa: PLC0415 - see the module
        Changed,
        news_among,
    )
    from realmemory.policies.currency import as_likely  # noqa: PLC0415

    texts = {row[0]: _Said(row[_TEXT], row[_TOLD_AT]) for _, row in ranked}
    places = {row[0]: at for at, (_, row) in enumerate(ranked)}
    rivals = {row[0] for chance, row in ranked if as_likely(chance, ranked[0][0])}
    for old, new, how in news_among(prompt, texts, first, against, rivals):
        if how is Changed.ANEW or _bears(prompt, texts[old].text, texts[new].text):
            yield places[old], places[new], how


def _bears(prompt: str, earlier: str, later: str) -> bool:
    from realmemory.policies.change.bearing import Bearing  # noqa: PLC0415 - see the module

    return Bearing.of(prompt).answers(earlier, later)
