"""Whether two statements of one form may both hold: "Dana speaks French", "Dana speaks German".

Somebody lives in one place and speaks several languages. What is said with a verb of the second sort
contradicts nothing that is said with it of another thing, and what is said of one numbered thing
nothing that is said of the next.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from realmemory.late import late_pattern
from realmemory.policies.gate.reading import stem_of
from realmemory.policies.gate.utterance import names_date
from realmemory.policies.question.interrogatives import tells_number
from realmemory.policies.words import calendar, little, markers, word_set

if TYPE_CHECKING:
    from realmemory.policies.gate.reading import FactSignature, Word

_SEVERAL = frozenset(
    map(
        stem_of,
        """
        like love enjoy know speak learn own buy bought read play visit meet met support collect grow
        host serve cover fear keep teach study repair bake sing write eat drink sell contain include
        depend offer
        mag liebt kennt spricht lernt besitzt kauft liest spielt besucht sammelt unterstützt isst
        trinkt verkauft enthält lehrt
        любит знает говорит учит купил купила читает играет посетил посетила собирает поддерживает
        ест пьет продает содержит преподает
        """.split(),  # noqa: SIM905 - a word list reads as one
    )
)
"""Verbs of which one may have several things at once."""
_USES = word_set(
    """
    use uses used using need needs require requires nutzt nutzen verwendet verwenden braucht
    brauchen benötigt использует используем нужен нужна нужно требует требуется
    """
)
"""The same of verbs that are no content of a signature."""
_FOR = word_set("for as to instead für als zum zur для как вместо")
"""What tells a purpose, which one thing serves at a time."""
_HAS = (little.HAS | word_set("hat haben habe"), little.INDEFINITE | word_set("ein eine einen"))
"""What somebody has one of beside others: "has a cat"."""
_ONE = word_set(
    """
    only favourite favorite best default main primary standard nur einzige hauptsächlich только
    любимый основной основная основное
    """
)
"""Words of what there is one of."""
_NUMBER = frozenset(["number", "no", "nr", "nummer", "номер"])
_PADDED = late_pattern(r"0\d+")
_PLACES = 2
"""Places in which statements about two subjects differ: the subject, and what is said of it."""
_TIES = little.ARTICLES | little.PREPOSITIONS
"""What stands between a subject and whose or what it is of."""
_SUBJECT = 4
"""Tokens at the beginning among which a numbered thing stands."""


def compatible(first: FactSignature, second: FactSignature) -> bool:
    """Say whether nothing that two texts differ in keeps one from holding beside the other."""
    if first.negations != second.negations or first.modals != second.modals:
        return False
    if not _ONE.isdisjoint(first.plain) or not _ONE.isdisjoint(second.plain):
        return False
    return (
        _next_of_a_series(first, second)
        or _apart_in_padded(first, second)
        or _of_several(first, second)
        or _each_of_its_own(first, second)
        or _when_and_what(first, second)
    )


def _each_of_its_own(first: FactSignature, second: FactSignature) -> bool:
    """Say whether each tells another value of another subject: "Ann sits in room 3", "Ben in room 5".

    Both are one frame with other words at its beginning and at its end, and neither tells news.
    """
    if first.news or second.news:
        return False
    ours, theirs = first.items, second.items
    left, right = ([item.stem for item in items] for items in (ours, theirs))
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    others = [block for block in blocks if block[0] != "equal"]
    if len(others) != _PLACES or any(block[0] != "replace" for block in others):
        return False
    (_, i, j, k, end), (_, m, n, p, q) = others
    if not {*left[i:j], *left[m:n]}.isdisjoint((*right[k:end], *right[p:q])):
        # The same two have changed places.
        return False
    begins = _in_subject(first, i) and _in_subject(second, k)
    begins = begins and not any(map(_numbers, (*ours[i:j], *theirs[k:end])))
    values = ours[m:n], theirs[p:q]
    return begins and all(any(map(_is_value, value)) for value in values)


def _in_subject(text: FactSignature, at: int) -> bool:
    """Say whether what stands there names the subject, or whose or what it is of: "the key for the lab"."""
    before = sum(item.surface not in _TIES for item in text.items[:at])
    return at < _PLACES or before < _PLACES


def _is_value(item: Word) -> bool:
    if item.name or item.surface in calendar.NAMES:
        return True
    return tells_number(item.surface) or names_date(item.surface)


def _numbers(item: Word) -> bool:
    return item.surface[0].isdigit()


def _of_several(first: FactSignature, second: FactSignature) -> bool:
    if first.stems.isdisjoint(second.stems & _SEVERAL) and not (
        _both_use(first, second) or (_has_one(first) and _has_one(second))
    ):
        return False
    alone = [
        item
        for item in (*first.items, *second.items)
        if item.stem not in first.stems & second.stems
    ]
    return all(_things(items, alone) for items in (first.items, second.items))


def _both_use(first: FactSignature, second: FactSignature) -> bool:
    """Say whether both texts use or need something, behind the verb, and for no purpose."""
    if not _FOR.isdisjoint(first.plain) and not _FOR.isdisjoint(second.plain):
        return False
    return any(
        _is_behind(verb, first, second) and _is_behind(verb, second, first)
        for verb in _USES.intersection(first.plain, second.plain)
    )


def _is_behind(verb: str, ours: FactSignature, theirs: FactSignature) -> bool:
    behind = ours.plain[ours.plain.index(verb) + 1 :]
    return all(item.surface in behind for _, item in _alone(ours, theirs))


def _has_one(text: FactSignature) -> bool:
    has, one = _HAS
    return any(verb in has and article in one for verb, article in pairwise(text.plain))


def _when_and_what(first: FactSignature, second: FactSignature) -> bool:
    """Say whether one text has a time alone where the other tells what or where: both may hold."""
    sides = [_alone(ours, theirs) for ours, theirs in ((first, second), (second, first))]
    leads = [{lead for lead, _ in side} for side in sides]
    if not all(sides) or not leads[0].isdisjoint(leads[1]):
        return False
    dated = [[names_date(item.surface) for _, item in side] for side in sides]
    return any(
        all(when) and not any(what) and "" not in lead
        for when, what, lead in ((*dated, leads[0]), (*dated[::-1], leads[1]))
    )


def _alone(ours: FactSignature, theirs: FactSignature) -> list[tuple[str, Word]]:
    """Return what a text says alone, each with the marker before it."""
    around = pairwise((None, *ours.items))
    return [
        (before.stem if before is not None and before.marker else "", item)
        for before, item in around
        if item is not None
        and item.stem not in theirs.stems
        and not (item.marker and item.stem in markers.MARKERS)
    ]


def _things(items: tuple[Word, ...], alone: list[Word]) -> bool:
    """Say whether a text has a thing of its own that is no date, number or marker."""
    return any(
        item in alone
        and not item.marker
        and not (names_date(item.surface) or tells_number(item.surface))
        for item in items
    )


def _next_of_a_series(first: FactSignature, second: FactSignature) -> bool:
    """Say whether texts begin with numbered things of one sort, none of which both name."""
    one, other = _numbered(first), _numbered(second)
    return bool(one and other and one[0] == other[0] and one[1] != other[1])


def _apart_in_padded(first: FactSignature, second: FactSignature) -> bool:
    """Say whether texts differ in numbers alone that begin with zeros, which count no amount."""
    if len(first.plain) != len(second.plain):
        return False
    pairs = [pair for pair in zip(first.plain, second.plain, strict=True) if pair[0] != pair[1]]
    return bool(pairs) and all(map(_PADDED.fullmatch, chain.from_iterable(pairs)))


def _numbered(text: FactSignature) -> tuple[str, str] | None:
    plain = text.plain[1:] if text.plain[:1] and text.plain[0] in little.INDEFINITE else text.plain
    if len(plain) < _SUBJECT or not plain[0].isalpha():
        return None
    if plain[1] in _NUMBER:
        plain = (plain[0], *plain[2:])
    numbered = plain[1].isdigit() or (len(plain[1]) == 1 and plain[1].isalpha())
    return (plain[0], plain[1]) if numbered else None
