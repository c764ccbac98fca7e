"""What holds now comes first among hits that answer equally well."""

from __future__ import annotations

from array import array
from math import inf, isclose

from realmemory.core.evidence import best
from realmemory.policies.retention import weight
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.core.evidence import Floats

_EQUAL = 1e-6
"""Share of a score that two may differ by and still be equal."""
_AS_GOOD = 0.9
"""Share of the confidence of an old version from which the new one is as good an answer."""
_AGED = 1e-3
"""Difference of retention from which one is older than the other."""
_NEARLY = 0.95
"""Share of the confidence of an older one from which a more alive one answers as well."""
_COMPARED = 12
"""Candidates that are compared with each other; what is behind those is no answer."""
_READ = 50
"""Hits among which what contradicts another changes places; all pairs of a thousand take seconds."""
_BEHIND = 0.999
"""Share of the score of a more alive one that the other keeps."""
_BEFORE = 2.0 - _BEHIND
"""What makes a score come before another."""
_OVERTAKEN = 0.6
"""What is left of the confidence in what a later memory may have changed."""
_NEWS = 0.95
"""Share of the confidence in the old from which its news answers as well."""
ASKED = 0.2
"""Confidence from which it matters whether something still holds."""
SPOKEN = 0.1
"""The same of a turn, which leaves more unsaid and is as likely an answer at half the confidence."""
_TOUCHES = 0.25
"""The same share from which a later text of the same subject may be about what is asked."""
_ANSWERS = 0.5
"""The same share for the later of two that contradict each other, which are worded freely."""


def alive_first(
    scores: Floats, confidences: Floats, covered: Sequence[float], retention: Sequence[float]
) -> Floats:
    """Return scores in which a candidate comes behind a more alive one that answers as well.

    That is one which holds as much of the question, is nearly as likely an answer, and likelier
    where retention weighs both by ``0.3 + 0.7 r``. What does not hold all that the other holds never
    overtakes it for being younger: so no answer is lost by fading.

    Args:
        scores: Of all candidates.
        confidences: Of all candidates.
        covered: Share of the question's words that each holds, by their rarity.
        retention: Of all candidates.
    """
    top = sorted(best(scores, _COMPARED), key=lambda at: -retention[at])
    if len(top) < 2 or retention[top[0]] - retention[top[-1]] < _AGED:
        return scores
    after = array("d", scores)
    weighed = {at: confidences[at] * weight(retention[at]) for at in top}
    for place, old in enumerate(top):
        for young in top[:place]:
            as_good = confidences[young] >= _NEARLY * confidences[old]
            holds_as_much = covered[young] >= covered[old] - _EQUAL
            if as_good and holds_as_much and weighed[young] > weighed[old]:
                after[old] = min(after[old], _BEHIND * after[young])
    return after


def overtake(
    confidences: array[float],
    scores: array[float],
    old: int,
    new: int,
    *,
    surely: bool,
    asked: float = ASKED,
) -> bool:
    """Let what may hold no more count less, and its news come before it.

    News answers what the other answers, however it is worded. Where the later text does not tell so in
    its own words, it must be an answer by itself, and stands right behind unless it is one as well.

    Args:
        confidences: Of all candidates; changed.
        scores: Of all candidates; changed.
        old: Place of the one that was said first.
        new: Place of the later one.
        surely: Whether the later text tells so in its own words.
        asked: Confidence from which it matters.

    Returns:
        Whether anything was changed.
    """
    if confidences[old] < asked:
        return False
    likely = confidences[new] / confidences[old]
    if not surely and likely < _TOUCHES:
        return False
    first = surely or likely >= _ANSWERS
    confidences[new] = max(confidences[new], (_NEWS if first else _ANSWERS) * confidences[old])
    scores[new] = max(scores[new], (_BEFORE if first else _BEHIND) * scores[old])
    confidences[old] *= _OVERTAKEN
    return True


def as_likely(confidence: float, best: float) -> bool:
    """Say whether a hit may answer in the place of the best one, without a word of change."""
    return confidence >= _ANSWERS * best


def stay_before(confidences: array[float], scores: array[float], old: int, new: int) -> None:
    """Let what was said first stay before news that holds nothing of what is asked for.

    Arguments as of :func:`overtake`.
    """
    if confidences[old] >= _ANSWERS * confidences[new]:
        scores[old] = max(scores[old], _BEFORE * scores[new])


