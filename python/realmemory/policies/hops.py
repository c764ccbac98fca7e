"""The second hop: what the first hits lead to.

An answer may be in pieces, or beside what the question resembles. Two things lead on from a hit:
rare words that it shares with another text and the question lacks, and the conversation around
it. Both add to the log-odds of a score; neither changes a confidence, nor what stands first.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core import evidence
from realmemory.policies.odds import all_log_odds, log_odds, probabilities, probability

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.core.evidence import Floats
    from realmemory.store.records import TurnPlace

SEEDS = 3
"""First hits that are followed; what they lead to stands behind them."""
REACH = 2
"""Turns on each side of a hit that it leads to."""
LEADS = 0.1
"""Worth of the rare words from which a text that no channel found is looked at."""
SURE = 0.8
"""A first answer that is as likely right needs no second look..."""
WHOLE = 0.75
"""...if it holds as large a share of what the question names."""
_BRIDGE = 4.0
"""Log-odds of a text that holds all rare words of the best hit."""
_BRIDGE_OF_TURN = 1.0
"""The same of a turn, which is searched with the turn before it and so shares its words."""
_NEARBY = 0.5
"""Log-odds of what was said right beside the best hit."""
_BEHIND = 1e-9
"""Log-odds by which the rest stays behind the first hits, so that no rounding makes a tie."""
TOPIC_CHARS = 600.0
"""Characters of conversation after which a subject has changed for two thirds."""


class Order(NamedTuple):
    """The candidates before the hop: confidence, score (zero if dropped), and which are turns.

    ``undropped`` are the scores with what that of a dropped candidate would be; ``is_turn`` may be
    empty where nothing is.
    """

    confidences: Floats
    scores: Floats
    undropped: Floats
    is_turn: Sequence[bool]


class Leads(NamedTuple):
    """What leads from each of the first hits to candidates, by their positions; 1 at most.

    ``shared`` is what the rare words are worth that both hold, ``near`` how near a candidate was
    said to the hit.
    """

    shared: Sequence[Mapping[int, float]]
    near: Sequence[Mapping[int, float]]


class Hops(NamedTuple):
    """What the second hop makes of each candidate's score.

    ``before`` is the score without it, of dropped candidates as well. ``bridge`` and ``nearby`` are
    added to its log-odds; ``held`` is what all but the first hits give up so that none of them
    overtakes those. ``after`` is the score that follows, zero for what stays dropped.
    """

    before: Floats
    bridge: Floats
    nearby: Floats
    held: Floats
    after: Floats

    def among(self, size: int, places: Sequence[int]) -> Hops:
        """Return the same among more candidates, to which nothing led; see ``places``.

        Args:
            size: Candidates there are now.
            places: Where each present candidate is now.
        """
        return Hops(*(_spread(values, size, places) for values in self))


def _spread(values: Floats, size: int, places: Sequence[int]) -> array[float]:
    found = array("d", bytes(8 * size))
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found


def called_for(confidence: float, coverage: float, *, several: bool) -> bool:
    """Say whether a question needs more than its first answer.

    Args:
        confidence: Of the best hit.
        coverage: Share of the question's words that it holds.
        several: Whether the question asks for several things by its form.
    """
    return several or confidence < SURE or coverage < WHOLE


def hops(order: Order, seeds: Sequence[int], leads: Leads, *, weight: float, floor: float) -> Hops:
    """Return what :func:`hops_by_formula` does, by the engine."""
    columns = (order.confidences, order.scores, order.undropped)
    worth = (_BRIDGE, _BRIDGE_OF_TURN, _NEARBY, _BEHIND, weight, floor)
    return Hops(order.undropped, *evidence.hops(columns, order.is_turn, seeds, leads, worth))


def hops_by_formula(
    order: Order, seeds: Sequence[int], leads: Leads, *, weight: float, floor: float
) -> Hops:
    """Return what the hop makes of the scores.

    Args:
        order: The candidates as they stand without it.
        seeds: Positions of the first hits, best first; none of them was dropped.
        leads: What leads from them to the candidates.
        weight: Factor on what that adds.
        floor: Confidence from which a candidate counts, what leads to it included.
    """
    scores, before, count = order.scores, order.undropped, len(order.scores)
    most = max(scores[at] for at in seeds)
    trust = [scores[at] / most for at in seeds]
    bridge, nearby = [0.0] * count, [0.0] * count
    for at, worth in _strongest(trust, leads.shared, seeds).items():
        turn = len(order.is_turn) > 0 and order.is_turn[at]
        bridge[at] = weight * (_BRIDGE_OF_TURN if turn else _BRIDGE) * worth
    for at, worth in _strongest(trust, leads.near, seeds).items():
        nearby[at] = weight * _NEARBY * worth
    brought = {
        at
        for at, value in enumerate(bridge)
        if value > 0.0 and probability(log_odds(order.confidences[at]) + value) >= floor
    }
    moved = [at for at in range(count) if (scores[at] > 0.0 or at in brought) and at not in seeds]
    odds = all_log_odds(before[at] for at in moved)
    to = [own + bridge[at] + nearby[at] for at, own in zip(moved, odds, strict=True)]
    last = min(log_odds(scores[at]) for at in seeds)
    given_up = min(0.0, last - max(to, default=last) - _BEHIND)
    held, after = [0.0] * count, array("d", bytes(8 * count))
    for at, value in zip(moved, probabilities(odds + given_up for odds in to), strict=True):
        held[at], after[at] = given_up, value
    for at in seeds:
        after[at] = scores[at]
    return Hops(before, array("d", bridge), array("d", nearby), array("d", held), after)


def _strongest(
    trust: Sequence[float], led: Sequence[Mapping[int, float]], seeds: Sequence[int]
) -> dict[int, float]:
    """Return the most that leads to each candidate from a hit, by how far that is trusted."""
    found: dict[int, float] = {}
    for share, part in zip(trust, led, strict=True):
        for at, worth in part.items():
            found[at] = max(found.get(at, 0.0), share * worth)
    for at in seeds:
        found.pop(at, None)
    return found


def nearness(
    seed: int, places: Sequence[TurnPlace], lengths: Mapping[int, int]
) -> dict[int, float]:
    """Return how near the turns around a turn were said, by id.

    A subject lasts for some turns and for some text, whichever ends first: so it means the same
    where people chat in a line and where an assistant answers in pages.

    Args:
        seed: The turn.
        places: It and the turns around it, by session and position.
        lengths: Characters of those turns.
    """
    own = next((place for place in places if place.id == seed), None)
    if own is None:
        return {}
    beside = {p.turn_index: p for p in places if p.session == own.session}
    found = {}
    for step in (-1, 1):
        passed = 0.0
        for turns in range(1, REACH + 1):
            place = beside.get(own.turn_index + step * turns)
            if place is None:
                break
            length = lengths.get(place.id, 0)
            found[place.id] = math.exp(-(passed + length / 2.0) / TOPIC_CHARS) / turns
            passed += length
    return found
