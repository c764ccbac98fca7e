"""Those rules of change that tell of a state which ended or turned, see :mod:`realmemory.policies.change.rules`."""

from __future__ import annotations

from realmemory.policies.change.stated import Check, Stated, firsts, says_how_much, says_where
from realmemory.policies.words import changes as words
from realmemory.policies.words import little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from realmemory.policies.change.clauses import Clause, Group, Word

SHARED = 2
"""Words in common from which one state may be the other, turned."""
_WAS = little.BE | little.BECOME
"""Before what was done to what stands before them."""
_SUBJECT = 2
"""Words among which the first of the subject stands."""
_OTHERWISE = words.NOW - words.AGAIN


def _state_ended(clause: Clause) -> Check | None:
    """As "The lift was repaired", of what is broken."""
    # It is back as long as it stays.
    if not clause.among(words.MENDED, words.MENDED_STEMS):
        return None
    mended = [word.among(words.MENDED, words.MENDED_STEMS) for word in clause.tokens]
    at = mended.index(True)
    was = any(word.folded in _WAS for word in clause.tokens[:at])
    things = ([] if was else clause.behind(at)[:1]) or clause.before(at)[-1:]
    if not things:
        return None
    bad = _ended_by(clause, at)
    return Check(firsts(things), lambda stated: stated.is_bad(bad) and stated.held(things))


def _ended_by(clause: Clause, at: int) -> frozenset[str]:
    """Return the bad states that a verb ends: who is back from somewhere was not there."""
    verb, behind = clause.tokens[at], clause.tokens[at + 1 : at + 2]
    if verb.folded in words.BACK and any(word.folded in words.FROM for word in behind):
        return words.ABSENT
    if verb.among(words.RESUMED, words.RESUMED_STEMS):
        return words.PAUSED
    if verb.among(words.HEALED, words.HEALED_STEMS):
        return words.BAD
    return words.BAD_FOR_A_TIME


def _state_turned(clause: Clause) -> Check | None:
    """As "Lena wohnt jetzt in Köln", "we no longer deploy on Friday", "Tim isst wieder Fleisch"."""
    if clause.has(words.BESIDE):
        return None
    denies = says_no_longer(clause)
    turned, again = denies or _tells_now(clause), clause.has(words.AGAIN)
    if not (turned or again):
        return None
    whose, counts = _whose(clause), says_how_much(clause)
    said = [
        word
        for word in clause.tokens
        if word.content and not word.counts and not word.among(words.DENYING)
    ]

    def check(stated: Stated) -> bool:
        # What happens once more has not changed.
        if not (turned or (again and stated.is_bad())):
            return False
        if not (denies or again) and all(word.held_by(clause.tokens) for word in stated.words):
            # It is told again, and holds now as it did.
            return False
        if stated.meant_otherwise(clause):
            return False
        shared = list(filter(stated.holds, said))
        of_the_same = stated.held(whose)
        if not (denies or clause.mine or of_the_same or _begins_alike(whose, stated)):
            # Of another subject the same words tell nothing: a run may now take as long as a drill did.
            return False
        several = without_names(clause, shared) >= SHARED
        if several or (denies and _all_said(clause, said, stated)):
            return True
        told_so = clause.mine or (says_where(clause) and stated.placed())
        elsewhere = of_the_same and told_so and _put_elsewhere(clause, stated)
        return elsewhere or (bool(shared) and counts and stated.counts_like(clause))

    return Check((*said, *firsts(whose)), check) if said or whose else None


def _all_said(clause: Clause, said: Collection[Word], stated: Stated) -> bool:
    """Say whether all words are in what was stated; a single one of nobody has to begin that."""
    if len(said) == 1 and not clause.mine:
        return all(word.held_by(stated.clauses[0].tokens[:_SUBJECT]) for word in said)
    return bool(said) and all(map(stated.holds, said))


def _whose(clause: Clause) -> list[Group]:
    """Return what a clause is about, which follows what says from when on: "As of today the choir"."""
    nowadays = clause.says(words.NOWADAYS)
    return [one for one in clause.groups if one.bare or not nowadays][:1]


def _begins_alike(whose: Iterable[Group], stated: Stated) -> bool:
    """Say whether both begin with a name, behind which other things follow: "Julia teaches"."""
    begin = stated.clauses[0].tokens[:_SUBJECT]
    return any(one.words[0].said[0].isupper() and one.words[0].held_by(begin) for one in whose)


def _named_otherwise(clause: Clause) -> Check | None:
    """As "the project goes by Kestrel now"."""
    names = clause.has(words.NAMING) or clause.says(words.GOES_BY)
    if not (names and _tells_now(clause)):
        return None
    whose = _whose(clause)
    return Check(firsts(whose), lambda stated: stated.has(words.NAMING) and stated.held(whose))


def _tells_now(clause: Clause) -> bool:
    """Say whether a clause tells what holds now and did not."""
    return clause.has(_OTHERWISE) or clause.says(words.NOWADAYS)


def without_names(clause: Clause, shared: Collection[Word]) -> int:
    """Return how many words of a clause are shared, those of one name counted once."""
    found, before = 0, False
    for word in clause.tokens:
        held = word in shared
        named = held and word.said[0].isupper()
        found += held and not (named and before)
        before = named
    return found


def says_no_longer(clause: Clause) -> bool:
    """Say whether a clause tells that something is not so any more."""
    return clause.says(words.DENIALS)


def _put_elsewhere(clause: Clause, stated: Stated) -> bool:
    """Say whether the later text has something else behind a preposition of the other."""
    known = [one for old in stated.clauses for one in old.groups if not one.bare]
    return any(
        one.lead == other.lead and not any(word.held_by(other.words) for word in one.words)
        for one in clause.groups
        for other in known
    )


def _broke_again(clause: Clause) -> Check | None:
    """As "the lift is out of order again", of what works."""
    broken = clause.has(words.BROKEN) or clause.says(words.BROKEN_SAID)
    # Who stepped down is not broken.
    broken = broken and not clause.has(words.DEPARTED)
    whose = [one for one in clause.groups if one.bare][:1] if broken else []
    if not whose:
        return None
    return Check(firsts(whose), lambda stated: stated.has(words.SOUND) and stated.held(whose))


RULES = (_state_ended, _state_turned, _named_otherwise, _broke_again)
