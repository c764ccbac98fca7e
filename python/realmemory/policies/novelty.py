"""The novelty gate: does a text reinforce a known trace, link to it, or become a new one?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from realmemory.outcomes import WriteDecision
from realmemory.policies.change.changes import Changed, changed, may_change
from realmemory.policies.gate.compatible import compatible
from realmemory.policies.gate.happenings import happened
from realmemory.policies.gate.occasions import same_occasion
from realmemory.policies.gate.signature import SOFT, compare
from realmemory.policies.gate.slots import told_anew
from realmemory.types import DecisionAction

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from realmemory.config import MemoryConfig
    from realmemory.policies.gate.reading import FactSignature


_SOLID = 2
"""Shared words, numbers or identifiers that make the same signature the same fact."""


class Neighbour(NamedTuple):
    """A known trace near the new text.

    ``differences`` are the parts in which the two texts state something else, empty when they
    state the same fact; ``contradicts`` says that each states something in the other's place;
    ``common`` counts the words that they share; ``wording`` is what the trace was compared by;
    ``apart`` says that the two tell of things with different identifiers; ``observed_at`` is when
    what the trace tells of happened.
    """

    id: int
    cosine: float
    author: str
    differences: tuple[str, ...]
    contradicts: bool = False
    common: int = 0
    wording: FactSignature | None = None
    apart: bool = False
    observed_at: float = 0.0


def decide(
    config: MemoryConfig,
    neighbours: Sequence[Neighbour],
    *,
    author: str = "",
    force_new: bool = False,
    when: float | None = None,
    corrects: bool = False,
    past: Collection[int] = (),
) -> WriteDecision:
    """Return the gate's decision about a text, given its nearest traces, best first.

    REINFORCE needs the same fact and no other author: the signature decides, for no cosine tells
    a changed number from a changed word order; where the texts share a single word, the cosine
    must reach ``theta_reinforce`` as well. A cosine of ``theta_rephrase`` bridges other words in a
    sentence that is built otherwise, never a word in another's place. A trace at ``theta_link`` or
    one that contradicts makes a LINK; everything else is CREATE.

    Args:
        config: The thresholds.
        neighbours: What is known near the text.
        author: Who states it.
        force_new: Whether it must become a trace of its own.
        when: When it happened, if the author said so: what happens again is not the same.
        corrects: Whether the text says that it corrects another. What was said before the other is no
            more current than that, even where it is the same.
        past: Traces that tell of another occasion than the text.
    """
    best_cosine = neighbours[0].cosine if neighbours else 0.0
    near = [
        item
        for item in neighbours
        if item.cosine >= config.theta_link or item.contradicts or _same_fact(config, item)
    ]

    def decision(action: DecisionAction, target: Neighbour | None = None) -> WriteDecision:
        return WriteDecision(
            action=action,
            target_id=target.id if target else None,
            related_ids=tuple(item.id for item in near if item is not target),
            novelty=1.0 - max(0.0, best_cosine),
            best_cosine=best_cosine,
            reasons=_reasons(near, author, when, past),
        )

    if force_new or not near:
        return decision(DecisionAction.CREATE)
    known = [
        item
        for item in near
        if _same_fact(config, item)
        and not _other_author(item, author)
        and not (item.id in past or _happened_again(item, when))
        and not (corrects and _overtaken(item, near))
    ]
    if not known:
        return decision(DecisionAction.LINK)
    return decision(DecisionAction.REINFORCE, _latest(known))


def conflicting(
    neighbours: Sequence[Neighbour],
    drafted: FactSignature,
    *,
    when: float | None = None,
    corrects: bool = False,
) -> tuple[int, ...]:
    """Return the traces that say something else about the same matter.

    Numbered notes ("build 41 took 3 min", "build 42 took 3 min") each say something in the place of
    all the others, and all hold, as does what may be true of several things at once: what contradicts
    a series is the next of it, and contradicts none, nor does a deed of ``when`` contradict one of
    another occasion. What a text says has changed it contradicts, however little else they share, and
    what tells another number of the same thing.
    Where other things of its sort are known, an identifier that is nearly another's is its own. A text
    that says that it corrects another stands against what it has most in common with, and of a series
    against the latest.
    """
    of_its_sort = any(item.apart and not item.contradicts for item in neighbours)
    anew = {item.id: _told_anew(item, drafted) for item in neighbours}
    # Of what is somebody's there is no series: who tells his size thrice has one.
    changed_by = {item for item, owned in anew.items() if owned}
    if may_change(drafted.text):
        changed_by.update(item.id for item in neighbours if _changed(item, drafted))
    contradicted = [
        item
        for item in neighbours
        if item.id in changed_by
        or anew[item.id] is not None
        or (item.contradicts and not (item.apart and of_its_sort))
    ]
    if corrects and contradicted:
        most = max(item.common for item in contradicted)
        contradicted = [item for item in contradicted if item.common == most]
    if not _series(contradicted):
        return tuple(
            item.id
            for item in contradicted
            if corrects or item.id in changed_by or not _may_both_hold(item, drafted, when)
        )
    latest = max(contradicted, key=lambda item: (item.observed_at, item.id))
    return (latest.id,) if corrects else ()


def _changed(item: Neighbour, drafted: FactSignature) -> bool:
    """Say whether a text tells that what a known one states has changed."""
    return item.wording is not None and changed(item.wording.text, drafted.text) is Changed.SURELY


def _told_anew(item: Neighbour, drafted: FactSignature) -> bool | None:
    return None if item.wording is None else told_anew(item.wording.text, drafted.text)


def _may_both_hold(item: Neighbour, drafted: FactSignature, when: float | None) -> bool:
    """Say whether two texts hold beside each other, as what was done on one day and on another."""
    if item.wording is None:
        return False
    if compatible(item.wording, drafted):
        return True
    elsewhen = when is not None and not same_occasion(item.observed_at, when)
    return elsewhen and happened(item.wording) and happened(drafted)


def _series(contradicted: Sequence[Neighbour]) -> bool:
    """Say whether three of them contradict each other as well; restatements of one fact do not."""
    told = [item.wording for item in contradicted if item.wording]
    for at, one in enumerate(told):
        beside = [other for other in told[at + 1 :] if compare(one, other).contradicts]
        if any(compare(*pair).contradicts for pair in combinations(beside, 2)):
            return True
    return False


def _same_fact(config: MemoryConfig, item: Neighbour) -> bool:
    if item.differences:
        return _rephrased(config, item)
    return item.common >= _SOLID or item.cosine >= config.theta_reinforce


def _rephrased(config: MemoryConfig, item: Neighbour) -> bool:
    """Say whether a sentence model takes two sentences of different build for the same."""
    return (
        item.cosine >= config.theta_rephrase
        and item.common >= _SOLID
        and not item.contradicts
        and set(item.differences) <= SOFT
    )


def _happened_again(item: Neighbour, when: float | None) -> bool:
    return when is not None and not same_occasion(item.observed_at, when)


def _overtaken(item: Neighbour, near: Sequence[Neighbour]) -> bool:
    return any(other.contradicts and other.observed_at > item.observed_at for other in near)


def _latest(known: Sequence[Neighbour]) -> Neighbour:
    """Return the latest of what is equally near: who repeats it means the last time."""
    nearest = [item for item in known if item.cosine == known[0].cosine]
    return max(nearest, key=lambda item: (item.observed_at, -item.id))


def _other_author(item: Neighbour, author: str) -> bool:
    return bool(author and item.author and author != item.author)


def _reasons(
    near: Sequence[Neighbour], author: str, when: float | None, past: Collection[int]
) -> tuple[str, ...]:
    for item in near[:1]:
        again = item.id in past or _happened_again(item, when)
        told = {"author": _other_author(item, author), "occasion": again}
        return (*item.differences, *(name for name, differs in told.items() if differs))
    return ()
