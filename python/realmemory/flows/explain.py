"""What every stage of a recall saw, and why each candidate was kept or dropped."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from realmemory.policies.contrast import CONTRAST_FEATURES
from realmemory.policies.surroundings import TURN_FEATURES

if TYPE_CHECKING:
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.fuse import Fused
    from realmemory.flows.question import Question
    from realmemory.policies.contrast import Contrast
    from realmemory.policies.hops import Hops
    from realmemory.policies.surroundings import Surroundings
    from realmemory.types import RecallPacket


@dataclass(slots=True)
class Explanation:
    """Timings of the stages, and on request the evidence behind the answer."""

    started: float
    timings_ms: dict[str, float] = field(default_factory=dict)
    _last: float = 0.0

    def mark(self, stage: str) -> None:
        """Note that a stage has ended."""
        now = time.perf_counter()
        self.timings_ms[stage] = (now - (self._last or self.started)) * 1000.0
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
        held: Contrast | None,
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
                "null": {
                    "count": null.number,
                    "mean": null.mean,
                    "std": null.std,
                },
            },
            **_contrast(held),
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
            "confidence": float(fused.confidences[at]),
            "score": float(fused.scores[at]),
            **_reading(fused, at),
            "verdict": _verdict(memory_id, float(fused.scores[at]), shown, best),
        }


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
