"""Small memories about a few persons or projects, and questions that some of them cannot answer.

What is told of each is drawn by chance from matters that hold facts and questions in English,
Russian and German; what is not told of somebody is asked all the same, and so is what is told of
somebody else alone. A question is as likely to be one or the other, so that nothing but the memory
tells which. Three more memories are written by hand, and nothing is fitted on them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Name = Mapping[str, str]

HELD = "held"
"""What a note answers."""
MISSING = "missing"
"""What no note tells of anybody."""
OF_ANOTHER = "of_another"
"""What a note tells, but not of whom it is asked."""
_STORES = 90
_SEED = 7
_PEOPLE = (1, 2, 2, 3, 4)
_TOLD = (2, 4, 6, 9, 12)
"""Matters that are told of each."""
_ASKED = {HELD: 4, OF_ANOTHER: 2, MISSING: 4}
"""Questions about each, at most."""
_CARELESS = 0.3
"""Share of the questions without a question mark."""


class Ask(NamedTuple):
    """A question; ``answered_by`` is the place of the note that answers it, None without one.

    ``matter`` names what it asks for: no fit may be judged on a matter that it has seen.
    """

    text: str
    sort: str
    matter: str
    answered_by: int | None


@dataclass(frozen=True, slots=True)
class Store:
    """A memory of a few notes with its questions."""

    key: str
    lang: str
    notes: Sequence[str]
    questions: Sequence[Ask]


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of whom, by places of matters and names, and in which note."""

    matters: Sequence[Mapping[str, Any]]
    names: Sequence[Name]
    note_of: Mapping[tuple[int, int], int]

    def sort_of(self, matter: int, name: int) -> str:
        """Return what a question about a matter of somebody is."""
        if (matter, name) in self.note_of:
            return HELD
        told = any((matter, other) in self.note_of for other in range(len(self.names)))
        return OF_ANOTHER if told else MISSING


def dealt() -> Iterator[Store]:
    """Deal the memories; the same ones each time."""
    raw = _read()
    draw = random.Random(_SEED)  # noqa: S311 - reproducible choice, no secret
    for number in range(_STORES):
        lang, of = ("en", "ru", "de")[number % 3], ("person", "project")[number // 3 % 2]
        yield _dealt(raw, f"{number}-{lang}-{of}", lang, of, draw)


def written() -> Iterator[Store]:
    """Yield the memories that are written by hand."""
    for store in _read()["stores"]:
        lang = store["lang"]
        asks = [
            Ask(text, MISSING if place is None else HELD, "", place)
            for text, place in store["questions"]
        ]
        yield Store(f"written-{lang}", lang, store["notes"], asks)


def _read() -> dict[str, Any]:
    path = resources.files("realmemory.eval").joinpath("data", "on_topic.json")
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return raw


def _dealt(raw: dict[str, Any], key: str, lang: str, of: str, draw: random.Random) -> Store:
    matters = [matter for matter in raw["matters"] if matter["of"] == of]
    names = draw.sample(raw["names"][of][lang], draw.choice(_PEOPLE))
    each = draw.choice(_TOLD)
    told = [
        (matter, name)
        for name in range(len(names))
        for matter in draw.sample(range(len(matters)), each)
    ]
    draw.shuffle(told)
    notes = [
        _filled(draw.choice(matters[matter][lang]["facts"]), names[name]) for matter, name in told
    ]
    known = _Told(matters, names, {pair: at for at, pair in enumerate(told)})
    return Store(key, lang, notes, list(_questions(known, lang, draw)))


def _questions(known: _Told, lang: str, draw: random.Random) -> Iterator[Ask]:
    for at, name in enumerate(known.names):
        for sort, most in _ASKED.items():
            those = [m for m in range(len(known.matters)) if known.sort_of(m, at) == sort]
            for place in draw.sample(those, min(most, len(those))):
                matter = known.matters[place]
                text = _filled(draw.choice(matter[lang]["questions"]), name)
                note = known.note_of.get((place, at))
                yield Ask(_as_typed(text, lang, draw), sort, matter["id"], note)


def _filled(text: str, name: Name) -> str:
    for case, form in name.items():
        text = text.replace(f"{{{case}}}", form)
    return text[0].upper() + text[1:]


def _as_typed(text: str, lang: str, draw: random.Random) -> str:
    """Return a question as people type it: without a capital, without a mark."""
    if lang != "de" and draw.random() < 1 / 2:
        text = text[0].lower() + text[1:]
    return text.rstrip("?") if draw.random() < _CARELESS else text
