"""Whose matter a sentence of a conversation is, by its form: English and Russian.

What is told without a "you" is the speaker's own; what is told with one, or names somebody, is
about that person; a question leaves its matter to whoever is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from realmemory.core.text import analyze
from realmemory.late import late_pattern
from realmemory.policies.question.shapes import addresses_assistant, first_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.store.records import TurnPlace

_SENTENCE = late_pattern(r"\s(?:(?<=[.!?…]\s)|(?<=\n))\s*")
"""Begins with what it looks for: to look behind at every character takes three times as long."""
_WIDE = ("。", "！", "？")
"""Ends of sentences that no space follows."""
_PARTS = frozenset(
    {"user", "human", "assistant", "ai", "agent", "bot", "model", "system", "tool", "function"}
)
"""Names that say what part somebody plays, and roles of the machine but for the user's."""
_PEOPLE = frozenset({"user", "human"})
_ALIKE = 3
"""Letters that every form of a name begins with."""
_CALLED_AFTER = 1
"""Words before a name at the start of a sentence that only calls somebody ("Thanks, Ann!")."""


class Voice(IntEnum):
    """Who speaks: the person that a question names, another one, or nobody who can be told."""

    NAMED = 0
    OTHER = 1
    UNKNOWN = 2


class Matter(IntEnum):
    """What a sentence is to the person that a question names."""

    TOLD = 0
    ASKED = 1
    OTHER_TOLD = 2
    OTHER_TOLD_OF = 3
    OTHER_ASKED = 4


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker whom a question names, with the terms of the name."""

    name: str
    speakers: frozenset[str]
    terms: frozenset[str]
    begins: tuple[str, ...]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, names: Iterable[str]) -> Person:
        """Return the person who goes by some names."""
        speakers = frozenset(names)
        terms = frozenset(term for name in speakers for term in analyze(name))
        begins = tuple(sorted({term[:_ALIKE] for term in terms}))
        # The module keeps what it compiled: once a name.
        either = "|".join(map(re.escape, begins))
        pattern = re.compile(rf"\b(?:{either})[^\W\d_]*(?:['’]s\b)?", re.IGNORECASE)
        return cls(
            min(speakers, key=lambda name: (len(name), name)), speakers, terms, begins, pattern
        )

    def without(self, text: str) -> str:
        """Return a text without the name, in whatever form it stands there."""
        for word in reversed(self._words(text)):
            text = text[: word.start()] + text[word.end() :]
        return text

    def is_called_by_case(self, question: str) -> bool:
        """Say whether the name is spelled like one, unless the question has no capitals.

        Where other words begin with a capital, "rose" is a flower and not the speaker Rose.
        """
        if any(not word[0][0].islower() for word in self._words(question)):
            return True
        return not any(word[0].isupper() for word in question.split()[1:])

    def spoken_of(self, sentences: Sequence[str]) -> list[bool]:
        """Return which sentences of a turn are about the person.

        That is those which name the person, but not only to call them, and what follows, as far as
        it is not about the speaker.
        """
        named, result = False, []
        for sentence in sentences:
            words = self._words(sentence)
            if words and not sentence.islower():
                words = [word for word in words if not word[0][0].islower()]
            here = not all(_calls(sentence, word) for word in words)
            named = named or here
            result.append(here or (named and not first_person(sentence)))
        return result

    def _words(self, text: str) -> list[re.Match[str]]:
        """Return where forms of the name stand in a text."""
        lowered = text.lower()
        if not any(begin in lowered for begin in self.begins):
            return []
        return [
            word
            for word in self.pattern.finditer(text)
            if not self.terms.isdisjoint(analyze(word[0]))
        ]


def _calls(sentence: str, word: re.Match[str]) -> bool:
    """Say whether a name is set off, as one who is spoken to is called."""
    before, after = sentence[: word.start()].rstrip(), sentence[word.end() :].lstrip()
    begins = len(before.split()) <= _CALLED_AFTER or before[-1] in ",;:–—-"
    return begins and (not after or after[0] in ",;:!?.…–—-")


def person_named(question: str, named: Mapping[str, frozenset[str]]) -> Person | None:
    """Return the one person whom a question names, None when it names several or a part played.

    Args:
        question: What is asked.
        named: The speakers whom it names, with the terms that their names share with it.
    """
    if not named or any(name.casefold() in _PARTS for name in named):
        return None
    # "Ann" and "Ann Smith" are one as far as the question can tell.
    if not frozenset.intersection(*named.values()):
        return None
    person = Person.of(named)
    return person if person.is_called_by_case(question) else None


def voice_of(place: TurnPlace, person: Person) -> Voice | None:
    """Return whose voice a turn is; None for a machine's, whose turns are nobody's own matters."""
    if place.role is not None and place.role.strip().casefold() in _PARTS - _PEOPLE:
        return None
    if not place.speaker or place.speaker.casefold() in _PARTS:
        return Voice.UNKNOWN
    return Voice.NAMED if place.speaker in person.speakers else Voice.OTHER


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    if not text.isascii():
        for end in _WIDE:
            text = text.replace(end, end + "\n")
    return [part for part in _SENTENCE.split(text) if part and not part.isspace()]


def matter_of(voice: Voice, sentence: str, *, of_person: bool) -> Matter | None:
    """Return what a sentence is to the person named; None where it is neither's own matter.

    Args:
        voice: Who speaks.
        sentence: What is said.
        of_person: Whether another speaker speaks of the person.
    """
    if voice is Voice.UNKNOWN:
        return Matter.TOLD
    asks = sentence.rstrip().endswith(("?", "？"))
    if voice is Voice.NAMED:
        if asks:
            return Matter.ASKED
        return None if addresses_assistant(sentence) else Matter.TOLD
    if asks:
        return Matter.OTHER_ASKED
    return Matter.OTHER_TOLD_OF if of_person or addresses_assistant(sentence) else Matter.OTHER_TOLD
