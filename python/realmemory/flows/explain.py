"""What every stage of a recall saw, and why each candidate was kept or dropped."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from realmemory.flows.forget import forgotten
from realmemory.instants import format_instant
from realmemory.policies.contrast import CONTRAST_FEATURES
from realmemory.policies.doubt import DOUBT_FEATURES
from realmemory.policies.subject.strangers import KEPT
from realmemory.policies.surroundings import TURN_FEATURES
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.flows.candidates import Candidates
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.contrast import Contrast
    from realmemory.policies.doubt import Doubt
    from realmemory.policies.hops import Hops
    from realmemory.policies.surroundings import Surroundings
    from realmemory.types import RecallPacket, Trace


@dataclass(slots=True)
class Explanation:
    """Timings of the stages, and on request the evidence behind the answer."""

    started: float
    timings_ms: dict[str, float] = field(default_factory=dict)
    _last: float = 0.0

    def mark(self, stage: str) -> None:
        """Note that a stage has ended."""
        now = time.perf_counter()
        spent = (now - (self._last or self.started)) * 1000.0
        self.timings_ms[stage] = spent
        self._last = now

    @property
    def elapsed_ms(self) -> float:
        """Time since the recall began."""
        return (time.perf_counter() - self.started) * 1000.0

    def attached(
        self,
        packet: RecallPacket,
        question: Question,
        candidates: Candidates,
        fused: Fused,
        judged: tuple[Contrast | None, Doubt | None],
    ) -> RecallPacket:
        """Return the packet with what the stages saw."""
        null, about = candidates.evidence.null, candidates.evidence.about
        shown = {item.memory_id for item in packet.items}
        best = {candidates.ids[at] for at in fused.best}
        explanation: dict[str, Any] = {
            "timings_ms": dict(self.timings_ms),
            "query": {
                "words": question.words,
                "letters_per_piece": candidates.evidence.letters_per_piece,
                "about": about and about._asdict(),
                "apart": candidates.evidence.apart,
                "rows": candidates.evidence.rows,
                "now": question.now,
                "scope": question.scope,
                "floor": candidates.visible.min_strength,
                "null": {
                    "count": null.number,
                    "mean": null.mean,
                    "std": null.std,
                },
            },
            **_contrast(judged[0]),
            **_doubt(judged[1]),
            "candidates": [
                self._candidate(at, candidates, fused, shown, best)
                for at in range(len(candidates.ids))
            ],
        }
        return replace(packet, explanation=explanation)

    @staticmethod
    def _candidate(
        at: int, candidates: Candidates, fused: Fused, shown: set[int], best: set[int]
    ) -> dict[str, Any]:
        evidence, memory_id = candidates.evidence, candidates.ids[at]
        seen = evidence.table.row(at)
        return {
            "id": memory_id,
            **seen,
            "matched": int(seen["matched"]),
            **_surroundings(evidence.around, at),
            **_hops(fused.hops, at),
            **({"copy_of": candidates.ids[fused.copies[at]]} if at in fused.copies else {}),
            **({"stood": fused.stood[at]} if at in fused.stood else {}),
            **_stranger(fused, at),
            "confidence": float(fused.confidences[at]),
            "score": float(fused.scores[at]),
            **_reading(fused, at),
            "verdict": _verdict(memory_id, float(fused.scores[at]), shown, best),
        }


def kept_out(trace: Trace, query: Mapping[str, Any]) -> str | None:
    """Return what keeps a memory out of the ordinary pass by itself, whatever is asked.

    Args:
        trace: The memory.
        query: What an explanation says about the question.
    """
    if trace.status is Status.QUARANTINED:
        return "it is held back until a user confirms it"
    if trace.status is Status.SUPERSEDED:
        if trace.superseded_by is None:
            again = f"`realmemory restore {trace.id}` makes it current again"
            return f"it is history, and what superseded it was erased; {again}"
        return f"it is history, superseded by #{trace.superseded_by}"
    if forgotten(trace):
        return f"it was forgotten on request; `realmemory restore {trace.id}` brings it back"
    if trace.expires_at is not None and trace.expires_at <= query["now"]:
        return f"it expired on {format_instant(trace.expires_at)}"
    if trace.base_strength < query["floor"]:
        return f"feedback weakened it below the floor; `realmemory restore {trace.id}` undoes that"
    return None


def _surroundings(around: Surroundings | None, at: int) -> dict[str, Any]:
    if around is None or not around.is_turn[at]:
        return {}
    named = zip(TURN_FEATURES, around.features[at].tolist(), strict=True)
    return {"surroundings": dict(named)}


def _contrast(held: Contrast | None) -> dict[str, Any]:
    """Return what a question that names a speaker found on either side."""
    if held is None:
        return {}
    features = dict(zip(CONTRAST_FEATURES, held.features, strict=True))
    return {"contrast": {"named": held.name, "chance": held.chance, **features}}


def _doubt(found: Doubt | None) -> dict[str, Any]:
    """Return how far the best hit says what the question asks for."""
    if found is None:
        return {}
    return {
        "doubt": {"chance": found.chance, **dict(zip(DOUBT_FEATURES, found.features, strict=True))}
    }


def _stranger(fused: Fused, at: int) -> dict[str, Any]:
    """Return what is left of the confidence in a fact about others, and its score before."""
    if at not in fused.strangers:
        return {}
    stranger = fused.strangers[at]
    return {"stranger": {"kept": KEPT, "before": float(stranger.before), "why": stranger.reason}}


def _reading(fused: Fused, at: int) -> dict[str, Any]:
    if fused.shifts is None or math.isnan(fused.shifts[at]):
        return {}
    return {"reranker": float(fused.shifts[at])}


def _hops(added: Hops | None, at: int) -> dict[str, Any]:
    """Return the score before the second hop, and what that added to its log-odds."""
    if added is None:
        return {}
    return {
        "hop": {
            "before": added.before[at],
            "bridge": added.bridge[at],
            "nearby": added.nearby[at],
            "held": added.held[at],
        }
    }


def _verdict(memory_id: int, score: float, shown: set[int], best: set[int]) -> str:
    if memory_id in shown:
        return "kept"
    if memory_id in best:
        return "dropped: the packet abstained"
    return "dropped: ranked below k" if score > 0 else "dropped: below the floor of a hit"
