"""How relevance and retention make a score: the `classic` preset of the reference design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.policies.decay import retention_weight
from realmemory.types import Source

if TYPE_CHECKING:
    from realmemory.config import MemoryConfig


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the channels say about one candidate.

    ``cosine`` is clipped at zero; ``coverage`` is the share of the query's terms that the text
    holds, weighted by their rarity; ``complete`` means that it holds all of them.
    """

    cosine: float
    coverage: float
    complete: bool
    retention: float


def classic_score(config: MemoryConfig, evidence: Evidence) -> tuple[Source, float] | None:
    """Return channel and score of a candidate, or None when nothing speaks for it.

    ``direct``: cosine x (0.3 + 0.7 r), raised to the keyword weight by a complete keyword match;
    ``keyword``: w_keyword x coverage x (0.3 + 0.7 r).
    """
    weight = retention_weight(evidence.retention)
    keyword = config.w_keyword * evidence.coverage * weight
    if evidence.cosine >= config.cos_min_recall:
        direct = evidence.cosine * weight
        return Source.DIRECT, max(direct, keyword) if evidence.complete else direct
    if evidence.coverage > 0:
        return Source.KEYWORD, keyword
    return None


def associated_score(config: MemoryConfig, cosine: float, retention: float) -> float:
    """Return the score of a trace that only the associative graph brought."""
    return config.assoc_confidence_penalty * max(cosine, 0.05) * retention_weight(retention)
