"""Stage `news`: what a later memory says has changed comes behind that memory, and counts less.

Who wrote "the standup is at 9:30" and then "we moved the standup to ten" asks for ten. The first is
worded like the question and the second is not, so neither confidence tells which of them holds. Who
asks when it was in March, before it was moved, asks for the first, and then that one comes first.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.evidence import best
from realmemory.flows.hop import widened
from realmemory.policies.change.bearing import Bearing, held_then
from realmemory.policies.change.changes import LONGEST, Changed, news_among
from realmemory.policies.change.turns import APART, of_one, states
from realmemory.policies.currency import ASKED, SPOKEN, as_likely, overtake, stay_before

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.store.excerpts import Excerpt
    from realmemory.store.records import TurnPlace
    from realmemory.store.transactions import ReadView

_FIRST = 3
"""Hits that a later memory may be news of."""
_PULLED = 2
"""What contradicts the first hit and no channel found, of which the latest are looked at."""
_LOOKED = 16
"""Candidates that are looked at for news, whether or not they are hits themselves."""


def news(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    found: tuple[Candidates, Fused],
) -> tuple[Candidates, Fused]:
    """Return candidates and order with news before what it tells of.

    Who asks how it was before may mean either, and who asks what was at a time all that was then.
    """
    candidates, fused = found
    if question.former or question.options.include_superseded or question.inquiry is not None:
        return found
    if not fused.best or fused.confidences[fused.best[0]] < _asked(candidates, fused.best[0]):
        return found
    first = [candidates.ids[at] for at in fused.best[:_FIRST]]
    conflicts = view.links.conflicts_of(first) if view.links.any_conflict() else {}
    further = set(conflicts.get(first[0], ())[-_PULLED:]).difference(candidates.ids)
    if further:
        candidates, fused = widened(context, view, preset, question, found, further=further)
    told = _told(view, question, candidates, fused, conflicts)
    return (candidates, _applied(question, candidates, fused, told)) if told else found


def _asked(candidates: Candidates, at: int) -> float:
    around = candidates.evidence.around
    return SPOKEN if around is not None and around.is_turn[at] else ASKED


class _Told(NamedTuple):
    """What was said first and its news, by id.

    ``held`` says that the first held when it is asked for, ``bears`` that the news answers in its place.
    """

    old: int
    new: int
    how: Changed
    held: bool
    bears: bool


def _told(
    view: ReadView,
    question: Question,
    candidates: Candidates,
    fused: Fused,
    conflicts: Mapping[int, Sequence[int]],
) -> list[_Told]:
    """Return what was said first and its news, in order of time."""
    firsts = [candidates.ids[at] for at in fused.best[:_FIRST]]
    texts, turns = _texts(view, candidates, fused, conflicts)
    bearing = Bearing.of(question.text)
    told = []
    best = fused.confidences[fused.best[0]]
    rivals = {i for i in texts if as_likely(fused.confidences[candidates.place_of(i)], best)}
    for old, new, told_so in news_among(question.text, texts, firsts, conflicts, rivals):
        spoken = old in turns or new in turns
        speakers = [turns[i].speaker if i in turns else "" for i in (old, new)]
        if spoken and not of_one(texts[old].text, texts[new].text, speakers):
            continue
        how = Changed.MAYBE if spoken else told_so
        if how is not Changed.SURELY and candidates.place_of(new) in fused.strangers:
            continue
        held = held_then(question.spans, texts[old], texts[new], question.now)
        bears = held or told_so is Changed.ANEW
        bears = bears or bearing.answers(texts[old].text, texts[new].text)
        # What a turn does not say may stand beside it.
        if held is not None and (bears or not spoken):
            told.append(_Told(old, new, how, held=held, bears=bears))
    return told


def _texts(
    view: ReadView, candidates: Candidates, fused: Fused, conflicts: Mapping[int, Sequence[int]]
) -> tuple[dict[int, Excerpt], dict[int, TurnPlace]]:
    """Return the texts that may be news, or are first hits, with their times, by id; and the turns of them."""
    around, table = candidates.evidence.around, candidates.evidence.table
    places = {
        *best(table.undropped(fused.confidences, fused.scores), _LOOKED),
        *fused.best[:_FIRST],
    }
    places.difference_update(fused.strangers)
    # What contradicts a hit need not name whom that one names.
    places.update(
        at for i in set().union(*conflicts.values()) if (at := candidates.found(i)) is not None
    )
    turns: dict[int, TurnPlace] = {}
    if around is not None:
        spoken = {candidates.ids[at] for at in places if around.is_turn[at]}
        turns = {one.id: one for one in candidates.places if one.id in spoken}
        stating = {i for i, one in turns.items() if states(asks=one.asks, length=one.length)}
        places = {at for at in places if candidates.ids[at] not in spoken - stating}
    texts = view.excerpts.of((candidates.ids[at] for at in places), LONGEST)
    return {i: _at_its_turn(one, turns.get(i)) for i, one in texts.items()}, turns


def _at_its_turn(text: Excerpt, turn: TurnPlace | None) -> Excerpt:
    """Return a text with its time; turns follow each other, though they may have one."""
    if turn is None:
        return text
    return text._replace(observed_at=text.observed_at + APART * turn.turn_index)


def _applied(
    question: Question,
    candidates: Candidates,
    fused: Fused,
    told: Sequence[_Told],
) -> Fused:
    confidences, scores = array("d", fused.confidences), array("d", fused.scores)
    overtaken: dict[int, int] = {}
    held: set[int] = set()
    for one in told:
        old, new = candidates.place_of(one.old), candidates.place_of(one.new)
        surely = one.how is Changed.SURELY
        if one.held:
            old, new = new, old
        if scores[old] <= 0.0:
            continue
        if not one.bears:
            stay_before(confidences, scores, old, new)
            continue
        asked = _asked(candidates, old)
        if overtake(confidences, scores, old, new, surely=surely or one.held, asked=asked):
            if one.held:
                held.add(new)
            else:
                overtaken[one.old] = one.new
    order = best(scores, question.depth)
    return replace(
        fused,
        confidences=confidences,
        scores=scores,
        best=order,
        missed=fused.missed and order[0] not in held,
        overtaken=overtaken,
    )
