"""The plastic graph: links between traces, learned from use."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from realmemory import _native
from realmemory.clock import DAY
from realmemory.core.rows import column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.core.rows import Column


class Bind(NamedTuple):
    """A bind that happened: ``src`` came before, or together with, ``dst``."""

    src: int
    dst: int
    strength: float
    at: float


class Edge(NamedTuple):
    """A directed edge; the weight held at the time ``at``, zero means that it is gone."""

    src: int
    dst: int
    weight: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plasticity:
    """Constants of the graph; times in seconds."""

    tau_eligibility: float = 14 * DAY
    tau_stable: float = 90 * DAY
    min_weight: float = 0.02
    max_out_degree: int = 32
    max_out_weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stdp:
    """Amplitudes and windows (seconds) of spike-timing-dependent plasticity."""

    a_plus: float = 1.0
    a_minus: float = 0.5
    tau_plus: float = 600.0
    tau_minus: float = 600.0


class PlasticGraph:
    """Edges between traces, with exact lazy decay. Safe to share between threads.

    Raises:
        ValueError: A constant is out of range.
    """

    def __init__(self, constants: Plasticity) -> None:
        self.constants = constants
        self._native = _native.PlasticGraph(
            constants.tau_eligibility,
            constants.tau_stable,
            constants.min_weight,
            constants.max_out_degree,
            constants.max_out_weight,
        )

    def __len__(self) -> int:
        return len(self._native)

    def put(self, edges: Iterable[Edge | tuple[int, int, float, float]]) -> None:
        """Take edges over as they are stored, in place of those with the same ends.

        Raises:
            ValueError: A weight or time is NaN or infinite, or a weight negative; nothing changed.
        """
        self._native.put(*_columns(edges))

    def commit(
        self, binds: Iterable[Bind | tuple[int, int, float, float]], *, now: float
    ) -> list[Edge]:
        """Turn binds into weight and return what changed, by source and end.

        Each bind adds ``strength * exp(-(now - at) / tau_eligibility)``; then the touched sources
        drop edges below ``min_weight``, keep ``max_out_degree`` of them and are scaled down to
        ``max_out_weight``. The cost is that of the touched sources' edges.

        Raises:
            ValueError: A number is NaN or infinite; nothing changed.
        """
        return _edges(self._native.commit(*_columns(binds), now))

    def prune(self, *, now: float) -> list[tuple[int, int]]:
        """Remove edges that have faded below ``min_weight`` and return their ends."""
        src, dst = self._native.prune(now)
        return list(zip(array("q", src), array("q", dst), strict=True))

    def hide(self, ids: Sequence[int]) -> None:
        """Keep traces out of spreading; their edges stay."""
        self._native.hide(column(list(ids), "q"))

    def show(self, ids: Sequence[int]) -> None:
        """Let hidden traces take part again."""
        self._native.show(column(list(ids), "q"))

    def weight(self, src: int, dst: int, *, now: float) -> float:
        """Return the weight of an edge now; zero where there is none."""
        return self._native.weight(src, dst, now)

    def edges(self) -> list[Edge]:
        """Return every edge as stored, by source and end."""
        return _edges(self._native.edges())

    def spread(
        self,
        seeds: Sequence[int],
        activations: Sequence[float],
        *,
        now: float,
        hops: int = 2,
        alpha: float = 0.5,
        top_m: int = 32,
        eps: float = 0.01,
    ) -> list[tuple[int, float]]:
        """Spread activation from seeds over the links.

        Args:
            seeds: Traces to start from; they are not part of the result.
            activations: One finite activation a seed.
            now: Time at which weights are read, in seconds.
            hops: Links followed from a seed at most.
            alpha: Share of activation passed on, in (0, 1].
            top_m: Traces that pass on at each hop, and traces of the result.
            eps: Activation below which an edge passes on nothing.

        Returns:
            Id and activation of what was reached, strongest first, ties by id; empty without
            links.

        Raises:
            ValueError: An argument is out of range or not finite.
        """
        ids, reached = self._native.spread(
            column(list(seeds), "q"),
            column(list(activations), "d"),
            now,
            hops,
            alpha,
            top_m,
            eps,
        )
        return list(zip(array("q", ids), array("d", reached), strict=True))


def stdp_binds(
    ids: Sequence[int], times: Sequence[float], *, strength: float = 1.0, rule: Stdp | None = None
) -> list[Bind]:
    """Return the binds of traces that were used together, one for every ordered pair.

    The link from an earlier to a later trace gets ``a_plus * exp(-dt / tau_plus)``, the link back
    ``-a_minus * exp(-dt / tau_minus)`` (Song et al. 2000); both get ``a_plus`` at the same time.

    Args:
        ids: Traces; repeated ones count at their last use, and of more than 64 the latest count.
        times: When each was used, in seconds.
        strength: Factor on every bind.
        rule: Amplitudes and windows.

    Raises:
        ValueError: A number is out of range or not finite.
    """
    rule = rule or Stdp()
    columns = _native.stdp_pairs(
        column(list(ids), "q"),
        column(list(times), "d"),
        strength,
        rule.a_plus,
        rule.a_minus,
        rule.tau_plus,
        rule.tau_minus,
    )
    return [Bind(*edge) for edge in _edges(columns)]


def _columns(
    quads: Iterable[tuple[int, int, float, float]],
) -> tuple[Column, Column, Column, Column]:
    rows = list(quads)
    return (
        column([row[0] for row in rows], "q"),
        column([row[1] for row in rows], "q"),
        column([row[2] for row in rows], "d"),
        column([row[3] for row in rows], "d"),
    )


def _edges(packed: tuple[bytes, bytes, bytes, bytes]) -> list[Edge]:
    src, dst, value, at = packed
    columns = (array("q", src), array("q", dst), array("d", value), array("d", at))
    return [Edge(*row) for row in zip(*columns, strict=True)]
