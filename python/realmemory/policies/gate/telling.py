"""How a fact is told: asked or stated, how surely, of which time, of whom, and of how many.

Two sentences may have every word that carries a fact in common and still not say the same: "Did
Anna approve it?" and "Anna approved it", "the test passed" and "the test passes", "he" and "she",
"my brother" and "my brothers". This is looked at where nothing else tells two texts apart.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

from realmemory.policies.gate.spelling import spelled_otherwise
from realmemory.policies.gate.tense import tenses_differ
from realmemory.policies.gate.utterance import utterance
from realmemory.policies.words import CYRILLIC, little, numbers, statements, synonyms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from realmemory.policies.gate.reading import FactSignature
    from realmemory.policies.gate.utterance import Spoken, Utterance

_MASCULINE = re.compile("л(?:ся)?$")
_FEMININE = re.compile("ла(?:сь)?$")
_REFLEXIVE = ("ся", "сь")
_DONE_BY_OTHERS = re.compile("ли$")
_DONE_BY_ONESELF = re.compile("л(?:ась|ся|ись)$")
_SUBJECTS = {
    re.compile("[ую]$"): re.compile("[ая]$"),
    re.compile("[бвгджзклмнпрстфхцчшщ]а$"): re.compile("[бвгджзклмнпрстфхцчшщ]$"),
}
"""Endings of the accusative of somebody, and of the nominative."""
_INFINITIVE = re.compile("ть$")
_DONE = re.compile("[еиуюая]тся$")
_ROOT_OF_DONE = re.compile("(?:[ое]ва|[аяиеу])?(?:ть|[еиуюая]тся)$")
_VERB_OF_ONE = re.compile("(?:[еи]т(?:ся)?|л(?:[ао])?(?:с[яь])?)$")
_VERB_OF_MANY = re.compile("(?:[уюая]т(?:ся)?|ли(?:сь)?)$")
_NOUNS_OF_MANY = re.compile("(?:ов|ев|ами|ями|ах|ях)$")
_NOUN_OF_ONE = re.compile("(?:[аяую]|[ое]м|[ое]й|ью|[бвгджзклмнпрстфхцчшщ])$")
_AUXILIARIES = little.PRESENTS | little.PASTS | little.FUTURES | little.HAS
_MODALS = statements.MODALS.keys() | {"have"}
_FIRST_WORDS_OF_BANS = ("do", "dont", "don't", "never")


def told_otherwise(first: FactSignature, second: FactSignature) -> list[str]:
    """Name the ways in which two texts tell the same facts otherwise."""
    one, other = utterance(first.text), utterance(second.text)
    found = {
        "question": one.asked != other.asked,
        "modality": _sureness_differs(one, other)
        or (_modals_differ(first, second) and not _done_by_rule(one, other)),
        "tense": tenses_differ(one, other),
        "person": _persons_differ(one, other)
        or _done_to_somebody(one, other)
        or _done_to_somebody(other, one),
        "sense": _each_has_its_own(synonyms.SENSES, one, other)
        or _only_one_works_there(one, other)
        or _only_one_works_there(other, one),
        "pointer": _each_has_its_own(statements.POINTERS, one, other),
        "limit": any(map(_only_one_has, statements.RESTRICTIONS, repeat(one), repeat(other))),
        "bound": _bounds(first) != _bounds(second),
        "count": _counts_differ(one, other),
        "spelling": spelled_otherwise(first.text, second.text),
    }
    return [name for name, differs in found.items() if differs]


def _sureness_differs(one: Utterance, other: Utterance) -> bool:
    supposed = [not little.CONDITIONALS.isdisjoint(text.heard) for text in (one, other)]
    return supposed[0] is not supposed[1]


def _modals_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether one text tells as possible or wanted what the other tells as so, or as more so."""
    if first.modals and second.modals:
        known = statements.MANNERS
        if first.negations and (_denies_modal(first) or _denies_modal(second)):
            # What may not be must not be, and what need not be may be; what should not, might.
            told = [
                (_leaves_free(text), "could" in text.modals, _advises(text))
                for text in (first, second)
            ]
            return told[0] != told[1]
        left, right = (
            Counter(known[word] for word in text.plain if word in known) for text in (first, second)
        )
        return bool(left - right and right - left)
    if not first.modals and not second.modals:
        return False
    plain = second if first.modals else first
    # "Do not feed them" demands what "you must not feed them" does.
    return not (plain.negations and plain.plain[0] in _FIRST_WORDS_OF_BANS)


def _advises(text: FactSignature) -> bool:
    return any(word.startswith("should") for word in text.plain)


def _denies_modal(text: FactSignature) -> bool:
    plain = [word.replace("'", "") for word in text.plain]
    return not statements.DENIED_MODALS.keys().isdisjoint(plain) or any(
        not little.NEGATIONS.isdisjoint(pair) and not _MODALS.isdisjoint(pair)
        for pair in pairwise(plain)
    )


def _leaves_free(text: FactSignature) -> bool:
    """Say whether a denied text, as "need not", denies a need."""
    pairs = map("_".join, pairwise(text.plain))
    return "needn't" in text.plain or not statements.NEEDS.isdisjoint((*text.plain, *pairs))


def _done_by_rule(one: Utterance, other: Utterance) -> bool:
    """Say whether one text has the infinitive of what is done by rule in the other.

    In Russian "оформляется за две недели" says how it has to be done.
    """
    return any(
        {_ROOT_OF_DONE.sub("", word) for word in ours.heard if _INFINITIVE.search(word)}
        & {_ROOT_OF_DONE.sub("", word) for word in theirs.heard if _DONE.search(word)}
        for ours, theirs in ((one, other), (other, one))
    )


