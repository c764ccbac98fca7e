"""When an answer would be noise: the rules of the `classic` preset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.types import AbstainReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.config import MemoryConfig


def classic_abstention(
    config: MemoryConfig,
    cosines: Sequence[float],
    *,
    null_mean: float | None,
    complete_match: bool,
) -> AbstainReason | None:
    """Return why the hits cannot be trusted, or None when they can.

    Args:
        config: Floors and margins.
        cosines: Cosines of the hits that qualified, best hit first.
        null_mean: Mean cosine of a sample of all rows; None when there are none.
        complete_match: Some hit holds every rare term of the query, which settles the matter.
    """
    if not cosines:
        return AbstainReason.NOTHING_MATCHED
    if complete_match:
        return None
    best = max(cosines)
    margin = config.exact_abstain_rel_margin
    if margin > 0 and null_mean is not None and best < null_mean + margin:
        return AbstainReason.BELOW_FLOOR
    floor = config.cos_min_strong_recall
    if floor > 0 and best < floor and best - min(cosines) < config.abstain_spread_cos:
        return AbstainReason.FLAT_NOISE
    return None
