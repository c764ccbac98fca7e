"""Near-copies among the hits: notes of one pattern that differ in a number or a name.

When the first of them is no answer, the others are hardly one. So each counts less than its own
likeness says, and leaves room for what is said in other words; no confidence changes.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from realmemory.policies.crowds import NEAR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.core.evidence import Floats

POOL = 32
"""Best candidates that are compared with each other."""
CHARS = 500
"""What is looked at of a text; a pattern shows in its beginning."""
AGAIN = 0.75
"""What a near-copy of a better hit counts, however many are better."""
_ALIKE = 0.5
"""Share of the words of both texts that both hold, from which they are of one pattern."""
_FEWEST = 8
"""Words below which a text is never a copy: each of so few may be what matters."""
_WORD = re.compile(r"\w+")


def in_reach(scores: Sequence[float], k: int) -> int:
    """Return how many of the best can be among the first ``k``, or of a crowd, once copies count less.

    Args:
        scores: Of the best, in descending order.
        k: Hits that are wanted.
    """
    if len(scores) <= k:
        return len(scores)
    least = min(AGAIN * scores[k - 1], NEAR * scores[0])
    return sum(score >= least for score in scores)


def copies(texts: Sequence[str]) -> dict[int, int]:
    """Return which texts are near-copies of an earlier one, and of which, by position."""
    words = [frozenset(_WORD.findall(text.lower())) for text in texts]
    found: dict[int, int] = {}
    earlier: list[tuple[int, frozenset[str], int]] = []
    for at, own in enumerate(words):
        size = len(own)
        if size < _FEWEST:
            continue
        for before, other, others in earlier:
            # No more is shared than the smaller holds, which may rule it out at once.
            if min(size, others) < _ALIKE * max(size, others):
                continue
            shared = len(own & other)
            if shared >= _ALIKE * (size + others - shared):
                found[at] = before
                break
        earlier.append((at, own, size))
    return found


def discounted(scores: Floats, found: Mapping[int, int]) -> array[float]:
    """Return the scores with those of the copies lowered, by position."""
    lowered = array("d", scores)
    for at in found:
        lowered[at] *= AGAIN
    return lowered
