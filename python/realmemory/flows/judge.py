"""Stage `judge`: whether the answer can be trusted at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.flows.fuse import evidence_of
from realmemory.policies.abstention import classic_abstention
from realmemory.types import AbstainReason, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.config import MemoryConfig
    from realmemory.flows.candidates import Candidates
    from realmemory.flows.fuse import Ranked


@dataclass(frozen=True, slots=True)
class Verdict:
    """Abstain with a reason, or answer."""

    reason: AbstainReason | None

    @property
    def abstained(self) -> bool:
        """Whether the packet stays empty."""
        return self.reason is not None


def judge(config: MemoryConfig, candidates: Candidates, ranked: Sequence[Ranked]) -> Verdict:
    """Decide between the answer and silence."""
    if not candidates.query_terms:
        # Function words alone ask for nothing, however well they match.
        return Verdict(AbstainReason.NOTHING_MATCHED)
    answers = [item for item in ranked if item.source is not Source.ASSOCIATED]
    complete = any(evidence_of(item.candidate, candidates.query_terms).complete for item in answers)
    reason = classic_abstention(
        config,
        [item.candidate.cosine for item in answers],
        null_mean=candidates.null.mean if candidates.null.count else None,
        complete_match=complete,
    )
    return Verdict(reason)
