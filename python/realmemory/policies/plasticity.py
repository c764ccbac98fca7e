"""Which traces belong together: the binds that writes, recalls and rewards leave behind."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from realmemory.core.graph import PlasticGraph, stdp_binds
from realmemory.store.records import Eligibility, Link, LinkType
from realmemory.types import DecisionAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.config import MemoryConfig
    from realmemory.core.graph import Plasticity
    from realmemory.outcomes import WriteDecision

_LINK_STRENGTH = 1.0
RELATED_STRENGTH = 0.5
_SUPERSEDE_STRENGTH = 0.75
_CO_RECALL_STRENGTH = 0.1
CO_RECALLED = 5
"""Best hits of a recall that bind; the rest of a long list says little."""
CO_RECALL = "recall"
"""Cause of the binds between traces that were recalled together."""


def write_binds(
    memory_id: int, decision: WriteDecision, related_ids: Iterable[int], *, at: float
) -> list[Eligibility]:
    """Return the binds of one write, both directions each."""
    near = decision.related_ids if decision.action is DecisionAction.LINK else ()
    strengths = dict.fromkeys(related_ids, RELATED_STRENGTH) | dict.fromkeys(near, _LINK_STRENGTH)
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


def recall_binds(
    ids: Sequence[int], before: Sequence[tuple[int, float]], *, at: float
) -> list[Eligibility]:
    """Return the binds of one recall: its hits with each other, and with those before it.

    Hits of one packet bind both ways. What the same session recalled earlier binds forward and
    loosens backward, by how long ago it was (spike-timing-dependent plasticity).

    Args:
        ids: The hits that count, best first.
        before: Earlier hits of the session with their times.
        at: When it was.
    """
    fresh = list(ids[:CO_RECALLED])
    earlier = [(trace_id, time) for trace_id, time in before if trace_id not in fresh]
    timed = stdp_binds(
        [*(trace_id for trace_id, _ in earlier), *fresh],
        [*(time for _, time in earlier), *(at for _ in fresh)],
        strength=_CO_RECALL_STRENGTH,
    )
    known = set(fresh)
    return [
        Eligibility(bind.src, bind.dst, bind.strength, at, CO_RECALL)
        for bind in timed
        if bind.src in known or bind.dst in known
    ]


def _pairwise(ids: Sequence[int], strength: float, at: float, cause: str) -> list[Eligibility]:
    return [
        bind for one, two in combinations(ids, 2) for bind in _both(one, two, strength, at, cause)
    ]


def _both(one: int, two: int, strength: float, at: float, cause: str) -> list[Eligibility]:
    return [
        Eligibility(one, two, strength, at, cause),
        Eligibility(two, one, strength, at, cause),
    ]


def longest_life(config: MemoryConfig) -> float:
    """Return the seconds after which even an edge of weight 1 is below ``edge_min_weight``."""
    if not config.edge_min_weight:
        return math.inf
    return config.tau_edge_stable * math.log(1.0 / config.edge_min_weight)


def committed(
    constants: Plasticity, binds: Iterable[Eligibility], known: Iterable[Link], *, now: float
) -> list[Link]:
    """Return the edges that pending binds make of the edges known so far; weight 0 is gone.

    ``known`` must hold every plastic edge of the sources of the binds: their weights share one
    sum, so each of them may change.
    """
    graph = PlasticGraph(constants)
    graph.put((link.src, link.dst, link.weight, link.updated_at) for link in known)
    changed = graph.commit(
        ((bind.src, bind.dst, bind.strength, bind.created_at) for bind in binds), now=now
    )
    return [Link(edge.src, edge.dst, LinkType.PLASTIC, edge.weight, edge.at) for edge in changed]