def _all(ending: re.Pattern[str], items: list[Spoken]) -> bool:
    return all(ending.search(item.word) for item in items)


def _persons_differ(one: Utterance, other: Utterance) -> bool:
    if _each_has_its_own(statements.PEOPLE, one, other):
        return True
    return any(
        _of_man_and_woman(ours, theirs) or _of_man_and_woman(theirs, ours)
        for ours, theirs in _same_stems(one, other)
    )


def _each_has_its_own(known: Mapping[str, str], one: Utterance, other: Utterance) -> bool:
    """Say whether either text has a word of a class of which the other has another one."""
    left, right = ({known[word] for word in text.heard & known.keys()} for text in (one, other))
    return bool(left - right and right - left)


def _only_one_works_there(ours: Utterance, theirs: Utterance) -> bool:
    """Say whether somebody works at a place in the first text and in the second is only there."""
    return synonyms.WORKING.isdisjoint(theirs.heard) and any(
        said.word in synonyms.WORKING and said.after in synonyms.WORKPLACES for said in ours.words
    )


def _only_one_has(words: frozenset[str], one: Utterance, other: Utterance) -> bool:
    return words.isdisjoint(one.heard) is not words.isdisjoint(other.heard)


def _bounds(text: FactSignature) -> Counter[str]:
    """Return what stands before the numbers of a text: "up to 5" is not 5."""
    plain = text.plain
    before = (
        plain[at - 2] if plain[at - 2 : at] == ("up", "to") else plain[at - 1]
        for at, word in enumerate(plain)
        if at and (word[0].isdigit() or word in numbers.NUMBERS)
    )
    return Counter(numbers.BOUNDS[word] for word in before if word in numbers.BOUNDS)


def _of_man_and_woman(ours: list[Spoken], theirs: list[Spoken]) -> bool:
    """Say whether a Russian verb tells of a man here and of a woman there."""
    return _all(_MASCULINE, ours) and _all(_FEMININE, theirs)


def _done_to_somebody(then: Utterance, now: Utterance) -> bool:
    """Say whether others do to somebody what she does herself: "Лену уволили", "Лена уволилась"."""
    pairs = list(_same_stems(then, now))
    return any(
        _all(_DONE_BY_OTHERS, ours) and _all(_DONE_BY_ONESELF, theirs) for ours, theirs in pairs
    ) and any(
        _all(ending, ours) and _all(_SUBJECTS[ending], theirs)
        for ours, theirs in pairs
        for ending in _SUBJECTS
    )


def _counts_differ(one: Utterance, other: Utterance) -> bool:
    owners = [text.heard & little.RUSSIAN_OF_ONE for text in (one, other)]
    others = [text.heard & little.RUSSIAN_OF_MANY for text in (one, other)]
    if (owners[0] and not others[0] and others[1] and not owners[1]) or (
        owners[1] and not others[1] and others[0] and not owners[0]
    ):
        return True
    # "Every Friday" and "on Fridays" are the same days.
    if not statements.DISTRIBUTIVES.isdisjoint(one.heard | other.heard):
        return False
    return any(
        _one_and_many(ours, theirs) or _one_and_many(theirs, ours)
        for ours, theirs in _same_stems(one, other)
    )


def _same_stems(one: Utterance, other: Utterance) -> Iterator[tuple[list[Spoken], list[Spoken]]]:
    """Yield how both texts spell a stem of which they have no form in common."""
    for stem in one.forms.keys() & other.forms.keys():
        ours, theirs = one.forms[stem], other.forms[stem]
        if {item.word for item in ours}.isdisjoint(item.word for item in theirs):
            yield ours, theirs


def _one_and_many(ours: list[Spoken], theirs: list[Spoken]) -> bool:
    """Say whether a word stands for one in the first text and for several in the second."""
    if CYRILLIC.search(ours[0].word):
        return any(_in_russian(single, many) for single in ours for many in theirs)
    return any(
        many.word in (f"{single.word}s", f"{single.word}es", f"{single.word[:-1]}ies")
        and not (_is_verb(single) or _is_verb(many) or _agree(single, many))
        for single in ours
        for many in theirs
    )


def _agree(single: Spoken, many: Spoken) -> bool:
    """Say whether words go with others: as "sessions expire", or as "a session" means any."""
    return single.before == f"{many.before}s" or (single.before in ("a", "an") and many.begins)


def _is_verb(one: Spoken) -> bool:
    """Say whether a word that may be noun or verb is a verb where it stands."""
    if one.before in statements.BEFORE_VERBS or one.before in _AUXILIARIES:
        return True
    # What begins a sentence demands, unless an auxiliary tells something of it.
    return one.begins and one.word[-1] != "s" and one.after not in _AUXILIARIES


def _in_russian(single: Spoken, many: Spoken) -> bool:
    if single.name or many.name:
        return False
    if _VERB_OF_ONE.search(single.word) and _VERB_OF_MANY.search(many.word):
        # Who does it and what is done may be one and many.
        return single.word.endswith(_REFLEXIVE) is many.word.endswith(_REFLEXIVE)
    return bool(
        _NOUNS_OF_MANY.search(many.word)
        and _NOUN_OF_ONE.search(single.word)
        and not _NOUNS_OF_MANY.search(single.word)
    )