class Standing(NamedTuple):
    """A hit, as far as its order is concerned; ``successor`` is what replaced or will replace it.

    ``score`` is what it was ordered by, where a near-copy counts less; ``confidence`` is its own;
    ``corrects`` says that its words introduce a correction: of two of one time it is the later;
    ``vouched_at`` is when somebody last said that it helped, ``alive`` its retention.
    """

    id: int
    score: float
    confidence: float
    observed_at: float
    successor: int | None
    valid_from: float = -inf
    contradicts: tuple[int, ...] = ()
    corrects: bool = False
    vouched_at: float = -inf
    alive: float = 0.0


def current_first(hits: Sequence[Standing], now: float = inf) -> list[int]:
    """Return the ids of hits, which are given best first, in the order to show them.

    Of equal ones the latest comes first, and a version that was replaced comes behind the one that
    holds, unless it answers clearly better: a question may be about how it was. What is announced
    for a time after ``now`` comes behind what holds until then. Of two that contradict each other
    the later comes first, in the place of the other, where it is an answer at all; but the earlier,
    where somebody vouched for it since and not for the other, which tells of no change.
    """
    order = _latest_first(hits)
    _order_contradicting(order, now)
    for old in hits:
        if old.successor is None:
            continue
        at = {hit.id: place for place, hit in enumerate(order)}
        new = at.get(old.successor)
        if new is None:
            continue
        if order[new].valid_from > now:
            _lead(order, old, order[new])
        elif order[new].confidence >= _AS_GOOD * old.confidence:
            _lead(order, order[new], old)
    return [hit.id for hit in order]


def former_first(order: Sequence[Standing], asked: frozenset[int]) -> list[int]:
    """Return the ids of hits with those that are asked for before what replaced them.

    Of several that are asked for the later comes first: who asks how it was before means just before.

    Args:
        order: The hits as they would be shown.
        asked: Which of them held at the time that is asked for.
    """
    result, known = list(order), {hit.id: hit for hit in order}
    olds = sorted((hit for hit in order if hit.id in asked), key=lambda hit: hit.valid_from)
    for old in olds:
        later = known.get(old.successor or 0)
        while later is not None and later.id in asked:
            later = known.get(later.successor or 0)
        if later is not None:
            _lead(result, old, later)
    for old in olds:
        if old.successor in asked and old.successor in known:
            _lead(result, known[old.successor], old)
    return [hit.id for hit in result]


def _order_contradicting(order: list[Standing], now: float) -> None:
    """Put of each two that contradict each other first what overrules the other."""
    first = order[:_READ]
    for old in sorted(first, key=lambda hit: hit.observed_at):
        for later in [hit for hit in first if hit.id in old.contradicts]:
            if _vouched_for(old, later):
                _lead(order, old, later)
            elif _overrules(later, old, now):
                _lead(order, later, old)


def _vouched_for(old: Standing, later: Standing) -> bool:
    return (
        not later.corrects
        and old.vouched_at > max(later.observed_at, later.vouched_at)
        and old.observed_at < later.observed_at
        and old.alive > later.alive
        and old.confidence >= _ANSWERS * later.confidence
    )


def _overrules(later: Standing, old: Standing, now: float) -> bool:
    told = (later.observed_at, later.corrects), (old.observed_at, old.corrects)
    return (
        told[0] > told[1]
        and later.valid_from <= now
        and later.confidence >= _ANSWERS * old.confidence
    )


def _lead(order: list[Standing], first: Standing, second: Standing) -> None:
    """Put one hit directly before another, unless it comes before it already."""
    place = order.index(second)
    if order.index(first) > place:
        order.remove(first)
        order.insert(place, first)


def _latest_first(hits: Sequence[Standing]) -> list[Standing]:
    order: list[Standing] = []
    begin = 0
    for end in range(1, len(hits) + 1):
        if end == len(hits) or not _equal(hits[begin], hits[end]):
            order += sorted(hits[begin:end], key=lambda hit: -hit.observed_at)
            begin = end
    return order


def _equal(one: Standing, other: Standing) -> bool:
    # The score alone may have been made equal, to give a hit its place.
    return isclose(one.score, other.score, rel_tol=_EQUAL) and isclose(
        one.confidence, other.confidence, rel_tol=_EQUAL
    )
