"""What a text says has changed: which thing is otherwise now, and what it was before.

"We replaced Datadog with Grafana Cloud" names the old value, "the standup was moved to ten" the thing
that is otherwise, "Helga stepped down" somebody who is gone, "Tim isst wieder Fleisch" a state that
turned. Texts are read by the forms of three languages and by what both name; nothing is looked up.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache, partial
from itertools import pairwise

from realmemory.core.literals import Literals
from realmemory.core.text import analyze_query
from realmemory.late import late_pattern
from realmemory.policies.change.answered import Answered
from realmemory.policies.change.clauses import clauses_of, folded, tokens_of, vocabulary_of
from realmemory.policies.change.rules import (
    RULES,
    from_a_day,
    may_tell,
    other_versions,
    put_right,
    went_elsewhere,
)
from realmemory.policies.change.stated import Stated
from realmemory.policies.gate.corrections import corrects
from realmemory.policies.words import calendar
from realmemory.policies.words import changes as words
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from realmemory.policies.change.bearing import Dated
    from realmemory.policies.change.clauses import Clause, Word
    from realmemory.policies.change.stated import Check

LONGEST = 400
"""Characters from which a text holds words of change about anything."""
_SUBJECT = 4
"""Words among which a numbered thing stands that a text is about."""
_FROM_A_DAY = late_pattern(
    rf"\b(?:{'|'.join(words.SINCE)})\s+(?:(?:the|dem|der)\s+)?(?:\d{{1,2}}\.?\s+)?"
    rf"(?:{'|'.join(calendar.NAMES)}|(?:19|20)\d\d)\b"
)
_DAYS = Literals((*calendar.NAMES, "19", "20"))
"""One of them is in whatever the pattern fits, which takes long to compile; many texts hold none."""
_PHRASES = (*words.DENIALS, *words.BROKEN_SAID, *words.NOWADAYS)
_SAID = Literals(_PHRASES)
_ANYTHING = Literals((*words.TELLING, *words.TELLING_STEMS, *_PHRASES, *calendar.NAMES, "19", "20"))
"""One of them is in whatever tells a change; many texts hold none, which is found sooner."""


class Changed(IntEnum):
    """Whether a text tells that what another states has changed; ``ANEW``: by answering as that does."""

    NO = 0
    MAYBE = 1
    SURELY = 2
    ANEW = 3


class _Told(NamedTuple):
    """What a text tells of changes, whatever it is held against, and the numbered things in it.

    Most texts that hold a word of change tell none of anything, and each is held against many.
    """

    surely: tuple[Check, ...]
    maybe: tuple[Check, ...]
    numbered: Mapping[str, set[str]]


def tells_change(text: str) -> bool:
    """Say whether a text says that something is otherwise now than it was."""
    return len(text) < LONGEST and _tells(text)


@lru_cache(maxsize=1_024)
def _tells(text: str) -> bool:
    if corrects(text):
        return True
    plain = folded(text)
    if not _ANYTHING.any_in(plain):
        return False
    tokens = tokens_of(plain)
    if not tokens.isdisjoint(words.TELLING) or _SAID.any_in(plain):
        return True
    if _from_a_day(plain):
        return True
    return not plain.isascii() and any(token.startswith(words.TELLING_STEMS) for token in tokens)


def _from_a_day(plain: str) -> bool:
    return _DAYS.any_in(plain) and _FROM_A_DAY.search(plain) is not None


def may_change(text: str) -> bool:
    """Say whether a text can tell :attr:`Changed.SURELY` of anything."""
    return tells_change(text) and bool(_told(text).surely)


def changed(earlier: str, later: str, asked: AbstractSet[str] = frozenset()) -> Changed:
    """Say whether a later text tells that what an earlier one states has changed.

    Args:
        earlier: What was stated.
        later: What was said since.
        asked: Words of a question, as analysed; only those parts of the earlier text count that hold
            the most of them.
    """
    if not tells_change(later) or len(earlier) >= LONGEST:
        return Changed.NO
    told = _told(later)
    if not (told.surely or told.maybe):
        return Changed.NO
    vocabulary = vocabulary_of(earlier)
    surely, maybe = (
        [check for check in checks if check.may_apply(vocabulary)]
        for checks in (told.surely, told.maybe)
    )
    # Of most texts nothing is told, which their words alone say.
    if not (surely or maybe):
        return Changed.NO
    old = _that_count(clauses_of(earlier), asked)
    if not old or _apart(_numbered([old[0].tokens[:_SUBJECT]]), told.numbered):
        return Changed.NO
    stated = Stated.of(old)
    if any(check.applies(stated) for check in surely):
        return Changed.SURELY
    return Changed.MAYBE if any(check.applies(stated) for check in maybe) else Changed.NO


def _that_count(old: Sequence[Clause], asked: AbstractSet[str]) -> tuple[Clause, ...]:
    """Return the clauses that are asked for, without those that only say why."""
    stated = [one for one in old if one.tokens[0].folded not in words.REASONS] or old
    if not asked:
        return tuple(stated)
    held = [one.held_of(asked) for one in stated]
    most = max(map(len, held), default=0)
    if stated and stated[0].heads and len(held[0]) == most:
        # Whatever follows is of what is asked for.
        return tuple(stated)
    best = [one for one, words in zip(stated, held, strict=True) if len(words) == most]
    known = frozenset[str]().union(*[one.held_of(asked) for one in best])
    # "The boat has a crack and must not be sailed" says both of the boat.
    return tuple(
        one for one in stated if one in best or one.heads or not one.subject_of(asked) <= known
    )


@lru_cache(maxsize=1_024)
def _told(text: str) -> _Told:
    clauses = clauses_of(text)
    telling = list(filter(may_tell, clauses))
    surely = [rule(clause) for clause in telling for rule in RULES]
    surely += map(from_a_day, clauses)
    if corrects(text):
        surely += map(put_right, clauses)
    surely += _told_under_head(clauses)
    return _Told(
        tuple([check for check in surely if check is not None]),
        tuple([check for check in map(went_elsewhere, telling) if check is not None]),
        _numbered(clause.tokens for clause in clauses if not other_versions(clause)),
    )


def _told_under_head(clauses: Sequence[Clause]) -> list[Check]:
    """Return what a note tells of what it begins with, as "Lease: extended until May", "Rent from June: 640"."""
    if not clauses[0].heads or len(clauses) < 2:
        return []
    whole = clauses[1].behind_head(clauses[0])
    rules = (*RULES, from_a_day) if may_tell(whole) else (from_a_day,)
    return [
        check._replace(applies=partial(_of_the_head, clauses[0], check))
        for check in (rule(whole) for rule in rules)
        if check is not None
    ]


def _of_the_head(head: Clause, check: Check, stated: Stated) -> bool:
    return stated.held(head.groups[:1]) and check.applies(stated)


def overtaken_by(
    question: str, earlier: str, later: str, asked: AbstractSet[str], *, contradicts: bool
) -> Changed:
    """Say whether a later text tells that what an earlier one states has changed, or may hold instead.

    Args:
        question: What is asked.
        earlier: What was stated.
        later: What was said since.
        asked: Words of the question, as analysed.
        contradicts: Whether the two are known to contradict each other.
    """
    how = changed(earlier, later, asked)
    if not how and contradicts and both_answer(question, earlier, later):
        return Changed.MAYBE
    return how


def news_among(
    question: str,
    texts: Mapping[int, Dated],
    first: Collection[int],
    against: Mapping[int, Collection[int]],
    rivals: Collection[int] = (),
) -> list[tuple[int, int, Changed]]:
    """Return which texts tell that what others state has changed: both and how, in order of time.

    Args:
        question: What is asked.
        texts: What was told, by a key.
        first: Keys of what may be overtaken whatever it tells.
        against: Keys of what is known to contradict one.
        rivals: Keys of what answers about as likely as the first one of those.
    """
    telling = {one for one, read in texts.items() if tells_change(read.text)}
    asked = frozenset(analyze_query(question)) if telling else frozenset()
    answered = Answered.of(question)
    found = []
    for old in texts.keys() & {*first, *telling}:
        contradicting = against.get(old, ())
        beside = rivals if old in first else ()
        for new in texts.keys() & {*telling, *contradicting, *beside}:
            earlier, later = texts[old], texts[new]
            if earlier.observed_at < later.observed_at:
                how = overtaken_by(
                    question, earlier.text, later.text, asked, contradicts=new in contradicting
                )
                if not how and new in beside and answered.anew(earlier.text, later.text):
                    how = Changed.ANEW
                if how:
                    found.append((old, new, how))
    return sorted(found, key=lambda one: (*(texts[at].observed_at for at in one[:2]), one))


def both_answer(question: str, earlier: str, later: str) -> bool:
    """Say whether a later text that contradicts an earlier one may hold in its place.

    It holds all words of the question that the earlier does, and the two are no numbered notes about
    different things.
    """
    if not Answered.of(question).of_the_same(earlier, later):
        return False
    old, new = clauses_of(earlier), clauses_of(later)
    ours, theirs = (_numbered(one.tokens for one in text) for text in (old, new))
    return not _apart(ours, theirs) or _plain_words(old) == _plain_words(new)


def _plain_words(text: Iterable[Clause]) -> set[str]:
    return {word.folded for one in text for word in one.tokens if not word.said[0].isdigit()}


def _apart(ours: Mapping[str, set[str]], theirs: Mapping[str, set[str]]) -> bool:
    return any(ours[sort].isdisjoint(theirs[sort]) for sort in ours.keys() & theirs.keys())


def _numbered(texts: Iterable[Sequence[Word]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for tokens in texts:
        for sort, number in pairwise(tokens):
            if number.said[0].isdigit() and sort.content and not sort.among(words.NO_SORTS):
                for stem in sort.stems:
                    found.setdefault(stem, set()).add(number.folded)
    return found
