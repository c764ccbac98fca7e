"""The rules by which a later text tells that what was stated has changed, a clause at a time.

Each looks at a clause of the later text alone and returns how what was stated is to be held against it,
or nothing where it tells no such change: a text is held against many others.
"""

from __future__ import annotations

from itertools import chain, pairwise, takewhile

from realmemory.policies.change import state_rules
from realmemory.policies.change.amounts import Amounts
from realmemory.policies.change.state_rules import SHARED, says_no_longer, without_names
from realmemory.policies.change.stated import Check, Stated, firsts, says_how_much
from realmemory.policies.words import changes as words
from realmemory.policies.words import little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from realmemory.policies.change.clauses import Clause, Group, Word

_WHOSE = little.ARTICLES | little.OWNERS
_UNDONE = little.ARTICLES | little.NEGATIONS | little.GERMAN_NEGATIONS
"""Before what might be a verb they make a thing of it, or say that it was not done."""
_TELLING = words.TELLING | words.RATHER | words.UPGRADED
_TELLING_STEMS = (*words.TELLING_STEMS, *words.UPGRADED_STEMS)
_PHRASES = (*words.DENIALS, *words.NOWADAYS, *words.BROKEN_SAID)
_SENTENCE = little.ARTICLES | little.OWNERS | little.COPULAS | little.MINE
"""What a sentence has, and a note leaves out."""
_GONE, _GONE_STEMS = words.MOVED | words.LEFT, (*words.MOVED_STEMS, *words.LEFT_STEMS)


def may_tell(clause: Clause) -> bool:
    """Say whether one of the :data:`RULES` may find something in a clause; most hold none of their words."""
    return clause.among(_TELLING, _TELLING_STEMS) or clause.says(_PHRASES)


def _verb(clause: Clause, known: Collection[str], stems: tuple[str, ...]) -> int | None:
    """Return where a verb of a change stands in a clause."""
    if not clause.among(known, stems):
        return None
    tokens = clause.tokens
    for at, word in enumerate(tokens):
        if not word.among(known, stems):
            continue
        before = tokens[at - 1].folded if at else ""
        behind = tokens[at + 1].folded if at + 1 < len(tokens) else ""
        nowhere = word.folded in words.WENT and behind not in words.WHITHER
        lasting = word.folded in words.STATES and before in words.LASTING
        other = before in _UNDONE
        if not (nowhere or lasting or other):
            return at
    return None


def _old_value_named(clause: Clause) -> Check | None:
    """As "We replaced Datadog with Grafana", "Bob left Google", "migrated from EC2 to Hetzner"."""
    left = _verb(clause, words.LEFT, words.LEFT_STEMS)
    moved = left if left is not None else _verb(clause, words.MOVED, words.MOVED_STEMS)
    if moved is None and not clause.has(words.RATHER):
        return None
    origins = _origins(clause)
    if left is None:
        takes = moved is not None and clause.tokens[moved].folded in words.TAKEN
        others = (one for one in clause.groups if one not in origins and takes)
        taken = [one for one in others if moved is not None and one.begin > moved][:1]
        return _named_beside(origins, taken) if origins else None
    verb, gone, who = clause.tokens[left], _left(clause, left), _who_leaves(clause, left)
    whose = [one for one in clause.before(left)[:1] if any(word.named for word in one.words)]

    def check(stated: Stated) -> bool:
        if who and not any(map(stated.named, who)):
            return False
        if any(map(stated.named, origins)):
            return True
        # Of two that tell of leaving, each tells what happened once.
        known = stated.named if stated.held(whose) else stated.has_value
        return any(map(known, gone)) and not stated.holds(verb)

    return Check(_heads([*origins, *gone]), check) if origins or gone else None


def _heads(groups: Iterable[Group]) -> tuple[Word, ...]:
    return tuple([word for group in groups for word in group.heads])


def _named_beside(origins: list[Group], taken: list[Group]) -> Check:
    """Who hands over one thing keeps the others."""
    return Check(
        _heads(origins),
        lambda stated: (
            any(map(stated.named, origins)) and (not taken or any(map(stated.named, taken)))
        ),
    )


def _origins(clause: Clause) -> list[Group]:
    """Return what something goes from; "from April" tells when."""
    return [one for one in clause.groups if one.lead in words.FROM and not one.words[0].counts]


