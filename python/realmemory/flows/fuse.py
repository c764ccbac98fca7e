"""Stage `fuse`: one order out of all channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.policies.ranking import Evidence, classic_score

if TYPE_CHECKING:
    from realmemory.config import MemoryConfig
    from realmemory.flows.candidates import Candidate, Candidates
    from realmemory.flows.question import Question
    from realmemory.types import Source


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its place in the order."""

    candidate: Candidate
    source: Source
    score: float


def fuse(config: MemoryConfig, question: Question, candidates: Candidates) -> list[Ranked]:
    """Score the candidates and keep the best ``k``, ties broken by id."""
    scored = []
    for candidate in candidates.found:
        verdict = classic_score(config, evidence_of(candidate, candidates.query_terms))
        if verdict is not None:
            scored.append(Ranked(candidate, *verdict))
    scored.sort(key=lambda item: (-item.score, item.candidate.id))
    return scored[: question.k]


def evidence_of(candidate: Candidate, query_terms: int) -> Evidence:
    """Return what the channels say about a candidate, for the formulas."""
    return Evidence(
        cosine=max(0.0, candidate.cosine),
        coverage=candidate.coverage,
        complete=0 < query_terms == candidate.matched,
        retention=candidate.retention,
    )
