"""The links of one store in the engine, kept in step by revision."""

from __future__ import annotations

import math
import threading
from itertools import islice
from typing import TYPE_CHECKING

from realmemory.core.graph import PlasticGraph, Plasticity
from realmemory.store.records import LinkType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from realmemory.config import MemoryConfig
    from realmemory.store.records import Link
    from realmemory.store.transactions import ReadView

_CHUNK = 4_096


def constants(config: MemoryConfig, *, tau_stable: float | None = None) -> Plasticity:
    """Return the engine's form of the constants that a memory was configured with."""
    return Plasticity(
        tau_eligibility=config.tau_eligibility,
        tau_stable=config.tau_edge_stable if tau_stable is None else tau_stable,
        min_weight=config.edge_min_weight,
        max_out_degree=config.max_out_degree,
        max_out_weight=1.0,
    )


class LiveGraph:
    """Two graphs that follow a store: links learned from use, which fade, and links stated.

    Nothing is read before the first spread. Safe to share between threads.
    """

    def __init__(self, config: MemoryConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._rev = 0
        self._graphs = self._empty()

    def _empty(self) -> Mapping[LinkType, PlasticGraph]:
        return {
            LinkType.PLASTIC: PlasticGraph(constants(self._config)),
            LinkType.RELATED: PlasticGraph(constants(self._config, tau_stable=math.inf)),
        }

    def refresh(self, view: ReadView) -> None:
        """Catch up with the revision that ``view`` sees."""
        if view.rev() <= self._rev:
            return
        with self._lock:
            if view.rev() <= self._rev:
                return
            feed = view.links.changes_since(self._rev)
            graphs = self._empty() if feed.needs_rebuild else self._graphs
            for kind, graph in graphs.items():
                # A link may have been removed and made again: removals first.
                graph.put(
                    (src, dst, 0.0, 0.0) for src, dst, removed in feed.removed if removed is kind
                )
            for links in _chunks(feed.rows):
                for kind, graph in graphs.items():
                    graph.put(
                        (link.src, link.dst, link.weight, link.updated_at)
                        for link in links
                        if link.type is kind
                    )
            self._graphs, self._rev = graphs, feed.rev

    def __len__(self) -> int:
        return sum(len(graph) for graph in self._graphs.values())

    def spread(self, seeds: Mapping[int, float], *, now: float) -> dict[int, float]:
        """Return the activation of what a few hops from the seeds reach, seeds left out."""
        config, graphs = self._config, self._graphs
        total: dict[int, float] = {}
        frontier = dict(seeds)
        for _ in range(config.spread_depth):
            received: dict[int, float] = {}
            for graph in graphs.values():
                for trace_id, gain in graph.spread(
                    list(frontier),
                    list(frontier.values()),
                    now=now,
                    hops=1,
                    alpha=config.spread_alpha,
                    top_m=config.spread_top_m,
                    eps=config.spread_eps,
                ):
                    if trace_id not in seeds:
                        received[trace_id] = received.get(trace_id, 0.0) + gain
            strongest = sorted(received.items(), key=lambda item: (-item[1], item[0]))
            frontier = dict(strongest[: config.spread_top_m])
            if not frontier:
                break
            for trace_id, gain in frontier.items():
                total[trace_id] = total.get(trace_id, 0.0) + gain
        return total


def _chunks(links: Iterator[Link]) -> Iterator[list[Link]]:
    while chunk := list(islice(links, _CHUNK)):
        yield chunk