def _who_leaves(clause: Clause, at: int) -> list[Group]:
    """Return the name of who leaves or sells, whom what was stated must name; what replaces need not be."""
    if clause.tokens[at].among(words.REPLACED, words.REPLACED_STEMS):
        return []
    who = clause.before(at)[:1]
    return [one for one in who if all(word.named for word in one.words)]


def _left(clause: Clause, at: int) -> list[Group]:
    """Return what is left or replaced: behind its verb, or before it where nothing stands behind."""
    behind = [one for one in clause.behind(at) if not one.words[0].counts]
    if behind:
        return behind[:1]
    if any(word.folded in words.OUT_OF for word in clause.tokens[at + 1 : at + 3]):
        return [one for one in clause.groups if one.begin > at][:1]
    before = clause.before(at)
    passive = any(word.folded in little.COPULAS for word in clause.tokens[:at])
    # In Russian "they" who sold it need no word.
    passive = passive or clause.tokens[at].folded.endswith("ли")
    return before[1:] or (before if passive or clause.mine else [])


def _taken_away(clause: Clause) -> Check | None:
    """As "Ann's catheter removed", "Tom: metformin stopped", in the style of notes, of what one had."""
    at = _verb(clause, words.UNDERGONE, ())
    before = [] if at is None else clause.before(at)[-1:]
    if at is None or not before or clause.has(_SENTENCE):
        return None
    if not all(one.words[0].counts for one in clause.behind(at)):
        return None
    thing = list(before[0].words)
    owners = [place for place, word in enumerate(thing) if word.said.endswith(("'s", "\u2019s"))]
    whose, thing = ([], thing) if not owners else (thing[: owners[-1] + 1], thing[owners[-1] + 1 :])
    names = [word for word in (*whose, *clause.under) if word.named and not word.counts]
    verb = clause.tokens[at]

    def check(stated: Stated) -> bool:
        if stated.holds(verb) or not all(map(stated.holds, thing)):
            return False
        return not names or stated.holds(names[-1])

    return Check((thing[-1],), check) if thing and not thing[-1].named else None


def _role_given(clause: Clause) -> Check | None:
    """As "The new landlord is Mrs. Lang", "Anton became CTO"."""
    roles = _new_roles(clause)
    at = _verb(clause, words.BECAME, words.BECAME_STEMS)
    groups = (one for one in clause.groups if one.lead not in words.FROM)
    behind = [] if at is None else [one for one in groups if one.begin > at]
    # A role is no date and no hour.
    taken = [one for one in behind[:2] if not all(word.counts for word in one.words)]
    if not (roles or taken):
        return None

    def check(stated: Stated) -> bool:
        given = any(all(map(stated.holds, role)) for role in roles)
        return given or stated.held(taken)

    return Check((*[role[0] for role in roles], *firsts(taken)), check)


def _new_roles(clause: Clause) -> list[tuple[Word, ...]]:
    """Return what is said to be new, with the word behind: "the new partner reports" are no new partner."""
    roles = []
    tokens = clause.tokens
    for at, (new, role) in enumerate(pairwise(tokens)):
        if not new.among(words.NEW, words.NEW_STEMS) or role.among(words.MANY, words.MANY_STEMS):
            continue
        leads = {word.folded for word in tokens[max(at - 2, 0) : at]}
        whose = not new.folded.isascii() or not _WHOSE.isdisjoint(
            word.folded for word in tokens[max(at - 1, 0) : at]
        )
        # What was brought to a new place is not that place.
        if whose and words.PLACES.isdisjoint(leads):
            roles.append((role, *(word for word in tokens[at + 2 : at + 3] if word.content)))
    return roles


def _thing_measured_otherwise(clause: Clause) -> Check | None:
    """As "the lease was extended until December", "my doctor doubled my atorvastatin to 40 mg"."""
    at = _verb(clause, words.MEASURED, words.MEASURED_STEMS)
    if at is None:
        moved = _verb(clause, words.MOVED, words.MOVED_STEMS)
        goals = [] if moved is None else _goals(clause, moved)
        at = moved if any(word.counts for goal in goals for word in goal.words) else None
    things = [] if at is None else _things(clause, at)
    if at is None or not things:
        return None
    counts, told = says_how_much(clause), Amounts.of([clause])
    if clause.tokens[at].folded in words.BY_ITSELF and not _ends_at(clause, at):
        # When somebody fell is no value of his.
        told = told._replace(time=False)

    def check(stated: Stated) -> bool:
        known = list(filter(stated.holds_all, things))
        if not (known and stated.counts()) or stated.meant_otherwise(clause):
            return False
        if not counts:
            return any(map(stated.about, known))
        alike = any(map(stated.measured_by, known)) and stated.amounts.time is told.time
        return alike or stated.amounts.of_one_sort(told)

    return Check(firsts(things), check)


