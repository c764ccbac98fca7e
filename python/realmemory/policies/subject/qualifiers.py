"""Qualifiers: which one of a sort it is: the production database is not the staging database."""

from __future__ import annotations

from realmemory.core.text import count_query_words
from realmemory.late import late_pattern
from realmemory.policies.subject.grammar import Counterpart
from realmemory.policies.subject.names import one_edit
from realmemory.policies.words import CYRILLIC
from realmemory.policies.words.little import BE, DETERMINERS, PREPOSITIONS
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from realmemory.policies.subject.grammar import Words

_ADJECTIVE = late_pattern(
    r".{3,}(?:[ыио]й|[ая]я|[ое]е|[ыи]е|[ое]го|[ое]му|[ую]ю|[ыи]м|[ыи]х|[ое]м)"
)
_GENERAL = frozenset(
    """
    new old current main big small large little good best favourite favorite whole own same actual exact
    full real usual local entire only other few many much more most first last next latest previous
    former neue neuen neuer neues alte alten alter altes aktuelle große großen kleine kleinen ganze
    eigene eigenen erste letzte nächste новый новая новое новую старый старая старое старую большой
    большая маленький первый последний следующий
    """.split()  # noqa: SIM905 - a word list reads as one
)
"""What stands before a noun and seldom tells one such thing from another."""
_STATE = late_pattern(r"\w{3,}ed")
"""What was done to a thing seldom tells which one it is."""
_OPPOSED = frozenset(
    frozenset(pair.split())
    for pair in (
        "new old", "big small", "large small", "big little", "first last", "first second", "last next",
        "former current", "neue alte", "neuen alten", "neuer alter", "neues altes", "große kleine",
        "großen kleinen", "erste letzte", "letzte nächste", "новый старый", "новая старая",
        "новое старое", "новую старую", "большой маленький", "первый последний",
    )
)  # fmt: skip
_BEFORE_KINDS = ("of", "von")
_DATE_OF = late_pattern(
    r"(\w+) (?:of|from|on|vom|am|от) (?:the )?((?:\d{1,2}(?:st|nd|rd|th|\.)? [^\W\d]{3,})|(?:[^\W\d]{3,} \d{1,2}\b))"
)


class Qualifiers(NamedTuple):
    """What tells which things a question asks about.

    ``kinds`` says where such words stand, where the nouns that they tell it of do, and whether they
    stand behind these; ``dates`` which things are of which day.
    """

    words: Words
    kinds: list[tuple[int, int, bool]]
    dates: list[tuple[str, str]]

    @classmethod
    def of(cls, words: Words) -> Self:
        """Return what tells which things a question asks about."""
        return cls(words, list(_kinds(words)), _dated(words))

    def counterparts(self, said: Words) -> Iterator[Counterpart]:
        """Yield which ones of the same sorts a text tells of."""
        told = _dated(said) if self.dates else []
        for what, day in self.dates:
            days = [when for thing, when in told if thing == what]
            if days and all(sorted(day.split()) != sorted(when.split()) for when in days):
                yield Counterpart(day, days[0], alike=False)
        words = self.words
        for kind, at, behind in self.kinds:
            head, one = words.low[at], words.low[kind]
            others = [_told_of(said, place, behind=behind) for place in said.find(head)]
            other = others[0] if others else None
            if other is None or None in others or said.holds(one) or words.holds(other):
                continue
            if _distinct(one, other):
                yield Counterpart(one, other)


def _kinds(words: Words) -> Iterator[tuple[int, int, bool]]:
    """Yield what tells which one is meant, as in :class:`Qualifiers`; "a" does not mean one."""
    ways = (False, True) if any(word in words.low for word in _BEFORE_KINDS) else (False,)
    for at, content in enumerate(words.content):
        for behind in ways if content else ():
            kind = _kind_of(words, at, behind=behind)
            if kind is not None and not (kind and words.low[kind - 1] in {"a", "an"}):
                yield kind, at, behind


def _kind_of(words: Words, at: int, *, behind: bool) -> int | None:
    """Return where the word stands that tells which one the noun at a place is."""
    if not behind:
        return at - 1 if at > 0 and words.content[at - 1] and _qualifies(words, at - 1) else None
    if words.low[at + 1 : at + 2] in (["of"], ["von"]):
        kind = at + 2
        if kind < len(words.low) and words.low[kind] in DETERMINERS:
            kind += 1
        return kind if words.is_content(kind) else None
    return None


def _told_of(words: Words, at: int, *, behind: bool) -> str | None:
    """Return the word that tells it in a text, where it stands rather there, or else elsewhere."""
    for where in (behind, not behind):
        kind = _kind_of(words, at, behind=where)
        if kind is not None:
            return words.low[kind]
    return None


def _distinct(one: str, other: str) -> bool:
    """Say whether two words before a noun can tell one such thing from another."""
    if frozenset((one, other)) in _OPPOSED:
        return True
    if one_edit(one, other) or _STATE.fullmatch(one) or _STATE.fullmatch(other):
        return False
    if not (count_query_words(one) and count_query_words(other)):
        return False
    return _GENERAL.isdisjoint((one, other)) and one.isalpha() is other.isalpha()


def _qualifies(words: Words, at: int) -> bool:
    """Say whether the word of content at a place tells of which sort the noun behind it is."""
    if not words.is_content(at + 1) or words.owner[at]:
        return False
    if CYRILLIC.search(words.low[at]):
        return _ADJECTIVE.fullmatch(words.low[at]) is not None
    before = words.low[at - 1] if at else "."
    return (
        not before[0].isalnum()
        or before in DETERMINERS
        or before in PREPOSITIONS
        or before in BE
        or words.owner[at - 1]
    )


def _dated(words: Words) -> list[tuple[str, str]]:
    """Return what is of which day."""
    if not any(word[0].isdigit() for word in words.low):
        return []
    return _DATE_OF.findall(" ".join(words.low))
