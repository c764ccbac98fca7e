"""A crowd: notes of a few patterns fill the first places, each of them a little likely.

None is more of an answer than the next. What stands was said once and is behind them all: a
lasting fact, or one that replaced another. So where there is a crowd, every fifth place is left to
such a fact; no confidence changes.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from realmemory.core.evidence import best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.core.evidence import Floats

NEAR = 0.2
"""Share of the best score from which a note is one of a crowd."""
_CROWD = 12
"""Near-copies of better hits that make a crowd."""
_BETWEEN = 4
"""Others before each fact that stands."""
_MOST = 3
"""Facts that a crowd makes room for."""


def crowded(scores: Floats, copies: Mapping[int, int]) -> bool:
    """Say whether near-copies crowd the answer.

    Args:
        scores: Of all candidates, those of copies lowered.
        copies: The copies, by position.
    """
    least = NEAR * max(scores, default=0.0)
    return len([at for at in copies if scores[at] >= least]) >= _CROWD


def making_room(scores: Floats, standing: Sequence[int]) -> array[float]:
    """Return the scores with the best facts that stand raised to where room is left to them.

    Args:
        scores: Of all candidates of a crowded answer.
        standing: Positions of what stands, best first.
    """
    raised = array("d", scores)
    ranked = best(scores, _BETWEEN * _MOST + 1 + len(standing))
    others = [at for at in ranked if at not in standing]
    rooms = zip(others[_BETWEEN - 1 :: _BETWEEN], others[_BETWEEN::_BETWEEN], strict=False)
    for at, (before, behind) in zip(standing[:_MOST], rooms, strict=False):
        raised[at] = max(scores[at], (scores[before] + scores[behind]) / 2.0)
    return raised