def _thing_ended(clause: Clause) -> Check | None:
    """As "the concert was cancelled"."""
    at = _verb(clause, words.ENDED, words.ENDED_STEMS)
    things = [] if at is None else _things(clause, at)
    if at is None or not things:
        return None
    verb, origins = clause.tokens[at], _origins(clause)
    whose = [one for one in clause.before(at)[:1] if one not in things and one.words[0].named]

    def check(stated: Stated) -> bool:
        if stated.holds(verb) or (origins and not any(map(stated.named, origins))):
            # Who resigned from one thing may still be in another.
            return False
        known = list(filter(stated.holds_all, things))
        # Two words that stand together name it wherever they stand.
        named = any(len(one.words) > 1 for one in known)
        return named or any(stated.about(one) or stated.held(whose) for one in known)

    return Check(firsts(things), check)


def other_versions(clause: Clause) -> list[tuple[Word, Word]]:
    """Return names and the versions that they went to, as "the upgrade to Postgres 16 is done"."""
    if not clause.among(words.UPGRADED, words.UPGRADED_STEMS):
        return []
    goals = (one.words[-2:] for one in clause.groups if one.lead in words.TO)
    named = (goal for goal in goals if len(goal) > 1 and goal[0].named)
    return [(name, to) for name, to in named if to.counts and not name.counts]


def _other_version(clause: Clause) -> Check | None:
    """As "the upgrade to Postgres 16 is done", of what runs on another version of the same."""
    versions = other_versions(clause)

    def check(stated: Stated) -> bool:
        known = chain.from_iterable(pairwise(one.tokens) for one in stated.clauses)
        return any(
            number.counts and number.folded != to.folded and word.same(name)
            for word, number in known
            for name, to in versions
        )

    return Check(None, check) if versions else None


def _thing_renamed(clause: Clause) -> Check | None:
    """As "the repo atlas was renamed to meridian"."""
    at = _verb(clause, words.RENAMED, words.RENAMED_STEMS)
    things = [] if at is None else _things(clause, at)
    return Check(firsts(things), lambda stated: stated.held(things)) if things else None


def _thing_put_elsewhere(clause: Clause) -> Check | None:
    """As "we moved the office to Grenoble", "Sven has relocated to Oslo", "I moved to Rome"."""
    at = _verb(clause, words.MOVED, words.MOVED_STEMS)
    if at is None:
        return None
    if any(word.folded in words.JOBS for word in clause.tokens[at:]):
        who = clause.groups[:1]
        return Check(
            firsts(who), lambda stated: stated.has(words.EMPLOYED) and any(map(stated.about, who))
        )
    verb, things = clause.tokens[at], _things(clause, at)
    if not things:
        mine = clause.mine and bool(_goals(clause, at))
        if not mine:
            return None
        return Check(None, lambda stated: stated.clauses[0].mine and stated.placed())

    def check(stated: Stated) -> bool:
        known = list(filter(stated.holds_all, things))
        if stated.meant_otherwise(clause):
            return False
        if stated.placed() and any(map(stated.begins_alike, known)):
            return not stated.holds(verb)
        known = list(filter(stated.about, known))
        if not known or stated.holds(verb):
            return False
        said = {*known[0].words, verb}
        more = (word for word in clause.tokens if word.content and word not in said)
        return stated.placed() or any(map(stated.holds, more))

    return Check(firsts(things), check)


def _hired(clause: Clause) -> Check | None:
    """As "Ruth started at Bosch", "Omar was hired by Equinor", of who works for another."""
    at = _verb(clause, words.HIRED, words.HIRED_STEMS)
    who = [] if at is None else clause.before(at)[:1]
    if at is None or clause.has(words.BESIDE) or not (who or clause.mine):
        return None
    employer = _employer(clause, at)
    if employer is None:
        return None

    def check(stated: Stated) -> bool:
        if not stated.employed() or stated.named(employer):
            return False
        first = stated.clauses[0]
        return (clause.mine and first.mine) or any(map(stated.about, who))

    return Check(None if clause.mine else firsts(who), check)


