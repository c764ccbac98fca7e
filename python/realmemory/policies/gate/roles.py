"""Whether the same words stand in other roles: who does what to whom.

English tells it by the order of the words, which may still be turned around in some ways; Russian
by endings, for which see :mod:`realmemory.policies.gate.endings`.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

from realmemory.policies.gate.endings import roles_differ_by_form
from realmemory.policies.gate.reading import stem_of
from realmemory.policies.gate.utterance import names_date
from realmemory.policies.words import CYRILLIC, little, markers, numbers, statements, verbs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.policies.gate.reading import FactSignature, Word

_AGENT_MARKERS = ("by", "in", "on", "with")
GENITIVES = ("of", "in", "for", "за")
_EACH = "=each"
_TIMES = frozenset(map(stem_of, ("night", "morning", "noon", "afternoon", "evening", "weekend")))
_SORTS = little.INDEFINITE | {"are", "were"}
_LONGEST_MOVE = 200
"""Words of a moved part; looking for longer ones would cost their square."""
_LONGEST_TURN = 40
"""Words around a verb that change places."""
_CASES = (
    frozenset(["when", "whenever", "if", "while", "unless", "once"]),
    frozenset(["before", "after", "until"]),
)
_LISTED = re.compile(r"[,;]\s|\n")
_STEPS = 2
"""Commas in a list of three."""
_JOINTS = frozenset(["and", "or", "и", "или"])
_LONGEST_JOINED = 3
"""Words on either side of an "and" that change places as one."""


def roles_differ(first: FactSignature, second: FactSignature) -> bool:
    """Say whether the same words stand in other roles."""
    left, right = _shared(first, second), _shared(second, first)
    if numbers_moved(first, second):
        return True
    if not any(map(statements.STEPS.isdisjoint, (first.plain, second.plain))):
        return [item.stem for item in left] != [item.stem for item in right]
    if _is_russian(left):
        return roles_differ_by_form(left, right)
    verdict = voices_differ(first, second)
    if verdict is not None:
        return verdict
    one, other = [item.stem for item in left], [item.stem for item in right]
    if one == other:
        return False
    blocks = _transposed(one, other)
    if blocks is None:
        return not _turned_around_verb(one, other)
    return not _harmless(blocks, first, second)


def _is_russian(items: Sequence[Word]) -> bool:
    return any(CYRILLIC.search(item.surface) for item in items)


def numbers_moved(first: FactSignature, second: FactSignature) -> bool:
    """Say whether a number or an identifier stands between other words than before.

    What it is the number of stands beside it; a preposition, a Russian verb before it, "is" before the
    only one, or nothing leaves that open. In English a moved part may end or begin with it.
    """
    ours, theirs = _beside_numbers(first), _beside_numbers(second)
    russian = _is_russian(first.items)
    return any(
        any(one and other and one != other for one, other in sides)
        and (russian or not any(one and one == other for one, other in sides))
        for number in ours.keys() & theirs.keys()
        for sides in map(_sides, ours[number], theirs[number])
    )


def _sides(one: tuple[str, str], other: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(zip(one, other, strict=True))


def _beside_numbers(text: FactSignature) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    items = text.items
    only = len(text.numbers) + len(text.identifiers) == 1
    for at, (before, item, after) in enumerate(
        zip((None, *items), items, (*items[1:], None), strict=False)
    ):
        if item.marker and item.stem not in markers.MARKERS:
            governed = before is not None and before.surface.endswith(verbs.VERB_ENDINGS)
            governed = governed or (only and at == text.copula)
            beside = ("" if governed else _content(before), _content(after))
            found.setdefault(item.stem, []).append(beside)
    return {number: sorted(beside) for number, beside in found.items()}


def _content(item: Word | None) -> str:
    return "" if item is None or item.stem in markers.MARKERS else item.stem


def voices_differ(first: FactSignature, second: FactSignature) -> bool | None:
    """Compare "X does Y" with "Y is done by X"; None when neither names its agent that way."""
    for active, passive in ((first, second), (second, first)):
        before, after = [item.stem for item in active.items], [item.stem for item in passive.items]
        for marker in _AGENT_MARKERS if passive.auxiliary else ():
            if marker not in after[1:-1] or marker in before:
                continue
            at = after.index(marker, 1)
            subject, verb, agent = after[0], after[at - 1], after[at + 1]
            acts = agent in before and any(
                word in before and before.index(agent) < before.index(word)
                for word in (verb, subject)
            )
            if acts or (marker == "by" and verb in before):
                return not acts
    return None


def rearranged(first: FactSignature, second: FactSignature) -> bool:
    """Say whether two sentences have all their words in common, the light ones included."""
    ours, theirs = (Counter(map(stem_of, one.plain)) for one in (first, second))
    return ours == theirs


def joined(first: FactSignature, second: FactSignature) -> bool:
    """Say whether "A and B" became "B and A", which may be the order of two steps, or nothing."""
    one, other = (tuple(map(stem_of, text.plain)) for text in (first, second))
    for at, word in enumerate(first.plain):
        if word not in _JOINTS:
            continue
        for begin, end in product(range(at), range(at + 2, len(one) + 1)):
            if at - begin > _LONGEST_JOINED or end - at - 1 > _LONGEST_JOINED:
                continue
            turned = (*one[:begin], *one[at + 1 : end], one[at], *one[begin:at], *one[end:])
            if turned == other:
                return True
    return False


def _harmless(
    blocks: tuple[list[str], list[str]], first: FactSignature, second: FactSignature
) -> bool:
    """Say whether two neighbouring parts of an English sentence may change places."""
    front, back = blocks
    if any(map(_recurs, blocks)):
        return True
    if _in_two_cases(blocks, first) or _are_steps(blocks, first, second):
        return False
    if front[0] in markers.MARKERS or back[0] in markers.MARKERS or min(len(front), len(back)) > 1:
        return True
    if first.auxiliary is not second.auxiliary:
        return True
    items = (*first.items, *second.items)
    stems = [item.stem for item in first.items]
    around_copula = (
        [*front, *back] == stems and first.copula == len(front) and second.copula == len(back)
    )
    if around_copula and _names_one(first) and _names_one(second):
        return True
    parts = {*front, *back}
    date = {item.stem for item in items if names_date(item.surface)} >= parts
    quoted = any(item.quoted and item.stem in parts for item in items)
    return (
        quoted
        or _genitive(blocks, first, second)
        or (date and front[0].isdigit() is not back[0].isdigit())
    )


def _in_two_cases(blocks: tuple[list[str], list[str]], text: FactSignature) -> bool:
    """Say whether a part that moves is one of several cases, each of which says what is then."""
    stems = [item.stem for item in text.items]
    return any(
        block[0] in cases
        and sum(map(cases.__contains__, stems)) > sum(map(cases.__contains__, block))
        for block in blocks
        for cases in _CASES
    )


def _are_steps(
    blocks: tuple[list[str], list[str]], first: FactSignature, second: FactSignature
) -> bool:
    """Say whether two parts of several words stand in a list, whose order may be that of its steps."""
    return (
        min(map(len, blocks)) > 1
        and all(block[0] not in markers.MARKERS for block in blocks)
        and all(len(_LISTED.findall(text.text)) >= _STEPS for text in (first, second))
    )


def _recurs(block: list[str]) -> bool:
    """Say whether a part tells how often something is done, as "every night" does."""
    return (
        len(block) == 2
        and block[0] == _EACH
        and (block[1] in _TIMES or names_date(block[1]) or block[1] in numbers.UNITS.values())
    )


def _names_one(text: FactSignature) -> bool:
    """Say whether "X is Y" tells who or which one X is, not of which sort."""
    return not little.OF_ONE.isdisjoint(text.plain) and _SORTS.isdisjoint(text.plain)


def _genitive(
    blocks: tuple[list[str], list[str]], first: FactSignature, second: FactSignature
) -> bool:
    """Say whether "team stand-up" became "stand-up of the team"."""
    front, back = blocks
    ours, theirs = ([item.stem for item in text.items] for text in (first, second))
    return any(
        stems[at : at + 3] in ([back[-1], marker, front[0]], [front[-1], marker, back[0]])
        for marker in GENITIVES
        if ours.count(marker) != theirs.count(marker)
        for stems in (ours, theirs)
        for at in range(len(stems) - 2)
    )


def _shared(first: FactSignature, second: FactSignature) -> list[Word]:
    left = Counter(item.stem for item in second.items)
    kept: list[Word] = []
    for item in first.items:
        if left[item.stem] > 0:
            left[item.stem] -= 1
            kept.append(item)
    return kept


def _turned_around_verb(one: list[str], other: list[str]) -> bool:
    """Say whether "unter der Matte liegt er" became "er liegt unter der Matte"."""
    left, right = _turned_part(one, other)
    for at in range(1, len(left) - 1) if len(left) <= _LONGEST_TURN else ():
        front, verb, back = left[:at], left[at : at + 1], left[at + 1 :]
        if [*back, *verb, *front] == right:
            begin = [part[0] in little.GERMAN_PREPOSITIONS for part in (front, back)]
            return begin[0] is not begin[1]
    return False


def _transposed(one: list[str], other: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the two neighbouring blocks whose exchange turns one order into the other."""
    left, right = _turned_part(one, other)
    if len(left) > _LONGEST_MOVE or len(left) != len(right):
        return None
    for cut in range(1, len(left)):
        if left[cut:] + left[:cut] == right:
            return left[:cut], left[cut:]
    return None


def _turned_part(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Return what lies between the common beginning and the common end of two orders."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]
