"""What a text says has changed: which thing is otherwise now, and what it was before.

"We replaced Datadog with Grafana Cloud" names the old value, "the standup was moved to ten" the thing
that is otherwise, "Helga stepped down" somebody who is gone, "Tim isst wieder Fleisch" a state that
turned. Texts are read by the forms of three languages and by what both name; nothing is looked up.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.literals import Literals
from realmemory.core.text import analyze, analyze_query
from realmemory.policies.clauses import (
    Clause,
    Group,
    Word,
    begins_with,
    clauses_of,
    folded,
    tokens_of,
)
from realmemory.policies.words import changes as words
from realmemory.policies.words import little

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

LONGEST = 400
"""Characters from which a text holds words of change about anything."""
_SUBJECT = 4
"""Words among which a numbered thing stands that a text is about."""
_SHARED = 2
"""Words in common from which one state may be the other, turned."""

_WHOSE = little.ARTICLES | little.OWNERS
_UNDONE = little.ARTICLES | little.NEGATIONS | little.GERMAN_NEGATIONS
"""Before what might be a verb they make a thing of it, or say that it was not done."""
_HINTS = Literals((*words.TELLING, *words.TELLING_STEMS, *words.DENIALS))
"""One of them is in whatever tells a change; many texts hold none, which is found sooner."""


class Changed(IntEnum):
    """Whether a text tells that what another states has changed."""

    NO = 0
    MAYBE = 1
    SURELY = 2


class _Pair(NamedTuple):
    """What was stated, its words with content, and the part of a later text that is held against it."""

    old: tuple[Clause, ...]
    stated: tuple[Word, ...]
    clause: Clause

    def verb(self, known: Collection[str], stems: tuple[str, ...]) -> int | None:
        """Return where a verb of a change stands in the later text."""
        tokens = self.clause.tokens
        for at, word in enumerate(tokens):
            before = tokens[at - 1].folded if at else ""
            behind = tokens[at + 1].folded if at + 1 < len(tokens) else ""
            nowhere = word.folded in words.WENT and behind not in words.WHITHER
            lasting = word.folded in words.STATES and before in words.LASTING
            other = before in _UNDONE
            if word.among(known, stems) and not (nowhere or lasting or other):
                return at
        return None

    def held(self, groups: Iterable[Group]) -> bool:
        """Say whether what was stated holds all words of one of some groups."""
        return any(group.all_held_by(self.stated) for group in groups)

    def named(self, group: Group) -> bool:
        """Say whether what was stated holds the head of a group, or a name in it."""
        heads = (group.words[-1], *(word for word in group.words if word.named))
        return any(word.held_by(self.stated) for word in heads)

    def of_the_same(self, at: int) -> bool:
        """Say whether who leaves or sells is named by what was stated; what replaces need not be."""
        who = self.clause.before(at)[:1]
        named = [one for one in who if len(one.words) == 1 and one.words[0].named]
        replacing = self.clause.tokens[at].among(words.REPLACED, words.REPLACED_STEMS)
        return replacing or not named or self.held(named)

    def about(self, group: Group) -> bool:
        """Say whether what was stated is about the very same."""
        return begins_with(group.words, self.old[0])

    def stated_with(self, known: Collection[str]) -> bool:
        """Say whether what was stated holds one of some words."""
        return any(clause.has(known) for clause in self.old)

    def stated_count(self) -> bool:
        """Say whether what was stated has a number or a date."""
        return any(word.counts for clause in self.old for word in clause.tokens)

    def placed(self) -> bool:
        """Say whether what was stated tells where something is, as "is in", "lives in", "goes to"."""
        tokens = self.old[0].tokens
        return any(
            verb.folded in words.PLACING and lead.folded in words.PLACES and not place.counts
            for verb, lead, place in zip(tokens, tokens[1:], tokens[2:], strict=False)
        )

    def both_count(self) -> bool:
        """Say whether both tell a number or a date."""
        return self.stated_count() and any(word.counts for word in self.clause.tokens)


def tells_change(text: str) -> bool:
    """Say whether a text says that something is otherwise now than it was."""
    return len(text) < LONGEST and _tells(text)


@lru_cache(maxsize=1_024)
def _tells(text: str) -> bool:
    plain = folded(text)
    if not _HINTS.any_in(plain):
        return False
    tokens = tokens_of(plain)
    if not tokens.isdisjoint(words.TELLING) or any(phrase in plain for phrase in words.DENIALS):
        return True
    return not plain.isascii() and any(token.startswith(words.TELLING_STEMS) for token in tokens)


def changed(earlier: str, later: str, asked: Collection[str] = ()) -> Changed:
    """Say whether a later text tells that what an earlier one states has changed.

    Args:
        earlier: What was stated.
        later: What was said since.
        asked: Words of a question, as analysed; only those parts of the earlier text count that hold
            the most of them.
    """
    if not tells_change(later) or len(earlier) >= LONGEST:
        return Changed.NO
    old, new = clauses_of(earlier), clauses_of(later)
    held = [one.holding(asked) for one in old]
    old = tuple(one for one, count in zip(old, held, strict=True) if count == max(held))
    if not old or _numbered_apart(old, new):
        return Changed.NO
    stated = tuple(word for one in old for word in one.tokens if word.content)
    pairs = [_Pair(old, stated, clause) for clause in new]
    if any(rule(pair) for pair in pairs for rule in _RULES):
        return Changed.SURELY
    return Changed.MAYBE if any(map(_went_elsewhere, pairs)) else Changed.NO


def both_answer(question: str, earlier: str, later: str) -> bool:
    """Say whether a later text that contradicts an earlier one may hold in its place.

    It holds all words of the question that the earlier does, and the two are no numbered notes about
    different things.
    """
    asked = set(analyze_query(question)).intersection(analyze(earlier))
    if not asked or not asked <= set(analyze(later)):
        return False
    old, new = clauses_of(earlier), clauses_of(later)
    ours, theirs = (_numbered(one.tokens for one in text) for text in (old, new))
    return not _apart(ours, theirs) or _plain_words(old) == _plain_words(new)


def _plain_words(text: Iterable[Clause]) -> set[str]:
    return {word.folded for one in text for word in one.tokens if not word.said[0].isdigit()}


def _old_value_named(pair: _Pair) -> bool:
    """As "We replaced Datadog with Grafana", "Bob left Google", "migrated from EC2 to Hetzner"."""
    left = pair.verb(words.LEFT, words.LEFT_STEMS)
    moved = left if left is not None else pair.verb(words.MOVED, words.MOVED_STEMS)
    if moved is None and not pair.clause.has(words.RATHER):
        return False
    if left is not None and not pair.of_the_same(left):
        return False
    if any(pair.named(one) for one in pair.clause.groups if one.lead in words.FROM):
        return True
    if left is None or pair.clause.tokens[left].held_by(pair.stated):
        # Of two that tell of leaving, each tells what happened once.
        return False
    return any(map(pair.named, _left(pair.clause, left)))


def _left(clause: Clause, at: int) -> list[Group]:
    """Return what is left or replaced: behind its verb, or before it where nothing stands behind."""
    behind = clause.behind(at)
    if behind:
        return behind[:1]
    if any(word.folded in words.OUT_OF for word in clause.tokens[at + 1 : at + 3]):
        return [one for one in clause.groups if one.begin > at][:1]
    before = clause.before(at)
    passive = any(word.folded in little.COPULAS for word in clause.tokens[:at])
    return before[1:] or (before if passive or clause.mine else [])


def _role_given(pair: _Pair) -> bool:
    """As "The new landlord is Mrs. Lang", "Anton became CTO"."""
    tokens = pair.clause.tokens
    for place, (whose, new, role) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        one = whose.folded in _WHOSE or not new.folded.isascii()
        # "The new partner reports" are no new partner.
        head = not any(word.content for word in tokens[place + 3 : place + 4])
        held = one and head and role.held_by(pair.stated)
        if held and new.among(words.NEW, words.NEW_STEMS):
            return True
    at = pair.verb(words.BECAME, words.BECAME_STEMS)
    return at is not None and pair.held([one for one in pair.clause.groups if one.begin > at][:2])


def _thing_measured_otherwise(pair: _Pair) -> bool:
    """As "the lease was extended until December", "my doctor doubled my atorvastatin to 40 mg"."""
    at = pair.verb(words.MEASURED, words.MEASURED_STEMS)
    if at is None:
        moved = pair.verb(words.MOVED, words.MOVED_STEMS)
        goals = [] if moved is None else _goals(pair.clause, moved)
        at = moved if any(word.counts for goal in goals for word in goal.words) else None
    if at is None or not pair.stated_count():
        return False
    known = [one for one in _things(pair.clause, at) if one.all_held_by(pair.stated)]
    return any(map(pair.about, known)) or (bool(known) and pair.both_count())


def _thing_ended(pair: _Pair) -> bool:
    """As "the concert was cancelled"."""
    at = pair.verb(words.ENDED, words.ENDED_STEMS)
    if at is None or pair.clause.tokens[at].held_by(pair.stated):
        return False
    return any(one.all_held_by(pair.stated) and pair.about(one) for one in _things(pair.clause, at))


def _thing_renamed(pair: _Pair) -> bool:
    """As "the repo atlas was renamed to meridian"."""
    at = pair.verb(words.RENAMED, words.RENAMED_STEMS)
    return at is not None and pair.held(_things(pair.clause, at))


def _thing_put_elsewhere(pair: _Pair) -> bool:
    """As "we moved the office to Grenoble", "Sven has relocated to Oslo", "I moved to Rome"."""
    at = pair.verb(words.MOVED, words.MOVED_STEMS)
    if at is None:
        return False
    clause, things = pair.clause, _things(pair.clause, at)
    if any(word.folded in words.JOBS for word in clause.tokens[at:]):
        return pair.stated_with(words.EMPLOYED) and any(map(pair.about, clause.groups[:1]))
    if not things:
        both_mine = clause.mine and pair.old[0].mine and bool(_goals(clause, at))
        return both_mine and pair.placed()
    known = [one for one in things if one.all_held_by(pair.stated) and pair.about(one)]
    if not known or clause.tokens[at].held_by(pair.stated):
        return False
    said = {*known[0].words, clause.tokens[at]}
    more = (word for word in clause.tokens if word.content and word not in said)
    return pair.placed() or any(word.held_by(pair.stated) for word in more)


def _things(clause: Clause, at: int) -> list[Group]:
    """Return what is otherwise, each with what it is of."""
    before, behind = clause.before(at), clause.behind(at)
    if len(before) > 1 and any(word.folded in little.HAVE for word in clause.tokens[:at]):
        # "Wir haben die Sitzung verschoben", "Tom had the tyres changed".
        before = before[1:]
    done_to = [
        one
        for one in behind
        if not all(word.counts or word.folded in words.MEASURES for word in one.words)
    ]
    return [clause.owned(one) for one in done_to[:1] or before]


def _goals(clause: Clause, at: int) -> list[Group]:
    return [one for one in clause.groups if one.begin > at and one.lead in words.TO]


def _state_ended(pair: _Pair) -> bool:
    """As "The lift was repaired", of what is broken."""
    at = pair.verb(words.MENDED, words.MENDED_STEMS)
    if at is None or not pair.stated_with(words.BAD):
        return False
    return pair.held(one for one in pair.clause.groups if one.bare)


def _departed(pair: _Pair) -> bool:
    """As "Helga stepped down", "Ольга больше не работает у нас", of who did something."""
    clause = pair.clause
    at = pair.verb(words.DEPARTED, words.DEPARTED_STEMS)
    if at is None and not (_denies(clause) and clause.has(words.EMPLOYED)):
        return False
    at = len(clause.tokens) if at is None else at
    gone = clause.before(at)[:1]
    if clause.behind(at) or not pair.held(gone):
        return False
    return not pair.about(gone[0]) or pair.stated_with(words.EMPLOYED)


def _state_turned(pair: _Pair) -> bool:
    """As "Lena wohnt jetzt in Köln", "we no longer deploy on Friday", "Tim isst wieder Fleisch"."""
    clause, denies = pair.clause, _denies(pair.clause)
    if clause.has(words.BESIDE) or not (denies or clause.has(words.NOW)):
        return False
    turned = clause.has(words.AGAIN) and pair.stated_with(words.BAD)
    if not (denies or turned or clause.has(words.NOW - words.AGAIN)):
        # What happens once more has not changed.
        return False
    said = [
        word
        for word in clause.tokens
        if word.content and not word.counts and not word.among(words.DENYING)
    ]
    shared = [word for word in said if word.held_by(pair.stated)]
    if not (denies or clause.mine or pair.held(clause.groups[:1])):
        # Of another subject the same words tell nothing: a run may now take as long as a drill did.
        return False
    if len(shared) >= _SHARED or (denies and shared and len(shared) == len(said)):
        return True
    elsewhere = pair.held(clause.groups[:1]) and _put_elsewhere(pair)
    return elsewhere or (bool(shared) and pair.both_count())


def _denies(clause: Clause) -> bool:
    return any(phrase in clause.said for phrase in words.DENIALS)


def _put_elsewhere(pair: _Pair) -> bool:
    """Say whether the later text has something else behind a preposition of the other."""
    known = [one for clause in pair.old for one in clause.groups if not one.bare]
    return any(
        one.lead == other.lead and not any(word.held_by(other.words) for word in one.words)
        for one in pair.clause.groups
        for other in known
    )


def _went_elsewhere(pair: _Pair) -> bool:
    """As "I switched to emacs", "Omar transferred to Marseille": of whom both tell something."""
    clause = pair.clause
    at = pair.verb(words.MOVED | words.LEFT, (*words.MOVED_STEMS, *words.LEFT_STEMS))
    if at is None or clause.has(words.BESIDE) or not _goals(clause, at):
        return False
    again = clause.tokens[at].held_by(pair.stated)
    if again or not all(one.all_held_by(pair.stated) for one in clause.behind(at)[:1]):
        return False
    both_mine = clause.mine and pair.old[0].mine
    return both_mine or any(map(pair.about, _things(clause, at)))


def _numbered_apart(old: Sequence[Clause], new: Iterable[Clause]) -> bool:
    """Say whether one begins with a numbered thing, and the other speaks only of others of its sort."""
    ours = _numbered([old[0].tokens[:_SUBJECT]])
    theirs = _numbered(clause.tokens for clause in new)
    return _apart(ours, theirs)


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


_RULES = (
    _old_value_named,
    _role_given,
    _thing_measured_otherwise,
    _thing_ended,
    _thing_renamed,
    _thing_put_elsewhere,
    _state_ended,
    _departed,
    _state_turned,
)
