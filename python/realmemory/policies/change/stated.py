"""What was stated, as the rules of change hold it against what a later text tells."""

from __future__ import annotations

from itertools import pairwise

from realmemory.late import late_pattern
from realmemory.policies.change.amounts import Amounts
from realmemory.policies.change.clauses import Vocabulary, beginning, begins_with
from realmemory.policies.words import changes as words
from realmemory.policies.words import little
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from realmemory.policies.change.clauses import Clause, Group, Word

_DEED = late_pattern(r"[a-z]{2,}[^e\W]ed|[а-я]{2,}[аеиоуыюя]л[аио]?(?:с[яь])?")
_THING = 2
"""Words at the beginning that may name what is told of."""
_BAD, _BAD_FOR_A_TIME = words.BAD, words.BAD_FOR_A_TIME
_STATE = little.BE | little.BECOME


class Stated(NamedTuple):
    """What was stated: its clauses that count, their words with content, and these gathered."""

    clauses: tuple[Clause, ...]
    words: tuple[Word, ...]
    vocabulary: Vocabulary

    @classmethod
    def of(cls, clauses: tuple[Clause, ...]) -> Stated:
        """Take what some clauses state."""
        words = tuple([word for one in clauses for word in one.tokens if word.content])
        return cls(clauses, words, Vocabulary.of(words))

    def holds(self, word: Word) -> bool:
        """Say whether it holds a word."""
        return self.vocabulary.holds(word)

    def holds_all(self, group: Group) -> bool:
        """Say whether it holds all words of a group."""
        return all(map(self.vocabulary.holds, group.words))

    def held(self, groups: Iterable[Group]) -> bool:
        """Say whether it holds all words of one of some groups."""
        return any(map(self.holds_all, groups))

    def named(self, group: Group) -> bool:
        """Say whether it holds the head of a group, or a name in it."""
        return any(map(self.holds, group.heads))

    def has_value(self, group: Group) -> bool:
        """Say whether what a group names may be what it says of something, not where that is.

        Who replaced the fridge did not replace what is in it; a name is known anywhere.
        """
        if any(word.named and self.holds(word) for word in group.words):
            return True
        head = group.words[-1]
        known = (one for clause in self.clauses for one in clause.groups)
        # The toner of a printer is no printer; only Russian puts what it is of behind.
        return any(
            head.held_by(one.words[-1:] if head.said.isascii() else one.words)
            and one.lead not in words.WHERE
            for one in known
        )

    def about(self, group: Group) -> bool:
        """Say whether it is about the very same, behind what it begins with in general."""
        first, *rest = self.clauses[:2]
        headed = first.heads and any(begins_with(group.words, one) for one in rest)
        return headed or begins_with(group.words, first)

    def begins_alike(self, group: Group) -> bool:
        """Say whether it is about a thing of the same name, "CI builds" as "nightly builds"."""
        run, _ = beginning(self.clauses[0])
        return any(group.words[-1].same(word) for word in run[:_THING])

    def has(self, known: Collection[str]) -> bool:
        """Say whether it holds one of some words."""
        return any(clause.has(known) for clause in self.clauses)

    def is_bad(self, known: frozenset[str] = _BAD) -> bool:
        """Say whether it tells a bad or an open state, one of some words or of what is broken."""
        if self.has(known):
            return True
        broken = known >= _BAD_FOR_A_TIME
        return broken and any(one.says(words.BROKEN_SAID) for one in self.clauses)

    def is_for(self, group: Group) -> bool:
        """Say whether it tells what is meant for somebody, who does nothing about it."""
        known = (one for clause in self.clauses for one in clause.groups if one.lead in words.MEANT)
        return any(all(word.held_by(one.words) for word in group.words) for one in known)

    def meant_otherwise(self, clause: Clause) -> bool:
        """Say whether both tell what something is for, and not the same: a limit for this or for that."""
        told = [one for one in clause.groups if one.lead in words.MEANT]
        known = [one for said in self.clauses for one in said.groups if one.lead in words.MEANT]
        held = [word for one in known for word in one.words]
        return bool(told and held) and not any(
            word.held_by(held) for one in told for word in one.words
        )

    def done(self) -> bool:
        """Say whether it tells what was done, once, in a verb of the past."""
        return any(map(tells_deed, self.clauses))

    def counts(self) -> bool:
        """Say whether it has a number or a date."""
        return any(map(says_how_much, self.clauses))

    def measured_by(self, thing: Group) -> bool:
        """Say whether it says how much a thing is, not what is of that thing."""
        run, copula = beginning(self.clauses[0])
        return copula and len(run) == len(thing.words) and self.about(thing) and self.counts()

    @property
    def amounts(self) -> Amounts:
        """Its numbers and dates."""
        return Amounts.of(self.clauses)

    def counts_like(self, clause: Clause) -> bool:
        """Say whether it has a number or a date in whose place one of a clause may stand."""
        return self.amounts.of_one_sort(Amounts.of([clause]))

    def employed(self) -> bool:
        """Say whether it tells for whom somebody works, as "works at Siemens"."""
        groups = (one for clause in self.clauses for one in clause.groups)
        named = (one.lead in words.WORKPLACES and one.words[0].named for one in groups)
        return self.has(words.EMPLOYED) and any(named)

    def placed(self) -> bool:
        """Say whether it tells where something is, as "is in", "lives in", "goes to"."""
        return says_where(self.clauses[0])


class Check(NamedTuple):
    """How what was stated is held against what a later text tells.

    It ``applies`` only to what holds one of the words ``by`` which it is known, if there are any.
    """

    by: tuple[Word, ...] | None
    applies: Callable[[Stated], bool]

    def may_apply(self, vocabulary: Vocabulary) -> bool:
        """Say whether a text of some words may be such."""
        return self.by is None or any(map(vocabulary.holds, self.by))


def firsts(groups: Iterable[Group]) -> tuple[Word, ...]:
    """Return the first word of each group: one of them is in what holds all of a group."""
    return tuple([group.words[0] for group in groups])


def says_where(clause: Clause) -> bool:
    """Say whether a clause tells where something is; behind "is" the place follows directly."""
    tokens = clause.tokens
    verbs = [at for at, word in enumerate(tokens) if word.folded in words.PLACING]
    return any(
        lead.folded in words.PLACES
        and not place.counts
        and not any(word.folded in words.NO_PLACES for word in tokens[at + 1 : at + 3])
        and any(at == verb + 1 or (at > verb and tokens[verb].content) for verb in verbs)
        for at, (lead, place) in enumerate(pairwise(tokens))
    )


def tells_deed(clause: Clause) -> bool:
    """Say whether a clause has a verb of the past by which nothing is said to be."""
    return any(
        word.said.islower() and lead.folded not in _STATE and _DEED.fullmatch(word.folded)
        for lead, word in pairwise(clause.tokens)
    )


def says_how_much(clause: Clause) -> bool:
    """Say whether a clause holds a number or a date."""
    return any(word.counts for word in clause.tokens)
