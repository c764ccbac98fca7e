"""Owners: whose thing it is: "Hedwig's phone" is not "Marta's phone"."""

from __future__ import annotations

from realmemory.policies.subject.grammar import MUTUAL, Counterpart
from realmemory.policies.subject.names import find_name, is_german, is_name
from realmemory.policies.words import CYRILLIC
from realmemory.policies.words.little import DETERMINERS
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from realmemory.policies.subject.grammar import Words


class Owners(NamedTuple):
    """A question about what is somebody's; ``owned`` says where owners stand and who they are."""

    words: Words
    german: bool
    owned: list[tuple[int, str]]

    @classmethod
    def of(cls, words: Words) -> Self:
        """Return whose things a question asks about."""
        german = is_german(words.low)
        return cls(words, german, list(_owned(words, german=german)))

    def counterparts(self, said: Words) -> Iterator[Counterpart]:
        """Yield whose the same things are in a text."""
        if self.owned:
            yield from self._others(said)
        if CYRILLIC.search(self.words.low[-2]):
            yield from _of_whom(self.words, said)

    def _others(self, said: Words) -> Iterator[Counterpart]:
        words = self.words
        theirs = dict(_owned(said, german=self.german))
        for at, owner in self.owned:
            head = words.low[at + 1]
            places = [place - 1 for place in said.find(head)]
            if not places or not all(place in theirs for place in places):
                continue
            if any(is_name(words.bare[at], said.bare[place]) for place in places):
                continue
            if head in MUTUAL and find_name(words.bare[at], said.bare):
                continue
            # The birthday of "my wife" may be told by her name.
            if _is_described(words, at) and not _is_described(said, places[0]):
                continue
            yield Counterpart(owner, theirs[places[0]], alike=not words.tall[at])


def _of_whom(words: Words, said: Words) -> Iterator[Counterpart]:
    """What is whose in Russian, where the owner stands behind: "день рождения Юли"."""
    for at in range(1, len(words.low)):
        owner, thing = words.low[at], words.low[at - 1]
        if not (CYRILLIC.search(owner) and words.is_content(at) and words.is_content(at - 1)):
            continue
        if not (words.tall[at] or at == len(words.low) - 1 - (not words.low[-1][0].isalnum())):
            continue
        behind = [place + 1 for place in said.find(thing)]
        if not behind or find_name(words.bare[at], said.bare):
            continue
        if all(said.is_content(place) and said.tall[place] for place in behind):
            yield Counterpart(owner, said.low[behind[0]])


def _owned(words: Words, *, german: bool) -> Iterator[tuple[int, str]]:
    """Yield where owners stand right before what they own, and who they are."""
    if not german and True not in words.owner:
        return
    for at, owner in enumerate(words.low[:-1]):
        if not (words.is_content(at) and words.is_content(at + 1)):
            continue
        bare = german and owner.endswith("s") and not _is_described(words, at)
        if words.owner[at] or (bare and (words.tall[at] or not any(words.tall[1:]))):
            yield at, owner


def _is_described(words: Words, at: int) -> bool:
    return at > 0 and words.low[at - 1] in DETERMINERS
