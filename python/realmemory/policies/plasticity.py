"""Which traces belong together: the binds that writes, recalls and rewards leave behind."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from realmemory.store.records import Eligibility, Link, LinkType
from realmemory.types import DecisionAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.config import MemoryConfig
    from realmemory.types import WriteDecision

_LINK_STRENGTH = 1.0
_RELATED_STRENGTH = 0.5
_SUPERSEDE_STRENGTH = 0.75
_CO_RECALL_STRENGTH = 0.2


def write_binds(
    memory_id: int, decision: WriteDecision, related_ids: Iterable[int], *, at: float
) -> list[Eligibility]:
    """Return the binds of one write, both directions each."""
    near = decision.related_ids if decision.action is DecisionAction.LINK else ()
    strengths = dict.fromkeys(related_ids, _RELATED_STRENGTH) | dict.fromkeys(near, _LINK_STRENGTH)
    strengths.pop(memory_id, None)
    return [
        bind
        for other, value in strengths.items()
        for bind in _both(memory_id, other, value, at, "write")
    ]


def supersede_binds(old_id: int, new_id: int, *, at: float) -> list[Eligibility]:
    """Return the binds between a fact and the one that replaced it."""
    return _both(old_id, new_id, _SUPERSEDE_STRENGTH, at, "revise")


def explicit_binds(ids: Sequence[int], strength: float, *, at: float) -> list[Eligibility]:
    """Return the binds of traces that a caller said belong together."""
    return _pairwise(ids, strength, at, "link")


def co_recall_binds(ids: Sequence[int], *, at: float) -> list[Eligibility]:
    """Return the binds of hits that one recall answered together."""
    return _pairwise(ids, _CO_RECALL_STRENGTH, at, "recall")


def _pairwise(ids: Sequence[int], strength: float, at: float, cause: str) -> list[Eligibility]:
    return [
        bind for one, two in combinations(ids, 2) for bind in _both(one, two, strength, at, cause)
    ]


def _both(one: int, two: int, strength: float, at: float, cause: str) -> list[Eligibility]:
    return [
        Eligibility(one, two, strength, at, cause),
        Eligibility(two, one, strength, at, cause),
    ]


def decayed(weight: float, age: float, tau: float) -> float:
    """Return a weight after ``age`` seconds; time that went backwards does not strengthen it."""
    return weight * math.exp(-max(0.0, age) / tau)


def longest_life(config: MemoryConfig) -> float:
    """Return the seconds after which even an edge of weight 1 is below ``edge_min_weight``."""
    if not config.edge_min_weight:
        return math.inf
    return config.tau_edge_stable * math.log(1.0 / config.edge_min_weight)


def committed(
    config: MemoryConfig, binds: Iterable[Eligibility], known: Iterable[Link], *, now: float
) -> list[Link]:
    """Return the edges that pending binds make of the edges known so far.

    An edge weighs what is left of it plus its binds, each decayed since it happened, at most 1.
    """
    weights = {
        (link.src, link.dst): decayed(link.weight, now - link.updated_at, config.tau_edge_stable)
        for link in known
    }
    touched: dict[tuple[int, int], float] = {}
    for bind in binds:
        ends = (bind.src, bind.dst)
        gain = decayed(bind.strength, now - bind.created_at, config.tau_eligibility)
        touched[ends] = touched.get(ends, weights.get(ends, 0.0)) + gain
    return [
        Link(src, dst, LinkType.PLASTIC, min(1.0, weight), now)
        for (src, dst), weight in sorted(touched.items())
        if weight >= config.edge_min_weight
    ]


def passed_on(
    config: MemoryConfig, activation: Mapping[int, float], links: Iterable[Link], *, now: float
) -> dict[int, float]:
    """Return the activation that one hop brings to the targets of ``links``.

    Each source passes on ``alpha x activation x weight``; what is below ``eps`` is dropped and
    only the ``top_m`` strongest targets remain.
    """
    received: dict[int, float] = {}
    for link in links:
        weight = decayed(link.weight, now - link.updated_at, config.tau_edge_stable)
        gain = config.spread_alpha * activation.get(link.src, 0.0) * weight
        if gain >= config.spread_eps:
            received[link.dst] = received.get(link.dst, 0.0) + gain
    strongest = sorted(received.items(), key=lambda item: (-item[1], item[0]))
    return dict(strongest[: config.spread_top_m])
