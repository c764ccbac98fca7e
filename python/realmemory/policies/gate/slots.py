"""How much or when something is, of which it is one at a time: "my shoe size is 36".

Who says of the same thing that it is another number tells news of it, whatever stands around the number:
"my shoe size is 37 and a half". What is said of several things, or was measured with another unit, is not
the same.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, pairwise

from realmemory.policies.change.clauses import clauses_of, folded, tokens_of
from realmemory.policies.question.interrogatives import tells_number
from realmemory.policies.words import little, word_set
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.policies.change.clauses import Word

_IS = word_set("is equals ist beträgt это составляет")
_ANYTHING = _IS | little.RUSSIAN_OF_ONE
_HEADING = frozenset(":\u2013\u2014")
"""One of these words or signs stands between something and its number, or begins what has one."""
_OWNERS = little.OWNERS | little.RUSSIAN_OF_ONE
_DEFINITE = _OWNERS | word_set("the der die das")
_NO_ONE = (
    little.INDEFINITE | little.EACH | little.SOME | little.RUSSIAN_OF_MANY | word_set("another")
)
_BEFORE = word_set(
    "now about around roughly only exactly currently still approximately jetzt etwa ca circa nur genau noch теперь сейчас около"
)
"""What may stand between something and its number."""
_LEADS = word_set("at by um bei в")
_PER = word_set("a an per pro each every im в")
"""Before the time in which it is so much."""
_BEHIND = (
    _PER
    | _BEFORE
    | little.ARTICLES
    | word_set("half halb halbe halber с половиной over to bis до o'clock uhr am pm")
)
"""What may stand behind the number without telling of something else."""
_HALF = word_set("half halb halbe halber половиной")
_LONGEST = 8
"""Words of what has the number, from which it is told of more than one thing."""


class _Slot(NamedTuple):
    """What has the number, ``owned`` by somebody, the little word before the number, itself, its units."""

    subject: tuple[str, ...]
    owned: bool
    lead: str
    number: tuple[str, ...]
    units: frozenset[str]


def told_anew(earlier: str, later: str) -> bool | None:
    """Say whether a later text tells another number of the same thing.

    Returns:
        None where it does not; whether the thing is somebody's, which has one number for certain.
    """
    new = _slot_of(later)
    old = None if new is None else _slot_of(earlier)
    if old is None or new is None or (old.subject, old.lead) != (new.subject, new.lead):
        return None
    if old.number == new.number or (old.units and new.units and old.units.isdisjoint(new.units)):
        return None
    return new.owned


@lru_cache(maxsize=1_024)
def _slot_of(text: str) -> _Slot | None:
    if not any(map(str.isdigit, text)):
        return None
    if _HEADING.isdisjoint(text) and _ANYTHING.isdisjoint(tokens_of(folded(text))):
        return None
    clauses = clauses_of(text)
    first, behind = clauses[0].tokens, [one.tokens for one in clauses[1:]]
    if clauses[0].heads and behind:
        subject, value = first, behind.pop(0)
    else:
        at = _value_at(first)
        subject, value = first[:at], first[at:]
    rest = [word for word in value if word.folded not in _IS]
    while rest and rest[0].folded in _BEFORE:
        rest.pop(0)
    lead = rest.pop(0).folded if rest and rest[0].folded in _LEADS else ""
    named = _subject(subject)
    if not named or not rest or not tells_number(rest[0].said):
        return None
    return _read(subject, named, lead, [*rest, *chain.from_iterable(behind)])


def _value_at(tokens: Sequence[Word]) -> int:
    """Return where the words end that name what has a number; Russian has no word for "is"."""
    unsaid = bool(tokens) and tokens[0].folded in little.RUSSIAN_OF_ONE
    for at, word in enumerate(tokens):
        if word.folded in _IS or (unsaid and word.counts):
            return at
    return 0


def _subject(tokens: Sequence[Word]) -> tuple[str, ...]:
    """Return the words of one thing, without articles; none for what may be several."""
    if not 0 < len(tokens) <= _LONGEST or tokens[0].folded in _NO_ONE:
        return ()
    if any(word.counts for word in tokens) or not any(word.content for word in tokens):
        return ()
    definite = tokens[0].folded in _DEFINITE or tokens[0].named
    return tuple(word.folded for word in tokens if word.folded not in little.ARTICLES) * definite


def _read(
    subject: Sequence[Word], named: tuple[str, ...], lead: str, value: Sequence[Word]
) -> _Slot | None:
    """Return what has the number; None where more is told than the number and its unit."""
    units: set[str] = set()
    for before, word in pairwise(value):
        if word.counts or word.folded in _BEHIND:
            continue
        if not word.content or not (before.counts or before.folded in _PER):
            return None
        if before.counts:
            units |= word.stems
    number = tuple(word.folded for word in value if tells_number(word.said) or word.among(_HALF))
    whose = subject[0]
    owned = whose.folded in _OWNERS or whose.said.endswith(("'s", "\u2019s"))
    return _Slot(named, owned, lead, number, frozenset(units))
