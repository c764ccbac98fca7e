"""Doers: who does it or is it, and to whom: "Otto speaks Polish", "Emil owes Fay money"."""

from __future__ import annotations

from functools import cache

from realmemory.core.text import analyze
from realmemory.policies.subject.grammar import (
    ASKING,
    ENGLISH_WHAT,
    MUTUAL,
    WHAT,
    WHO,
    Counterpart,
    akin,
)
from realmemory.policies.subject.names import find_name, is_name
from realmemory.policies.words import CYRILLIC
from realmemory.policies.words.little import AUXILIARIES, BE, DETERMINERS, DO, HAVE, PREPOSITIONS
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from realmemory.policies.subject.grammar import Words

_GERMAN_FOR = DETERMINERS | {"für"}
_OF_WHICH = frozenset(
    "welche welcher welches welchen was какой какая какое какие какую каком какого сколько".split()  # noqa: SIM905
)
"""Interrogatives that a noun follows."""
_ASKING_WHO = frozenset(["who", "what", "which"])
"""What may ask for the subject of an English question."""
_ASKED_FOR = 4
"""Words of what a question asks for, at most."""
_RELATIVES = frozenset(
    """
    mother mum mom father dad parents parent sister brother sisters brothers siblings sibling son
    daughter sons daughters kids children child wife husband partner spouse girlfriend boyfriend
    fiancé fiancée uncle aunt cousin cousins nephew niece grandmother grandma grandfather grandpa
    family in-laws friend friends boss manager colleague neighbour neighbor roommate flatmate
    married
    mutter vater eltern schwester bruder geschwister sohn tochter kinder kind frau mann onkel tante
    cousine neffe nichte oma opa freund freundin chef chefin kollege kollegin nachbar nachbarin
    verheiratet
    мать мама отец папа сестра брат сын дочь жена муж дядя тётя бабушка дедушка друг подруга
    начальник коллега сосед соседка
    """.split()  # noqa: SIM905 - as above
)
"""Whoever stands in such a relation to somebody is somebody else."""
_BEGINNINGS = frozenset(word[:2] for word in _RELATIVES if "а" <= word[0] <= "я")
"""What the Russian ones begin with, whose cases are many."""


class Doers(NamedTuple):
    """Who does what in a question.

    ``bare`` says where subjects stand that are one word or name, each with what may be its verb,
    ``deeds`` where verbs stand and who does it, nobody where the question asks for that.
    """

    words: Words
    bare: list[tuple[int, list[str]]]
    deeds: list[tuple[int, list[str]]]

    @classmethod
    def of(cls, words: Words) -> Self:
        """Return who does what in a question."""
        return cls(words, list(_doers(words)), list(_deeds(words)))

    def counterparts(self, said: Words) -> Iterator[Counterpart]:
        """Yield who else does or is the same in a text."""
        if self.bare:
            yield from self._others(said)
        if self.deeds:
            yield from self._swapped(said)
        if self.bare:
            yield from self._relatives(said)

    def _others(self, said: Words) -> Iterator[Counterpart]:
        """Who it is or does it: "does Otto speak Polish" is not "Xenia speaks Polish"."""
        subject, verb = _begun(said)
        words = self.words
        if not subject or subject in words.low:
            return
        if any(said.content[at] and find_name(said.bare[at], words.bare) for at in range(verb)):
            return
        for at, verbs in self.bare:
            named = words.tall[at] and words.low[at - 1] in AUXILIARIES
            agree = any(_one_verb(one, said.low[verb]) for one in verbs)
            if (named or agree) and not find_name(words.bare[at], said.bare):
                yield Counterpart(words.low[at], subject, alike=not words.tall[at])

    def _swapped(self, said: Words) -> Iterator[Counterpart]:
        """Who to whom: "who owes Emil money" is not "Emil owes Fay money"."""
        words = self.words
        for at, subject in self.deeds:
            for place in said.find(words.low[at]):
                doer, behind = _phrase_before(said, place), _phrases_behind(said, place)
                if not doer or "with" in said.low[place + 1 : place + 2]:
                    continue
                if subject and _is_done_to(subject, doer, behind):
                    yield Counterpart(" ".join(subject), " ".join(doer), alike=False)
                elif not subject and _is_done_by(doer, behind, _phrases_behind(words, at)):
                    name = " ".join(doer)
                    yield Counterpart(
                        f"{name} to whom it is done", f"{name} who does it", alike=False
                    )

    def _relatives(self, said: Words) -> Iterator[Counterpart]:
        """What is told of a relative is not told of oneself."""
        words = self.words
        if not any(map(_is_relative, said.low)):
            return
        if words.low[0] in WHO or any(map(_is_relative, words.low)):
            return
        for asked_at, _ in self.bare:
            name = words.low[asked_at]
            places = find_name(words.bare[asked_at], said.bare)
            relatives = [_relative_of(said, place) for place in places]
            if places and all(relatives):
                yield Counterpart(name, f"their {relatives[0]}", alike=False)


def _begun(said: Words) -> tuple[str, int]:
    """Return the bare subject that a text begins with and where its verb stands."""
    at = 1 if said.low[:1] == ["у"] else 0
    if not (said.is_content(at) and said.tall[at]) or said.owner[at]:
        return "", 0
    verb = at + 1
    while verb < len(said.low) and said.tall[verb] and said.is_content(verb):
        verb += 1
    if verb >= len(said.low) or not (said.low[verb] in AUXILIARIES or said.is_content(verb)):
        return "", 0
    return said.low[at], verb


