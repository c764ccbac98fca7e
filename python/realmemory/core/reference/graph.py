"""Twin of the plastic graph: plain dictionaries, the same arithmetic in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.reference.exp import exp_nonpositive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.core.graph import Plasticity, Stdp

_HUGE = 1e9
_WINDOWS = 5.0
_MOST_SPIKES = 64


def decay(elapsed: float, tau: float) -> float:
    """Return ``exp(-elapsed / tau)``; time that runs backwards has not elapsed."""
    return float(exp_nonpositive(np.array(-(max(elapsed, 0.0) / tau))))


def stdp_weight(dt: float, rule: Stdp) -> float:
    """Return the signed weight of the link from a trace to one used ``dt`` seconds later."""
    if dt >= 0:
        return rule.a_plus * decay(dt, rule.tau_plus)
    return -(rule.a_minus * decay(-dt, rule.tau_minus))


def stdp_binds(
    ids: list[int], times: list[float], strength: float, rule: Stdp
) -> list[tuple[int, int, float, float]]:
    """Return the binds of traces that were used together."""
    last: dict[int, float] = {}
    for trace, time in zip(ids, times, strict=True):
        last[trace] = max(time, last.get(trace, time))
    spikes = sorted(last.items(), key=lambda spike: (-spike[1], spike[0]))[:_MOST_SPIKES]
    binds = []
    for src, before in spikes:
        for dst, after in spikes:
            dt = after - before
            window = rule.tau_plus if dt >= 0 else rule.tau_minus
            weight = strength * stdp_weight(dt, rule)
            if src != dst and abs(dt) <= _WINDOWS * window and weight:
                binds.append((src, dst, weight, max(before, after)))
    return binds


class PlasticGraph:
    """Edges by source and end: weight and the time at which it held."""

    def __init__(self, constants: Plasticity) -> None:
        self.constants = constants
        self.rows: dict[int, dict[int, tuple[float, float]]] = {}
        self.hidden: set[int] = set()

    def put(self, edges: Iterable[tuple[int, int, float, float]]) -> None:
        """Take edges over as they are stored; weight zero removes."""
        for src, dst, weight, at in edges:
            if src != dst:
                self.rows.setdefault(src, {})[dst] = (weight, at)
        for row in self.rows.values():
            for dst in [dst for dst, (weight, _) in row.items() if weight == 0]:
                del row[dst]

    def edges(self) -> list[tuple[int, int, float, float]]:
        """Return every edge as stored, by source and end."""
        return sorted(
            (src, dst, weight, at)
            for src, row in self.rows.items()
            for dst, (weight, at) in row.items()
        )

    def weight(self, src: int, dst: int, *, now: float) -> float:
        """Return the weight of an edge now; zero where there is none."""
        weight, at = self.rows.get(src, {}).get(dst, (0.0, now))
        return weight * decay(now - at, self.constants.tau_stable)

    def commit(
        self, binds: Iterable[tuple[int, int, float, float]], *, now: float
    ) -> list[tuple[int, int, float, float]]:
        """Turn binds into weight and return what changed."""
        by_source: dict[int, list[tuple[int, float]]] = {}
        for src, dst, strength, at in binds:
            if src != dst:
                gain = strength * decay(now - at, self.constants.tau_eligibility)
                gain = min(max(gain, -_HUGE), _HUGE)
                by_source.setdefault(src, []).append((dst, gain))
        changes = []
        for src, gains in by_source.items():
            before = self.rows.get(src, {})
            row = {dst: self.weight(src, dst, now=now) for dst in before}
            for dst, gain in gains:
                row[dst] = min(max(row[dst] + gain, -_HUGE), _HUGE) if dst in row else gain
            bounded = self._bounded(row)
            changes += [(src, dst, 0.0, now) for dst in before if dst not in bounded]
            changes += [(src, dst, weight, now) for dst, weight in bounded.items()]
            self.rows[src] = {dst: (weight, now) for dst, weight in bounded.items()}
        return sorted(changes)

    def _bounded(self, row: dict[int, float]) -> dict[int, float]:
        limits = self.constants
        kept = [(dst, w) for dst, w in row.items() if w > 0 and w >= limits.min_weight]
        kept = sorted(kept, key=lambda item: (-item[1], item[0]))[: limits.max_out_degree]
        kept.sort()
        total = 0.0
        for _, weight in kept:
            total += weight
        if total > limits.max_out_weight:
            scale = limits.max_out_weight / total
            kept = [(dst, weight * scale) for dst, weight in kept]
        return dict(kept)

    def prune(self, *, now: float) -> list[tuple[int, int]]:
        """Remove edges that have faded and return their ends."""
        gone = [
            (src, dst)
            for src, dst, _, _ in self.edges()
            if self.weight(src, dst, now=now) < self.constants.min_weight
        ]
        for src, dst in gone:
            del self.rows[src][dst]
        return gone

    def spread(
        self,
        seeds: dict[int, float],
        *,
        now: float,
        hops: int,
        alpha: float,
        top_m: int,
        eps: float,
    ) -> list[tuple[int, float]]:
        """Spread activation from seeds; return what it reached, strongest first."""
        frontier = _ranked(seeds)
        reached: dict[int, float] = {}
        for _ in range(hops):
            arriving: dict[int, float] = {}
            for node, activation in frontier:
                for dst in sorted(self.rows.get(node, {})) if node not in self.hidden else ():
                    sent = activation * alpha * self.weight(node, dst, now=now)
                    if dst not in seeds and dst not in self.hidden and sent > 0 and sent >= eps:
                        arriving[dst] = arriving.get(dst, 0.0) + sent
            frontier = _ranked(arriving)[:top_m]
            for node, activation in frontier:
                reached[node] = reached.get(node, 0.0) + activation
        return _ranked(reached)[:top_m]


def _ranked(nodes: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(nodes.items(), key=lambda item: (-item[1], item[0]))
