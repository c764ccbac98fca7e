"""Stage `refine`: what costs too much to ask of every candidate is asked of the best ones.

Late interaction compares the words of the question with all that is searched of a text, and
with a turn alone, without the turns before it that are searched with it; a question
that names a time is compared with the time of each candidate and with the times it speaks of.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, chain, pairwise
from math import inf
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.core.text import analyze, count_beyond, count_query_words, query_forms
from realmemory.flows.interaction import CHARS, interact
from realmemory.late import late_module
from realmemory.policies.question.former import held
from realmemory.policies.question.inquiry import LASTING, Then
from realmemory.policies.question.interrogatives import fitting
from realmemory.policies.question.standpoint import Person, sentences_of
from realmemory.policies.surroundings import COMPARED, TOLD, compared, told_beyond
from realmemory.policies.times.days import closeness
from realmemory.policies.times.moments import spans

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.policies.ranking import Preset
    from realmemory.policies.times.days import Span
    from realmemory.store.excerpts import Excerpt
    from realmemory.store.transactions import ReadView

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

_AHEAD = 150 * DAY
"""How far ahead a text speaks of a day or month without saying the year; else it is the last one."""
_DAYS = 7
"""Days of a time that a text speaks of, each of which it tells about."""


def refine(
    context: MemoryContext,
    view: ReadView,
    preset: Preset,
    question: Question,
    candidates: Candidates,
) -> Candidates:
    """Return the candidates with what was found out about the best of them."""
    # An explanation shows it also where the preset does not look; so weights are fitted.
    if context.embedder.compares_words and (preset.compares_words or question.options.explain):
        candidates = replace(candidates, evidence=interact(context, view, question, candidates))
        compare = candidates.evidence.around is not None
    else:
        compare = False
    if not compare and not question.spans:
        return candidates
    around = candidates.evidence.surroundings
    confidences, _ = preset.scores(replace(candidates.evidence, around=around.formless()))
    looked_at = compared(question.depth)
    best = np.argsort(-np.asarray(confidences), kind="stable")[:looked_at].tolist()
    wanted = candidates.ids if question.spans else [candidates.ids[at] for at in best]
    excerpts = view.excerpts.of(wanted, CHARS)
    if compare:
        for name, values in _likenesses(context, question, candidates, best, excerpts).items():
            around = around.with_column(name, values)
    # What an open question wants is not known by its words.
    looked_into = set(range(len(candidates.ids)) if question.inquiry else best)
    timely = _timeliness(question, candidates, looked_into, excerpts)
    if timely is not None:
        around = around.with_column("time", timely)
    evidence = replace(candidates.evidence, around=around)
    if timely is None:
        return replace(candidates, evidence=evidence)
    then = Then(
        timely,
        _concerned(question, candidates, excerpts),
        _standing(question, candidates, excerpts),
    )
    return replace(candidates, evidence=evidence, then=then)


def _likenesses(
    context: MemoryContext,
    question: Question,
    candidates: Candidates,
    best: Sequence[int],
    excerpts: Mapping[int, Excerpt],
) -> dict[str, Array]:
    """Return how well each candidate answers word by word, and what its best sentence says.

    The rest is as good as the worst, but nobody knows that it tells little. Who is named is known by
    other signs: where the name is called or told nothing of, it would only hide what is asked.
    """
    known = [at for at in best if candidates.ids[at] in excerpts]
    texts = [excerpts[candidates.ids[at]].text for at in known]
    sentences = [sentences_of(text) or [text] for text in texts]
    parts = [*texts, *chain.from_iterable(sentences)]
    found = context.embedder.interact(_nameless(question, candidates), parts).mean
    ends = accumulate(map(len, sentences), initial=len(texts))
    nearest = [max(range(start, end), key=found.__getitem__) for start, end in pairwise(ends)]
    alike = [found[at] for at in nearest]
    fit = fitting(question.text, [parts[at] for at in nearest], alike)
    columns = {}
    told = told_beyond(count_beyond(texts, _known(question, candidates), TOLD))
    for name, of_known in zip(COMPARED, (found[: len(texts)], alike, fit, told), strict=True):
        other = 1.0 if of_known is told else min(of_known, default=0.0)
        values = np.full(len(candidates.ids), other)
        values[known] = of_known
        columns[name] = values
    return columns


def _known(question: Question, candidates: Candidates) -> frozenset[str]:
    """Return the terms of what tells nothing: the question's words, and the names of who speaks."""
    speakers = {place.speaker for place in candidates.places if place.speaker}
    return question.forms.union(analyze(" ".join(sorted(speakers))))


def _nameless(question: Question, candidates: Candidates) -> str:
    """Return the question without the speakers whom it names."""
    if not candidates.named:
        return question.text
    people = Person.of(candidates.named)
    rest = people.without(question.text) if people.is_called_by_case(question.text) else ""
    return rest if count_query_words(rest) else question.text


def _timeliness(
    question: Question,
    candidates: Candidates,
    looked_into: Collection[int],
    excerpts: Mapping[int, Excerpt],
) -> Array | None:
    """Return how near each candidate is to the times that the question names."""
    if not question.spans:
        return None
    values = np.zeros(len(candidates.ids))
    for at, memory_id in enumerate(candidates.ids):
        excerpt, version = excerpts.get(memory_id), candidates.versions.get(memory_id)
        if excerpt is None:
            continue
        when = excerpt.observed_at
        values[at] = closeness(question.spans, [when])
        if version is not None and held(version, question.spans):
            values[at] = 1.0
        elif at in looked_into and values[at] < 1.0:
            mentioned = _mentioned(spans(excerpt.text, when, ahead=_AHEAD))
            values[at] = max(values[at], closeness(question.spans, mentioned))
    return values


def _concerned(
    question: Question, candidates: Candidates, excerpts: Mapping[int, Excerpt]
) -> NDArray[np.bool_] | None:
    """Return which candidates hold, or are said by, all that an open question names."""
    if question.inquiry is None or not question.inquiry.about:
        return None
    wanted = query_forms(" ".join(question.inquiry.about))
    speakers = {place.id: place.speaker for place in candidates.places}
    found = np.zeros(len(candidates.ids), dtype=np.bool_)
    for at, memory_id in enumerate(candidates.ids):
        if memory_id in excerpts:
            terms = set(analyze(f"{speakers.get(memory_id, '')} {excerpts[memory_id].text}"))
            found[at] = all(not terms.isdisjoint(forms) for forms in wanted)
    return found


def _standing(question: Question, candidates: Candidates, excerpts: Mapping[int, Excerpt]) -> Array:
    """Return how far each candidate is known to have held at the times that are named."""
    until = max((span.end for span in question.spans), default=-inf)
    known = {i: LASTING for i, one in excerpts.items() if one.lasting and one.observed_at < until}
    for memory_id, version in candidates.versions.items():
        known[memory_id] = float(held(version, question.spans))
    return np.array([known.get(memory_id, 0.0) for memory_id in candidates.ids])


def _mentioned(named: list[Span]) -> list[float]:
    """Return moments of the times that a text speaks of: every day of a few, the middle of more."""
    moments: list[float] = []
    for span in filter(lambda one: one.bounded, named):
        days = round((span.end - span.start) / DAY)
        parts = days if 1 <= days <= _DAYS else 1
        moments += [
            span.start + (at + 0.5) * (span.end - span.start) / parts for at in range(parts)
        ]
    return moments