def _doers(words: Words) -> Iterator[tuple[int, list[str]]]:
    """Yield where bare subjects of a question stand, each with what may be its verb."""
    low = words.low
    for at in range(1, len(low)):
        if not words.content[at] or words.owner[at]:
            continue
        before = low[at - 1]
        if before == "ли":
            yield at, low[max(at - 2, 0) : at - 1]
        elif before == "у":
            yield at, [word for word in low if word != low[at]]
        elif before in AUXILIARIES:
            if words.tall[at] or _asks_of_next(words, at - 1):
                yield at, [before, *low[_behind_name(words, at) :][:1]]
        elif _begins(words, at - 1):
            first = low[at - 2] if at > 1 else ""
            if words.tall[at] or not (first in WHO or first in ENGLISH_WHAT):
                yield at, [before]


def _begins(words: Words, at: int) -> bool:
    """Say whether a verb stands first or right behind what is asked for: "welches Auto fährt"."""
    low = words.low
    if not words.is_content(at) or at == 0 or low[at - 1] in ASKING:
        return words.is_content(at)
    start = int(low[0] in PREPOSITIONS)
    return (
        low[start] in _OF_WHICH
        and at <= _ASKED_FOR
        and all(words.is_content(one) or low[one] in _GERMAN_FOR for one in range(start + 1, at))
    )


def _behind_name(words: Words, at: int) -> int:
    at += 1
    while at < len(words.low) and words.tall[at]:
        at += 1
    return at


def _asks_of_next(words: Words, at: int) -> bool:
    """Say whether the word behind an auxiliary is what is asked about: not in "who is ill"."""
    low = words.low
    if at == 0 or low[at] in DO:
        return True
    if low[at - 1] not in WHO | WHAT:
        return low[at - 1] in ASKING or low[at] not in BE
    last = low[-1] if low[-1][0].isalnum() else low[-2]
    return last in PREPOSITIONS or last == "called"


def _one_verb(one: str, other: str) -> bool:
    if one in AUXILIARIES or other in AUXILIARIES:
        return any(one in forms and other in forms for forms in ([one], BE, HAVE))
    return akin(one, other)


def _is_done_to(subject: list[str], doer: list[str], behind: Iterable[list[str]]) -> bool:
    """Say whether somebody else does it, to whom or what a question asks about."""
    if any(_same([one], [other]) for one in subject[-1:] for other in doer[-1:]):
        return subject[:-1] != doer[:-1] and any(_same(subject, one) for one in behind)
    return any(_same(subject[-1:], [word]) for one in behind for word in one)


def _is_done_by(doer: list[str], behind: Iterable[list[str]], asked: Iterable[list[str]]) -> bool:
    """Say whether somebody only does what a question asks who did it to them."""
    return any(_same(doer, one) for one in asked) and not any(_same(doer, one) for one in behind)


def _deeds(words: Words) -> Iterator[tuple[int, list[str]]]:
    """Yield where verbs stand with who does it, nobody where a question asks for that."""
    if words.low[0] not in _ASKING_WHO and DO.isdisjoint(words.low):
        return
    do = next((at for at, word in enumerate(words.low) if word in DO), None)
    for at, verb in enumerate(words.low):
        if words.content[at] and verb not in MUTUAL:
            subject = [] if do is None else _subject_of(words, do, at)
            if subject or (do is None and _asks_who(words, at)):
                yield at, subject


def _asks_who(words: Words, at: int) -> bool:
    """Say whether a verb stands right behind what asks for its subject."""
    low = words.low
    if low[0] != "which" and low[0] in _ASKING_WHO:
        return at == 1 or (at == 2 and low[1] in {"has", "have", "had"})
    return low[0] == "which" and 2 <= at <= 3 and all(map(words.is_content, range(1, at)))


def _subject_of(words: Words, do: int, at: int) -> list[str]:
    """Return the subject between "does" and a verb."""
    if at <= do + 1:
        return []
    start = do + 1 + (words.low[do + 1] in DETERMINERS)
    return words.bare[start:at] if start < at and all(words.content[start:at]) else []


def _phrase_before(words: Words, at: int) -> list[str]:
    """Return the words of content right before a verb."""
    start = at
    while start > 0 and words.is_content(start - 1) and not words.owner[start - 1]:
        start -= 1
    return words.bare[start:at]


def _phrases_behind(words: Words, at: int) -> Iterator[list[str]]:
    """Yield the words of content from where phrases behind a verb begin."""
    for start in range(at + 1, len(words.low)):
        before = words.low[start - 1]
        begins = start == at + 1 or before in DETERMINERS or before in PREPOSITIONS
        if begins and before != "with" and words.is_content(start):
            end = start
            while words.is_content(end):
                end += 1
            yield words.bare[start:end]


def _same(one: list[str], other: list[str]) -> bool:
    """Say whether a phrase is what another begins with."""
    return 0 < len(one) <= len(other) and all(map(_one_word, one, other))


def _one_word(one: str, other: str) -> bool:
    return akin(one.casefold(), other.casefold()) or is_name(one, other)


def _is_relative(word: str) -> bool:
    if word in _RELATIVES:
        return True
    return word[:2] in _BEGINNINGS and analyze(word)[0] in _relatives_in_russian()


@cache
def _relatives_in_russian() -> frozenset[str]:
    return frozenset(analyze(word)[0] for word in _RELATIVES if word[:2] in _BEGINNINGS)


def _relative_of(said: Words, at: int) -> str:
    """Return what somebody at a place is only named as the owner of, if it is a relative."""
    behind = said.low[at + 1 : at + 2]
    if behind and _is_relative(behind[0]) and (said.owner[at] or said.low[at].endswith("s")):
        return behind[0]
    before = at - 1 - (at > 1 and said.low[at - 1] in {"of", "von"})
    if before >= 0 and _is_relative(said.low[before]):
        apart = before < at - 1 or CYRILLIC.search(said.low[at]) is not None
        return said.low[before] if apart else ""
    return ""
