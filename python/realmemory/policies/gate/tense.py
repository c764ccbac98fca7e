"""Of which time two sentences with the same words tell: "passed", "passes", "will pass".

English by auxiliaries and the forms of verbs, Russian by endings. A participle ("moved to Friday")
tells of the time of its auxiliary, or of any. A sentence that shows no time is taken for the
present: in doubt two texts are different. With a date the present tells of the future as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from realmemory.policies.gate.reading import canonical
from realmemory.policies.words import (
    CYRILLIC,
    little,
    markers,
    statements,
    synonyms,
    verbs,
    word_set,
)

if TYPE_CHECKING:
    from realmemory.policies.gate.utterance import Spoken, Utterance

RUSSIAN_PAST = re.compile(r"[аеиоуыюя]л[аио]?(?:с[яь])?$")
_RUSSIAN_OTHER = re.compile(r"(?:[еи](?:шь|т|м|те)|[уюая]т|ть|[аеиоуыюя]ю)(?:с[яь])?$")
_RUSSIAN_PARTICIPLE = re.compile("(?:н|т)[аоы]?$")
_RUSSIAN_UNDER_WAY = re.compile("(?:[еуюя]т|ит)ся$")
_RUSSIAN_DONE = re.compile("[аяеёоу]н[аоы]?$|[аеиоуыюя]т[аоы]$")
_NOUN = re.compile(r"(?:ions?|ments?|ances?|ences?|ness|ity|ities|ures?|able|ly|ive)$")
_BE = little.IS | word_set("be been being get gets")
_ARE = little.IS | {"be"}
_WERE = little.WAS | {"got"}
_WAS_ONCE = frozenset(["was", "were"])
_IS_NOW = frozenset(["is", "are", "am"])
_HAVE = little.HAS | {"having"}
_REACH = 3
"""Words that may stand between an auxiliary and what it governs."""
_SHORTEST = 4
"""Letters of a word whose ending tells that it is a form of a verb."""


@dataclass
class _Times:
    """What one text shows; ``past`` and ``other`` are stems in a form of that time.

    ``passed`` are those of participles after "was", ``standing`` after "is"; ``free`` says that one
    has no auxiliary. ``future`` is one without a date, ``announced`` one with. ``stages`` are, by stem,
    how far what is told of has come.
    """

    future: bool = False
    announced: bool = False
    was: bool = False
    present: bool = False
    free: bool = False
    dated: bool = False
    past: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    standing: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)
    stages: dict[str, set[str]] = field(default_factory=dict)

    def comes(self) -> bool:
        """Whether it tells of the future."""
        return self.future or self.announced


def tenses_differ(first: Utterance, second: Utterance) -> bool:
    """Say whether one text tells of another time than the other."""
    if _ended_in_german(first, second) or _ended_in_german(second, first):
        return True
    if _turned_past(first, second) or _turned_past(second, first):
        return True
    one, other = _times(first), _times(second)
    if _announces(one, other) or _announces(other, one) or _stages_differ(one, other):
        return True
    return _ran_out(one, other) or _ran_out(other, one)


def _announces(then: _Times, now: _Times) -> bool:
    """Say whether the first text tells as yet to come what the second does not."""
    return then.comes() and not now.comes() and (then.future or not now.dated)


def _stages_differ(one: _Times, other: _Times) -> bool:
    """Say whether something is under way in one text, and done or to be done in the other."""
    return any(
        one.stages[stem].isdisjoint(other.stages[stem])
        for stem in one.stages.keys() & other.stages.keys()
    )


def _ended_in_german(then: Utterance, now: Utterance) -> bool:
    """Say whether a word of one text, as "spielt", has the ending of the past in the other."""
    return any(word.endswith("te") and word[:-1] in now.heard for word in then.heard - now.heard)


def _turned_past(then: Utterance, now: Utterance) -> bool:
    """Say whether what once was now is, in a text that tells of another time as well."""
    was, still_was = (_followers(_WAS_ONCE, text) for text in (then, now))
    now_is, then_is = (_followers(_IS_NOW, text) for text in (now, then))
    return not (was - still_was).isdisjoint(now_is - then_is)


def _followers(auxiliaries: frozenset[str], text: Utterance) -> set[str]:
    return {said.after for said in text.words if said.word in auxiliaries}


def _ran_out(then: _Times, now: _Times) -> bool:
    """Say whether the first text tells as past what the second does not."""
    if now.was:
        return False
    if then.was and not now.past and not now.passed and (now.present or not now.free):
        return True
    told = (now.other | (now.standing & then.passed)) - now.past - now.passed
    return not ((then.past | then.passed) - then.other).isdisjoint(told)


def _times(text: Utterance) -> _Times:
    found = _Times(dated=text.dated)
    words = text.words
    for at, one in enumerate(words):
        behind = [item.word for item in words[max(0, at - _REACH) : at]]
        ahead = [item.word for item in words[at + 1 : at + 1 + _REACH]]
        _take_stage(found, one.word, behind)
        if not _take_auxiliary(found, one, ahead):
            _take_verb(found, one, behind)
    return found


def _take_stage(found: _Times, word: str, behind: list[str]) -> None:
    """Note whether what a word tells of is under way, still to be done, or done."""
    if CYRILLIC.search(word):
        stage = _stage_in_russian(word)
    elif _ARE.isdisjoint(behind):
        return
    elif any(one in _ARE and other == "to" for one, other in pairwise(behind)):
        stage = "to do"
    elif "to" in behind and behind[-2:] != ["to", "be"]:
        return
    elif "being" in behind or (word.endswith("ing") and word != "being"):
        stage = "under way"
    else:
        stage = "done"
    if stage:
        found.stages.setdefault(canonical(verbs.BASES.get(word, word)), set()).add(stage)


def _stage_in_russian(word: str) -> str:
    if len(word) <= _SHORTEST:
        return ""
    if _RUSSIAN_UNDER_WAY.search(word):
        return "under way"
    return "done" if _RUSSIAN_DONE.search(word) else ""


def _take_auxiliary(found: _Times, one: Spoken, ahead: list[str]) -> bool:
    """Note the time of an auxiliary; return whether the word is one."""
    word = one.word
    governs = any(map(_is_past_form, ahead))
    if word in little.FUTURES:
        found.future |= not one.dated
        found.announced |= one.dated
    elif word in _WERE:
        # The participle says what it was that happened.
        found.was |= not governs
    elif word in little.PASTS or _used_to(one):
        found.was = True
    elif word in little.RUSSIAN_WAS:
        found.was |= not any(map(_RUSSIAN_PARTICIPLE.search, ahead))
    elif word in _HAVE:
        perfect = one.after != "to" and (governs or "been" in ahead)
        found.was |= perfect
        found.present |= not perfect
    elif word in little.PRESENTS:
        found.present = True
    else:
        return False
    return True


def _used_to(one: Spoken) -> bool:
    """Say whether it is the "used to" of a former habit, not of a purpose."""
    return one.word == "used" and one.after == "to" and one.before not in _BE


def _take_verb(found: _Times, one: Spoken, behind: list[str]) -> None:
    word = one.word
    stem = canonical(verbs.BASES.get(word, word))
    if CYRILLIC.search(word):
        if RUSSIAN_PAST.search(word):
            found.past.add(stem)
        elif _RUSSIAN_OTHER.search(word):
            found.other.add(stem)
    elif _is_past_form(word):
        _take_past_form(found, one, stem, behind)
    elif _stands_as_verb(one) or not (_NOUN.search(word) or word in verbs.NOUNS_FOR_VERBS):
        found.other.add(stem)


def _take_past_form(found: _Times, one: Spoken, stem: str, behind: list[str]) -> None:
    if not _WERE.isdisjoint(behind):
        found.passed.add(stem)
    elif not _BE.isdisjoint(behind):
        found.standing.add(stem)
    elif not _HAVE.isdisjoint(behind) or _is_attribute(one):
        found.free = True
    else:
        found.past.add(stem)


def _stands_as_verb(one: Spoken) -> bool:
    """Say whether a word that may be a noun ("document", "reply") stands where a verb does."""
    return one.before in statements.BEFORE_VERBS or (
        one.after in statements.NOMINAL and one.before not in statements.NOMINAL | markers.MARKERS
    )


def _is_past_form(word: str) -> bool:
    if verbs.BASES.get(word, word) != word:
        return True
    if len(word) < _SHORTEST or word in synonyms.LOCATED:
        return False
    return word.endswith("ed") and not word.endswith("eed")


def _is_attribute(one: Spoken) -> bool:
    """Say whether a form like "failed" describes a thing instead of telling what it did."""
    if one.after == "by" or one.before in markers.MARKERS:
        return True
    if one.begins:
        # "Failed jobs are kept" begins with one, "Watered the plants" does not.
        return one.after not in statements.NOMINAL | markers.MARKERS
    return (
        one.before in statements.NOMINAL - statements.PEOPLE.keys()
        or one.before in little.ENGLISH_OWNERS
    )
