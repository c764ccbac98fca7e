"""Things told apart by numbers: room 128 is not room 84, though the team that booked it may be 84.

Words alone cannot tell: a text about room 128 and team 84 holds every word of a question about room
84. What counts is the noun that a number stands behind, or a letter ("team B"), or that an ordinal
stands before ("the third floor"). A count ("84 rooms", "waited 84 minutes") names nothing, nor does a
day of a month.
"""

from __future__ import annotations

from realmemory.late import late_pattern
from realmemory.policies.subject.grammar import Counterpart, akin
from realmemory.policies.times import time_words
from realmemory.policies.words import CYRILLIC, word_set
from realmemory.policies.words.little import AUXILIARIES
from realmemory.policies.words.numbers import ORDINALS
from realmemory.policies.words.verbs import BASES
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Self

    from realmemory.policies.subject.grammar import Words

_NUMBER = late_pattern(r"\d{1,9}(?:\.\d{1,5})*[a-z]?")
_LETTERS = frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZ")
"""Letters that name; "I" is somebody."""
_NOUN = late_pattern(r"[^\W\d_]{3,}|[hq]\d")
_NTH = late_pattern(r"(\d{1,4})(?:st|nd|rd|th)")
_MARKS = word_set("no nr num number nummer номер")
_LISTED = word_set(", and or und oder и или /")
_SPANNED = word_set("to through till until bis до по - – — ...")
_OPEN = word_set(
    "later newer above below higher up more older earlier neuer höher später выше новее"
)
_ORDERED = word_set(
    "top minus plus times below beyond past than least most about around almost nearly circa ca etwa rund"
)
_VERBS = BASES.keys() | set(BASES.values()) | word_set(
    """
    cost costs weigh weighs take takes took need needs last lasts read reads say says said equal equals
    make makes pay pays spend spent score get gets win wins won lose loses run runs own owns sell sells
    sold buy buys find finds see sees keep keeps send sends sent give gives use uses want wants count
    counts age
    kostet wiegt dauert braucht zählt стоит весит длится
    """
)  # fmt: skip
_DATED = late_pattern("|".join((*time_words.MONTHS, *time_words.WEEKDAYS)))
_RUSSIAN_VERB = late_pattern(r"(?!лет$)\w{2,}(?:л|л[аои]|л[аои]сь|лся|[еиё]т(?:ся)?|[юя]т(?:ся)?)")


class Numbered(NamedTuple):
    """Which numbers of which things a question asks about, the numbers by noun."""

    asked: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, words: Words) -> Self | None:
        """Return which things of a number a question asks about; None when it asks about none.

        What "is" asked at its end may be denied: "is it port 80?" is answered by any other.
        """
        if not words.low:
            return None
        asked: dict[str, frozenset[str]] = {}
        denied = words.low[0] in AUXILIARIES
        last = len(words.low) - (not words.low[-1][0].isalnum())
        for at, noun in enumerate(words.low):
            numbers, end = _numbers_of(words, at)
            if numbers and not (denied and end >= last):
                asked[noun] = asked.get(noun, frozenset()) | numbers
        return cls(asked) if asked else None

    def without(self, numbers: Collection[str]) -> Self | None:
        """Return what is left but for some numbers, such as those of times; None when none is."""
        left = {noun: held.difference(numbers) for noun, held in self.asked.items()}
        left = {noun: held for noun, held in left.items() if held}
        return type(self)(left) if left else None

    def counterpart(self, said: Words) -> Counterpart | None:
        """Return which other one of the same sort a text tells of."""
        for noun, wanted in self.asked.items():
            told: set[str] = set()
            for at, one in enumerate(said.low):
                if _is_form(one, noun):
                    numbers, _ = _numbers_of(said, at)
                    if numbers is None:
                        return None
                    told |= numbers
            if told and not any(_is_of(one, other) for one in wanted for other in told):
                return Counterpart(f"{noun} {min(wanted)}", f"{noun} {min(told)}", alike=False)
        return None


def _is_of(one: str, other: str) -> bool:
    """Say whether one number is the other, or a version of it: 3 and 3.12."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _is_form(one: str, noun: str) -> bool:
    if one == noun:
        return True
    if CYRILLIC.search(noun):
        return akin(one, noun)
    return one in {noun + "s", noun + "es"} or noun in {one + "s", one + "es"}


def _numbers_of(words: Words, at: int) -> tuple[frozenset[str] | None, int]:
    """Return which numbers a noun has, and where they end; None for an open range."""
    none = (frozenset[str](), at)
    if not words.content[at]:
        return none
    ordinal = _ordinal(words.low[at - 1]) if at else ""
    found, place = (frozenset((ordinal,)), at + 1) if ordinal else _listed(words, at + 1)
    # Beside most words stands no number, which is seen sooner than what a word is.
    if not found or not _may_be_numbered(words.low[at]):
        return none
    if ordinal:
        return found, place
    if _opens(words, place):
        return None, place
    if _counts(words, place) or (at and words.low[at - 1] in _ORDERED):
        return none
    return found, place


def _ordinal(word: str) -> str:
    """Return the number that an ordinal stands for, nothing for another word."""
    if word[0].isdecimal() and (nth := _NTH.fullmatch(word)):
        return nth[1]
    return ORDINALS.get(word, "").removeprefix("#")


def _listed(words: Words, place: int) -> tuple[frozenset[str], int]:
    """Return the numbers that stand from a place on, "7, 8 and 9", and where they end."""
    low = words.low
    if low[place : place + 1] and low[place] in _MARKS:
        place += 1 + (low[place + 1 : place + 2] == ["."])
    found: set[str] = set()
    while number := _number(words, place):
        found.add(number)
        listed = low[place + 1 : place + 2] and low[place + 1] in _LISTED
        if not listed or not _number(words, place + 2):
            return frozenset(found), place + 1
        place += 2
    return frozenset(found), place


def _number(words: Words, at: int) -> str:
    """Return the number or the letter that names at a place; nothing where neither stands."""
    if at >= len(words.low):
        return ""
    word = words.low[at]
    if word[0].isdecimal() and _NUMBER.fullmatch(word):
        return word.lstrip("0") or "0"
    return word if words.bare[at] in _LETTERS else ""


def _opens(words: Words, at: int) -> bool:
    """Say whether a range goes on from a place: "3 to 7", "3 or later"."""
    follows, behind = (words.low[place : place + 1] for place in (at, at + 1))
    if not _LISTED.isdisjoint(follows):
        return not _OPEN.isdisjoint(behind)
    return not (_SPANNED | _OPEN).isdisjoint(follows)


def _may_be_numbered(word: str) -> bool:
    return (
        _NOUN.fullmatch(word) is not None
        and word not in _VERBS
        and word not in _ORDERED
        and not word.endswith("ed")
        and not _DATED.fullmatch(word)
    )


def _counts(words: Words, at: int) -> bool:
    """Say whether a number before a place counts what stands there."""
    if not words.is_content(at):
        return False
    word = words.low[at]
    plural = word.endswith("s") and not word.endswith("ss")
    if CYRILLIC.search(word):
        return _RUSSIAN_VERB.fullmatch(word) is None
    return plural or words.tall[at]
