"""Whether little words make another statement of the same facts.

A preposition, a pronoun, "only" or "or" carries no fact by itself, and each may turn one around. So
two texts are kept apart where one has such a word alone, or has it beside other words, unless it
is known to say nothing there. Of a language of which nothing is known every word counts, and its
place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from realmemory.policies.gate.reading import every_word
from realmemory.policies.gate.roles import GENITIVES, numbers_moved, voices_differ
from realmemory.policies.gate.utterance import names_date
from realmemory.policies.words import little, markers, numbers, statements, synonyms

if TYPE_CHECKING:
    from collections.abc import Collection

    from realmemory.policies.gate.reading import FactSignature, Word

_RUSSIAN = re.compile("[ыэ]|(?:[еиуюая]т|[еи]м|ть|л[аои]?)(?:с[яь])?$")
"""Letters and endings of Russian that its neighbours write otherwise."""
_KNOWN = little.ENGLISH | synonyms.FILLERS | {"только"}
_COMPARED = (
    markers.SILENT
    | synonyms.FILLERS
    | statements.MODALS.keys()
    | statements.FORBIDDEN
    | little.CONDITIONALS
)
"""What says nothing, or is compared by what it says."""
_DENIAL = "not"
"""Stands for every negation; how many there are is compared elsewhere, what they deny is here."""
_OF_AGENTS = frozenset(["by", "in", "on", "with", "of", "for"])
"""Come and go where what is done to a thing becomes what somebody does to it."""


def little_words_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether texts with the same facts in the same roles differ in a word that may matter."""
    if first.plain == second.plain:
        return False
    silent = _saying_nothing({*first.plain, *second.plain})
    if silent is None:
        return True
    one, other = (_telling(every_word(text.text), silent) for text in (first, second))
    rebuilt = _is_rebuilt(first, second, one, other)
    return _one_has_alone(one, other, rebuilt=rebuilt) or (
        not rebuilt and _stand_elsewhere(one, other)
    )


def turned_about(first: FactSignature, second: FactSignature) -> bool:
    """Say whether of texts in other words one has another direction, actor, or place of a number."""
    if numbers_moved(first, second):
        return True
    one, other = every_word(first.text), every_word(second.text)
    ours, theirs = _directions(one), _directions(other)
    if any(ours[stem] != theirs[stem] for stem in ours.keys() & theirs.keys()):
        return True
    left, right = (
        {word.stem for word in words} & statements.PEOPLE.keys() for words in (one, other)
    )
    return first.auxiliary is second.auxiliary and bool(left - right and right - left)


def _directions(words: list[Word]) -> dict[str, str]:
    """Return the preposition of direction that each word with content follows, if one does."""
    found, marker = {}, ""
    for word in words:
        if word.surface in markers.MARKERS:
            marker = _key(word)
        elif not _is_little(word):
            if marker in markers.DIRECTIONS:
                found[word.stem] = marker
            marker = ""
    return found


def _saying_nothing(spoken: Collection[str]) -> frozenset[str] | None:
    """Return the words that say nothing in the language of two texts, None if it is not known."""
    if not _KNOWN.isdisjoint(spoken) or any(map(_RUSSIAN.search, spoken)):
        return _COMPARED
    known = synonyms.SYNONYMS.keys() | little.GERMAN_PREPOSITIONS
    return None if known.isdisjoint(spoken) else frozenset()


def _telling(words: list[Word], silent: frozenset[str]) -> list[Word]:
    """Leave out the words that say nothing where they stand."""
    if not silent:
        return words
    around = zip([None, *words], words, [*words[1:], None], strict=False)
    return [
        # What is no article is a name, or makes more of "few".
        word._replace(
            light=word.light and (word.stem not in little.INDEFINITE or _of_amount(after))
        )
        for before, word, after in around
        if not _is_little(word) or not (word.surface in silent or _is_silent(before, word, after))
    ]


def _of_amount(after: Word | None) -> bool:
    return after is not None and after.surface in numbers.AMOUNTS


def _is_silent(before: Word | None, word: Word, after: Word | None) -> bool:
    if word.stem in little.INDEFINITE:
        # It is none in "from A to B" and "a few".
        return after is not None and not _is_little(after) and not _of_amount(after)
    if word.stem == "to":
        modal = before is not None and before.light and before.stem in statements.MODALS
        return modal or (after is not None and after.surface in _COMPARED)
    return word.stem == "on" and after is not None and names_date(after.surface)


def _is_little(word: Word) -> bool:
    return word.light or word.surface in markers.MARKERS or word.surface in statements.PEOPLE


