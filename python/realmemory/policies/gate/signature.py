"""Whether two similar texts state the same fact.

Cosine cannot tell "16" from "8", "allowed" from "not allowed", or "tabs over spaces" from
"spaces over tabs". The signature compares what carries the fact: numbers with their units,
identifiers, negation, what is permitted or demanded, the content words that only one side has,
and who does what to whom. In doubt two texts are different: a fact kept twice can be merged
later, a fact merged away is lost.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from realmemory.late import late_pattern
from realmemory.policies.gate.little_words import little_words_differ, turned_about
from realmemory.policies.gate.reading import FactSignature, stem_of
from realmemory.policies.gate.roles import joined, rearranged, roles_differ, voices_differ
from realmemory.policies.gate.subjects import exchanged, other_subjects
from realmemory.policies.gate.symbols import written_on_words
from realmemory.policies.gate.telling import told_otherwise
from realmemory.policies.words import CYRILLIC, synonyms

if TYPE_CHECKING:
    from collections.abc import Collection


_CLOSE = 0.5
"""Share of common content from which a difference contradicts instead of adding a topic."""
_TOLD_BY_NONE = 2
"""Letters up to which a word may be a function word of any language."""
_FULL_NAME = late_pattern(r"\b[^\W\d_a-zäöüßа-яё]\w+(?: [^\W\d_a-zäöüßа-яё]\w+)+")
"""Words with capitals beside each other."""
_ROOT = 6
_SUFFIX = 3
SOFT = frozenset(["content", "order"])
"""Differences that other words for the same matter make."""
FAR = ("content",)
"""What texts differ in that are too far apart to be compared."""
_ADDED = frozenset(["more", "content"])
"""What a text that only says more differs in; beside other differences a symbol decides nothing."""
_LONGEST_FRAME = 200
"""Words of sentences that are aligned; longer ones would cost their square."""
_PLACES_TO_FILL = 2
SAME_MATTER = 2
"""Facts in common from which one statement may be news about the other."""
LONGEST_NEWS = 12
"""Words that only one of two statements may have for one to be news about the other."""


class Comparison(NamedTuple):
    """How two texts differ.

    ``contradicts`` means that both cannot simply be the same fact told at different length: each
    says something in the place where the other says something else. ``common`` counts the words,
    numbers and identifiers that they share. ``apart`` says that they tell of things with different
    identifiers, which contradict only where one may be the other, mistyped.
    """

    differences: tuple[str, ...]
    contradicts: bool
    common: int
    apart: bool = False


def least_shared(ours: FactSignature) -> float:
    """Return how many of our words a text holds that may state the same fact or contradict it.

    Either takes at least half of our facts: :func:`compare` calls texts close only when the facts
    that one has alone number at most half of the common ones, or one. Words that are spelled
    otherwise elsewhere (synonyms, units, numbers, identifiers, forms of a Russian root), or that
    some language counts for nothing ("o"), count as held, so that a text is passed over only when a comparison would find it far away.
    """
    facts = ours.facts
    loose = sum(
        not fact.isalpha() or _may_be_kindred(fact) or len(fact) <= _TOLD_BY_NONE
        for fact in facts
        if not (fact.isascii() and fact.isalpha() and len(fact) > _TOLD_BY_NONE)
    )
    return len(facts) / 2 - loose


def _may_be_kindred(stem: str) -> bool:
    return not stem.isascii() and len(stem) >= _ROOT - _SUFFIX and bool(CYRILLIC.search(stem))


def far_apart(first: FactSignature, second: FactSignature) -> bool:
    """Return whether :func:`compare` can find neither the same fact nor a contradiction.

    Costs a fraction of comparing, for texts that share a few words by chance.
    """
    ours, theirs = first.facts, second.facts
    if not ours or not theirs:
        return False
    rest = ours ^ theirs
    if all(fact == "1" or _may_be_kindred(fact) for fact in rest):
        return False
    common = len(ours & theirs)
    if common / min(len(ours), len(theirs)) < _CLOSE:
        return True
    return not _close(ours, theirs) and not _reports_change(first, second)


def compare(first: FactSignature, second: FactSignature, *, rephrased: bool = False) -> Comparison:
    """Compare two signatures; no differences means that they state the same fact.

    Args:
        first: What one text states.
        second: What the other states.
        rephrased: Whether other words may say the same here, so that how they tell it decides.
    """
    ours, theirs = first.facts, second.facts
    common = len(ours & theirs)
    if not ours or not theirs:
        return _compare_without_facts(first, second)
    found, contradicts = _leftovers(first, second)
    close = _close(ours, theirs)
    if first.negations != second.negations:
        found.append("negation")
        contradicts = True
    if _permits_what_is_demanded(first, second):
        found.append("modality")
        contradicts = True
    if _opposed(first, second) or _places_differ(first, second):
        found.append("antonym")
        contradicts = True
    if {"content"} <= set(found) <= {"content", "negation"}:
        # Words that stand in each other's place deny each other; a sentence that is built
        # otherwise is more often the same matter in other words.
        # An alignment depends on its direction; which text came first must not matter.
        contradicts = (
            contradicts and close and (_in_place(first, second) or _in_place(second, first))
        )
    if not found and roles_differ(first, second):
        found.append("order")
        contradicts = voices_differ(first, second) is True or (
            rearranged(first, second) and not (joined(first, second) or joined(second, first))
        )
    if first.symbols != second.symbols:
        if set(found) <= _ADDED:
            contradicts = _symbols_opposed(first, second)
        found.append("symbols")
    replaced = bool(found) and common / min(len(ours), len(theirs)) >= _CLOSE
    replaced = replaced and _reports_change(first, second)
    # How a fact is told makes another of it, but never the opposite.
    found += _told(first, second, found, rephrased=rephrased)
    subjects = other_subjects(first, second)
    if subjects is not None and not exchanged(*subjects):
        return Comparison(tuple(found), contradicts=False, common=common, apart=True)
    conflict = (contradicts and close) or replaced
    return Comparison(tuple(found), conflict, common, apart=subjects is not None)


def _told(
    first: FactSignature, second: FactSignature, found: Collection[str], *, rephrased: bool
) -> list[str]:
    """Name the ways in which texts that may state the same facts tell them otherwise."""
    if not set(found) <= (SOFT if rephrased else set()):
        return []
    told = told_otherwise(first, second)
    otherwise = turned_about if found else little_words_differ
    return told or (["wording"] if otherwise(first, second) else [])


def _compare_without_facts(first: FactSignature, second: FactSignature) -> Comparison:
    same = first.plain == second.plain and first.symbols == second.symbols
    found = told_otherwise(first, second) if same else ["content"]
    return Comparison(tuple(found), contradicts=False, common=0)


def _permits_what_is_demanded(first: FactSignature, second: FactSignature) -> bool:
    if not (first.modals and second.modals) or first.negations:
        return False
    return first.modals.isdisjoint(second.modals)


def _close(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Say whether texts have so much in common that what one has alone stands against the other."""
    common = len(ours & theirs)
    apart = max(len(ours), len(theirs)) - common
    return common / min(len(ours), len(theirs)) >= _CLOSE and apart <= max(1, common // 2)


def _reports_change(first: FactSignature, second: FactSignature) -> bool:
    """Say whether one of two short statements tells that the matter of both has changed."""
    ours, theirs = first.facts, second.facts
    common = ours & theirs
    if len(common) < SAME_MATTER or len(ours ^ theirs) > LONGEST_NEWS:
        return False
    if first.news is second.news:
        return False
    # First and last name are one matter.
    names = (
        {stem_of(word) for word in run.casefold().split()} for run in _FULL_NAME.findall(first.text)
    )
    again = sum(max(len(name & common) - 1, 0) for name in names)
    return len(common) - again >= SAME_MATTER


def _leftovers(first: FactSignature, second: FactSignature) -> tuple[list[str], bool]:
    """Name the kinds of words that one side has alone, and say whether both sides have some."""
    found: list[str] = []
    lonely = [0, 0]
    for name, ours, theirs in (
        ("numbers", first.numbers, second.numbers),
        ("identifiers", first.identifiers, second.identifiers),
        ("content", first.content, second.content),
    ):
        if ours == theirs:
            continue
        left, right = _unrelated(_without(ours, theirs), _without(theirs, ours))
        if name == "numbers" and {*left, *right} <= {"1"} and _one_is_a_word(first, second):
            continue
        if (
            name == "content"
            and not (left and right)
            and _only_locates(first, second, left | right)
        ):
            continue
        if left or right:
            found.append(name)
            lonely[0] += bool(left)
            lonely[1] += bool(right)
    if "content" in found and _names_differ(first, second):
        found.append("names")
    if found and not all(lonely):
        return ["more", *found], False
    return found, bool(found)


def _only_locates(first: FactSignature, second: FactSignature, alone: set[str]) -> bool:
    """Say whether "is in" only became "is located in"."""
    return alone == {"=located"} and all(
        item.surface in synonyms.LOCATED
        for one in (first, second)
        for item in one.items
        if item.stem == "=located"
    )


def _one_is_a_word(first: FactSignature, second: FactSignature) -> bool:
    """Say whether "one" stands for "a" rather than for a count."""
    return all(
        item.surface != "1" for one in (first, second) for item in one.items if item.stem == "1"
    )


def _names_differ(first: FactSignature, second: FactSignature) -> bool:
    return not (first.names <= second.content and second.names <= first.content)


def _opposed(first: FactSignature, second: FactSignature) -> bool:
    opposites, right = _opposites(), second.stems - first.stems
    left = first.stems - second.stems
    return any(not opposites[one].isdisjoint(right) for one in opposites.keys() & left)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pair in synonyms.OPPOSITES:
        one, other = map(stem_of, pair)
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def _places_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether each side has a marker of place, time or direction in the other's place."""
    return not (first.places <= second.places or second.places <= first.places)


def _symbols_opposed(first: FactSignature, second: FactSignature) -> bool:
    """Say whether symbols stand in each other's place, or one on a word that is bare elsewhere."""
    left = _without(first.symbols, second.symbols)
    right = _without(second.symbols, first.symbols)
    if left and right:
        return True
    marked, bare = (first, second) if left else (second, first)
    # What only the bare text says may be the symbol in words ("minus", "euros").
    return written_on_words(left or right) and bare.content <= marked.content


def _without(ours: Collection[str], theirs: Collection[str]) -> Collection[str]:
    """Return what one side has more often than the other."""
    if isinstance(ours, frozenset):
        return ours.difference(theirs)
    once = set(ours)
    return once.difference(theirs) if len(once) == len(ours) else Counter(ours) - Counter(theirs)


def _unrelated(left: Collection[str], right: Collection[str]) -> tuple[set[str], set[str]]:
    """Drop pairs that are forms of one Russian root, where the stemmer leaves two stems."""
    ours, theirs = set(left), set(right)
    for one in sorted([one for one in ours if not one.isascii() and CYRILLIC.search(one)]):
        kin = next((other for other in sorted(theirs) if _kindred(one, other)), None)
        if kin is not None:
            ours.discard(one)
            theirs.discard(kin)
    return ours, theirs


def _kindred(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return (
        len(short) >= _ROOT
        and len(long) - len(short) <= _SUFFIX
        and long.startswith(short)
        and bool(CYRILLIC.search(short))
    )


def _in_place(first: FactSignature, second: FactSignature) -> bool:
    """Say whether two sentences are one frame with other words in one or two of its places."""
    ours, theirs = ([item.stem for item in one.items] for one in (first, second))
    if max(len(ours), len(theirs)) > _LONGEST_FRAME:
        return True
    content = first.content | second.content
    filled = 0
    for tag, i, j, k, end in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        left, right = set(ours[i:j]) & content, set(theirs[k:end]) & content
        if tag == "equal" or not (left or right):
            continue
        if not (left and right and left.isdisjoint(right)):
            return False
        filled += 1
    return 1 <= filled <= _PLACES_TO_FILL