def _employer(clause: Clause, at: int) -> Group | None:
    """Return whom somebody begins to work for: "started at Bosch", "joined Bosch"; "joined a choir" tells none."""
    behind = [one for one in clause.groups if one.begin > at and not one.words[0].counts]
    if behind and not words.JOBS.isdisjoint(word.folded for word in behind[0].words):
        behind = behind[1:]
    if not behind:
        behind = [one for one in clause.groups if one.begin < at and not one.bare]
    if not (behind and behind[0].words[0].named):
        return None
    direct = behind[0].bare and len(behind) == 1
    return behind[0] if direct or behind[0].lead in words.EMPLOYERS else None


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


def _ends_at(clause: Clause, at: int) -> bool:
    """Say whether a number or a day is where something went."""
    return any(one.words[0].counts for one in _goals(clause, at))


def _goals(clause: Clause, at: int) -> list[Group]:
    return [one for one in clause.groups if one.begin > at and one.lead in words.TO]


def _departed(clause: Clause) -> Check | None:
    """As "Helga stepped down", "Ольга больше не работает у нас", of who did something."""
    at = _verb(clause, words.DEPARTED, words.DEPARTED_STEMS)
    if at is None and not (clause.has(words.EMPLOYED) and says_no_longer(clause)):
        return None
    at = len(clause.tokens) if at is None else at
    gone, origins = clause.before(at)[:1], _origins(clause)
    if clause.behind(at) or not gone:
        return None

    def check(stated: Stated) -> bool:
        if not stated.held(gone) or stated.has(words.NAMING) or stated.is_for(gone[0]):
            return False
        if stated.has(words.EMPLOYED):
            return True
        if stated.done():
            # What somebody did stays done.
            return False
        # Who left one place may be what he is at another.
        return not stated.about(gone[0]) and (not origins or any(map(stated.named, origins)))

    return Check(firsts(gone), check)


def from_a_day(clause: Clause) -> Check | None:
    """As "from June the bins are emptied on Tuesdays", "с сентября занятия по средам"."""
    begin = next(
        (one for one in clause.groups if one.lead in words.SINCE and one.words[0].counts), None
    )
    if begin is None or clause.has(words.BESIDE):
        return None
    day = tuple(takewhile(lambda word: word.counts, begin.words))
    left = [word for word in clause.tokens if word not in day]
    rest = clause._replace(tokens=tuple(left), forms=frozenset(word.folded for word in left))
    # Where no little word parts them, what it is about follows the day.
    following = begin._replace(words=begin.words[len(day) :], lead="")
    others = (following if one is begin else one for one in clause.groups)
    things = ([word for word in one.words if not word.counts] for one in others if one.bare)
    thing = next(filter(None, things), [])
    if not thing or not says_how_much(rest):
        return None

    def check(stated: Stated) -> bool:
        known = list(filter(stated.holds, thing))
        enough = len(known) >= min(len(thing), SHARED)
        return enough and thing[0] in known and stated.counts_like(rest)

    return Check((thing[0],), check)


def put_right(clause: Clause) -> Check | None:
    """As "the rate at Ulm is 4.3", in a text that corrects another."""
    said = [word for word in clause.tokens if word.content and not word.counts]
    if not says_how_much(clause):
        return None

    def check(stated: Stated) -> bool:
        shared = list(filter(stated.holds, said))
        enough = 2 * len(shared) >= len(said) and without_names(clause, shared) >= SHARED
        return enough and stated.counts_like(clause) and not stated.meant_otherwise(clause)

    return Check(tuple(said), check)


def went_elsewhere(clause: Clause) -> Check | None:
    """As "I switched to emacs", "Omar transferred to Marseille": of whom both tell something."""
    at = _verb(clause, _GONE, _GONE_STEMS)
    if at is None or clause.has(words.BESIDE) or not _goals(clause, at):
        return None
    verb, done_to, things = clause.tokens[at], clause.behind(at)[:1], _things(clause, at)

    def check(stated: Stated) -> bool:
        if stated.holds(verb) or stated.meant_otherwise(clause):
            return False
        if not all(map(stated.holds_all, done_to)):
            return False
        both_mine = clause.mine and stated.clauses[0].mine
        return both_mine or any(map(stated.about, things))

    return Check(None if clause.mine else firsts(things), check)


RULES = (
    _old_value_named,
    _taken_away,
    _role_given,
    _thing_measured_otherwise,
    _thing_ended,
    _other_version,
    _thing_renamed,
    _thing_put_elsewhere,
    _departed,
    _hired,
    *state_rules.RULES,
)
