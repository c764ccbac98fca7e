"""Whether a later text answers anew what an earlier one answers, without a word of change.

"The ferry leaves at 9:15", "The ferry leaves at 8:40 in winter": both tell who asks when it leaves, and the
later one holds now. Each holds a value of its own of the sort that is asked for, and the later one the
words of the question that the earlier holds, so that whatever the question tells apart, another ferry or
the second week, stays apart.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, pairwise

from realmemory.core.text import analyze, query_forms
from realmemory.policies.change.amounts import Amounts
from realmemory.policies.change.clauses import clauses_of
from realmemory.policies.question.interrogatives import Form, Interrogative, tells_number, tokens_of
from realmemory.policies.words import changes as words
from realmemory.policies.words import little
from realmemory.policies.words.numbers import NUMBERS
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.policies.change.clauses import Clause, Word


class Answered(NamedTuple):
    """A question: the ``forms`` of each of its words, these as ``said``, and what answers it."""

    forms: Sequence[frozenset[str]]
    said: frozenset[str]
    asked: Interrogative | None

    @staticmethod
    @lru_cache(maxsize=16)
    def of(question: str) -> Answered:
        """Read a question; all pairs of a recall ask for it."""
        lower = tokens_of(question.lower())
        forms = [frozenset(one) for one in query_forms(question)]
        return Answered(forms, frozenset(lower), Interrogative.of(lower))

    def anew(self, earlier: str, later: str) -> bool:
        """Say whether the later of two texts, which answers as likely, holds instead of the earlier one."""
        if not self.of_the_same(earlier, later):
            return False
        stated, told = clauses_of(earlier), clauses_of(later)
        if not any(map(self._names, self._asked_of(told))):
            return False
        if self.asked is not None and self.asked.form is Form.NAME:
            known = self.said | _words_of(self._asked_of(stated))
            return bool(self.asked.answered_in(tokens_of(later), known))
        old = _words_of(stated)
        if self.asked is not None and self.asked.form is Form.PLACE:
            return _tells_place(told, old | self.said)
        return self._counts_otherwise(stated, told, old)

    def of_the_same(self, earlier: str, later: str) -> bool:
        """Say whether a later text holds all words of the question that an earlier one does."""
        stated, told = frozenset(analyze(earlier)), frozenset(analyze(later))
        held = [one for one in self.forms if not one.isdisjoint(stated)]
        if not held or any(one.isdisjoint(told) for one in held):
            return False
        # Small numbers in words are no words that are searched for: season one is not season two.
        numbers = {word for word in self.said if word in NUMBERS or tells_number(word)}
        return numbers.intersection(tokens_of(earlier.lower())) <= {*tokens_of(later.lower())}

    def _asked_of(self, stated: Sequence[Clause]) -> list[Clause]:
        """Return the clauses that hold the most words of the question."""
        wanted = self._wanted()
        held = [len(one.held_of(wanted)) for one in stated]
        return [one for one, count in zip(stated, held, strict=True) if count == max(held)]

    def _wanted(self) -> frozenset[str]:
        return frozenset[str]().union(*self.forms)

    def _names(self, clause: Clause) -> bool:
        """Say whether a clause speaks of what is asked for itself: not of its "delivery", not of an "accountant exam"."""
        wanted = self._wanted()
        for at, group in enumerate(clause.groups):
            if _stems(group.words).isdisjoint(wanted):
                continue
            behind = clause.tokens[group.begin + len(group.words) :][:1]
            # What a clause begins with may end with its verb.
            whole = at > 0 or any(word.folded in little.COPULAS for word in behind)
            head = group.words[-1]
            if whole and head.stems.isdisjoint(wanted) and not head.named:
                return False
            before = clause.groups[at - 1].words[-1] if at > 0 else head
            if group.lead in words.LINKED and before.stems.isdisjoint(wanted):
                return False
        return True

    def _that_hold(self, stated: Sequence[Clause], told: Sequence[Clause]) -> list[Clause]:
        """Return the later clauses that hold, with their head, all words of the question that the earlier do."""
        known = _stems(chain.from_iterable(one.tokens for one in stated))
        held = [form for form in self.forms if not form.isdisjoint(known)]
        return [
            one for one in told if not any(map(_stems((*one.under, *one.tokens)).isdisjoint, held))
        ]

    def _counts_otherwise(
        self, stated: Sequence[Clause], told: Sequence[Clause], old: frozenset[str]
    ) -> bool:
        """Say whether both tell an amount of one unit or a time, and the later one another."""
        # "Invoice 2240 is for the bath, the kitchen was cheaper" is no invoice for the kitchen.
        told = self._that_hold(stated, told)
        numbers = (
            word for one in told for word in one.tokens if word.counts or tells_number(word.said)
        )
        if all(word.folded in old or word.folded in self.said for word in numbers):
            return False
        one, other = Amounts.of(stated), Amounts.of(told)
        if one.time and other.time:
            return True
        if self.asked is not None and self.asked.form is Form.TIME:
            return False
        if one.bare and other.bare:
            return True
        # What a number stands behind is a name, as in "room 128", unless it is asked for.
        named = _numbered(told).difference(*self.forms)
        return not (one.units & other.units) <= named


def _stems(words: Iterable[Word]) -> frozenset[str]:
    return frozenset[str]().union(*[word.stems for word in words])


def _words_of(clauses: Sequence[Clause]) -> frozenset[str]:
    return frozenset(word.folded for one in clauses for word in one.tokens)


def _tells_place(told: Sequence[Clause], known: frozenset[str]) -> bool:
    """Say whether a text has a place that is not known, directly behind its preposition."""
    return any(
        lead.folded in words.WHERE
        and place.content
        and not place.counts
        and place.folded not in known
        for clause in told
        for lead, place in pairwise(
            word for word in clause.tokens if word.folded not in little.ARTICLES
        )
    )


def _numbered(told: Sequence[Clause]) -> frozenset[str]:
    """Return the stems of the words that directly precede a number."""
    return _stems(
        noun
        for clause in told
        for noun, number in pairwise(clause.tokens)
        if number.said[0].isdigit()
    )