def _is_rebuilt(
    first: FactSignature, second: FactSignature, one: list[Word], other: list[Word]
) -> bool:
    """Say whether one text tells what is done to a thing, the other what somebody does to it."""
    if first.auxiliary is second.auxiliary and voices_differ(first, second) is None:
        return False
    before, after = ([_person(word) for word in words if not word.marker] for words in (one, other))
    return before != after


def _person(word: Word) -> str:
    return statements.PEOPLE.get(word.stem, word.stem)


def _key(word: Word) -> str:
    return _DENIAL if word.stem in little.NEGATIONS else markers.ALIKE.get(word.stem, word.stem)


def _one_has_alone(one: list[Word], other: list[Word], *, rebuilt: bool) -> bool:
    """Say whether one text has a little word that the other lacks and that may matter."""
    ours, theirs = (
        Counter(
            _person(word) if rebuilt and word.stem in statements.PEOPLE else _key(word)
            for word in words
            if _is_little(word)
        )
        for words in (one, other)
    )
    left, right = ours - theirs, theirs - ours
    spared = {_DENIAL, *(_OF_AGENTS if rebuilt else ())}
    people = [statements.PEOPLE.keys() & alone for alone in (left, right)]
    if all(people):
        return True
    exchanged = not any(map(markers.MARKERS.isdisjoint, (left, right)))
    return any(
        key not in statements.PEOPLE
        and key not in spared
        and (exchanged or not _makes_genitive(key, here, there))
        for alone, here, there in ((left, one, other), (right, other, one))
        for key in alone
    )


def _makes_genitive(key: str, here: list[Word], there: list[Word]) -> bool:
    """Say whether a word makes "name of the doctor" of "doctor's name", or "archives of the job"."""
    if key == "of" and any(word.stem in ("its", "their") for word in there):
        return True
    turned = list(pairwise(word.stem for word in there if not _is_little(word)))
    return key in GENITIVES and any(
        _akin(before, front) and _akin(after, back)
        for before, after in _beside(here)[key]
        for back, front in turned
    )


def _akin(one: str, other: str) -> bool:
    """Say whether stems are of one root, as those of "квартальный" and "квартал" are."""
    if not (one and other):
        return False
    return one.startswith(other) or other.startswith(one)


def _stand_elsewhere(one: list[Word], other: list[Word]) -> bool:
    """Say whether a little word of both texts stands beside other words."""
    ours, theirs = _beside(one), _beside(other)
    shared = {key for key in ours.keys() & theirs.keys() if len(ours[key]) == len(theirs[key])}
    if any(_torn(key, ours[key], theirs[key]) for key in shared):
        return True
    if _fixed(one, set()) != _fixed(other, set()):
        return False
    if _fixed(one, shared) != _fixed(other, shared):
        return True
    places = zip(_denied(one), _denied(other), strict=False)
    return _DENIAL in shared and any(abs(here - there) > 1 for here, there in places)


def _fixed(words: list[Word], shared: set[str]) -> list[str]:
    """Return the words with content and, of some little ones, those that never move alone."""
    moving = {_DENIAL, *markers.FLOATING, *statements.LIMITS}
    return [
        _key(word)
        for word in words
        if not _is_little(word) or (_key(word) in shared and _key(word) not in moving)
    ]


def _denied(words: list[Word]) -> list[int]:
    """Return behind how many words with content each negation stands."""
    return [
        len(_fixed(words[:at], set())) for at, word in enumerate(words) if _key(word) == _DENIAL
    ]


def _beside(words: list[Word]) -> dict[str, list[tuple[str, str]]]:
    """Return the words with content before and behind each little word."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    before = [""]
    for word in words:
        if word.begins:
            before[-1] = ""
        before.append(before[-1] if _is_little(word) else word.stem)
    after = ""
    for at in range(len(words) - 1, -1, -1):
        if _is_little(words[at]):
            found[_key(words[at])].append((before[at], after))
        else:
            after = words[at].stem
        if words[at].begins:
            after = ""
    return found


def _torn(key: str, ours: list[tuple[str, str]], theirs: list[tuple[str, str]]) -> bool:
    before, after = (
        [sorted(pair[side] for pair in pairs) for pairs in (ours, theirs)] for side in (0, 1)
    )
    if after[0] == after[1]:
        return False
    if key == _DENIAL or key in markers.FLOATING:
        beside = [{*before[at], *after[at]} - {""} for at in (0, 1)]
        return beside[0].isdisjoint(beside[1])
    if key in statements.LIMITS:
        return not (len(ours) == 1 and (_stepped(*ours, *theirs) or _stepped(*theirs, *ours)))
    return before[0] != before[1] or (key in markers.BINDING and "" not in (*after[0], *after[1]))


def _stepped(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Say whether "only takes cards" became "takes only cards"."""
    return bool(one[0]) and one[1] == other[0]
