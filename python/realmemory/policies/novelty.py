"""The novelty gate: does a text reinforce a known trace, link to it, or become a new one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.types import DecisionAction, WriteDecision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.config import MemoryConfig


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known trace near the new text.

    ``differences`` are the parts in which the two texts state something else, empty when they
    state the same fact.
    """

    id: int
    cosine: float
    author: str
    differences: tuple[str, ...]


def decide(
    config: MemoryConfig,
    neighbours: Sequence[Neighbour],
    *,
    author: str = "",
    force_new: bool = False,
) -> WriteDecision:
    """Return the gate's decision about a text, given its nearest traces by falling cosine.

    REINFORCE needs a cosine of at least ``theta_reinforce``, the same fact, and no other author;
    LINK needs ``theta_link``; everything else is CREATE.
    """
    best_cosine = neighbours[0].cosine if neighbours else 0.0
    near = [item for item in neighbours if item.cosine >= config.theta_link]

    def decision(action: DecisionAction, target: Neighbour | None = None) -> WriteDecision:
        return WriteDecision(
            action=action,
            target_id=target.id if target else None,
            related_ids=tuple(item.id for item in near if item is not target),
            novelty=1.0 - max(0.0, best_cosine),
            best_cosine=best_cosine,
            reasons=_reasons(config, near, author),
        )

    if force_new or not near:
        return decision(DecisionAction.CREATE)
    for item in near:
        if item.cosine < config.theta_reinforce:
            break
        if not item.differences and not _other_author(item, author):
            return decision(DecisionAction.REINFORCE, item)
    return decision(DecisionAction.LINK)


def conflicting(config: MemoryConfig, neighbours: Sequence[Neighbour]) -> tuple[int, ...]:
    """Return the traces so close that the differing parts contradict rather than add."""
    return tuple(
        item.id for item in neighbours if item.cosine >= config.theta_reinforce and item.differences
    )


def _other_author(item: Neighbour, author: str) -> bool:
    return bool(author and item.author and author != item.author)


def _reasons(config: MemoryConfig, near: Sequence[Neighbour], author: str) -> tuple[str, ...]:
    for item in near[:1]:
        if item.cosine >= config.theta_reinforce:
            return item.differences + (("author",) if _other_author(item, author) else ())
    return ()
