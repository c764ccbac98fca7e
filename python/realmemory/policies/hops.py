"""The second hop: what the first hits lead to.

An answer may be in pieces, or beside what the question resembles. Two things lead on from a hit:
rare words that it shares with another text and the question lacks, and the conversation around
it. Both add to the log-odds of a score; neither changes a confidence, nor what stands first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.store.records import TurnPlace

    Array = NDArray[np.float64]
else:
    np = late_module("numpy")

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
_LEAST = 1e-12
_TOPIC_CHARS = 600.0
"""Characters of conversation after which a subject has changed for two thirds."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The candidates before the hop: confidence, score (zero if dropped), and which are turns.

    ``undropped`` is what the score of a dropped candidate would be.
    """

    confidences: Array
    scores: Array
    undropped: Array
    is_turn: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Leads:
    """What leads from the first hits to each candidate, shape (hits, candidates), 1 at most.

    ``shared`` is what the rare words are worth that both hold, ``near`` how near a candidate was
    said to the hit.
    """

    shared: Array
    near: Array


@dataclass(frozen=True, slots=True, eq=False)
class Hops:
    """What the second hop makes of each candidate's score.

    ``before`` is the score without it, of dropped candidates as well. ``bridge`` and ``nearby`` are
    added to its log-odds; ``held`` is what all but the first hits give up so that none of them
    overtakes those. ``after`` is the score that follows, zero for what stays dropped.
    """

    before: Array
    bridge: Array
    nearby: Array
    held: Array
    after: Array


def called_for(confidence: float, coverage: float, *, several: bool) -> bool:
    """Say whether a question needs more than its first answer.

    Args:
        confidence: Of the best hit.
        coverage: Share of the question's words that it holds.
        several: Whether the question asks for several things by its form.
    """
    return several or confidence < SURE or coverage < WHOLE


def hops(
    order: Order, seeds: NDArray[np.int64], leads: Leads, *, weight: float, floor: float
) -> Hops:
    """Return what the hop makes of the scores.

    Args:
        order: The candidates as they stand without it.
        seeds: Positions of the first hits, best first; none of them was dropped.
        leads: What leads from them to the candidates.
        weight: Factor on what that adds.
        floor: Confidence from which a candidate counts, what leads to it included.
    """
    scores = order.scores
    before = np.where(scores > 0.0, scores, order.undropped)
    trust = (scores[seeds] / scores[seeds].max())[:, None]
    by_words = np.where(order.is_turn, _BRIDGE_OF_TURN, _BRIDGE)
    bridge = weight * by_words * (trust * leads.shared).max(axis=0)
    nearby = weight * _NEARBY * (trust * leads.near).max(axis=0)
    bridge[seeds] = nearby[seeds] = 0.0
    led = (bridge > 0.0) & (_chance(_logit(order.confidences) + bridge) >= floor)
    kept = (scores > 0.0) | led
    others = np.setdiff1d(np.flatnonzero(kept), seeds)
    held = np.zeros(len(scores))
    if len(others):
        highest = (_logit(before) + bridge + nearby)[others].max()
        held[others] = min(0.0, float(_logit(scores[seeds]).min() - highest))
    after = np.where(kept, _chance(_logit(before) + bridge + nearby + held), 0.0)
    after[seeds] = scores[seeds]
    return Hops(before, bridge, nearby, held, after)


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
            found[place.id] = float(np.exp(-(passed + length / 2.0) / _TOPIC_CHARS)) / turns
            passed += length
    return found


def _logit(scores: Array) -> Array:
    sure = np.clip(scores, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.log(sure / (1.0 - sure)))


def _chance(log_odds: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-log_odds)))
