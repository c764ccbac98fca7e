"""What a turn of a conversation tells of changes: less surely than a note, for it leaves much unsaid.

"I sold the tiller" is news of the tiller; "she left with one suitcase" is so of whom the turns around it
speak of. So a turn is news only of what it answers by itself as likely, and of what another speaker says
of himself it is none.
"""

from __future__ import annotations

from realmemory.policies.change.clauses import folded, tokens_of
from realmemory.policies.words import little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT = 160
"""Characters from which a turn speaks of several matters."""
APART = 1e-3
"""Seconds between two turns of one session that have the same time."""


def states(*, asks: bool, length: int) -> bool:
    """Say whether a turn states one thing: it does not ask, and is short."""
    return not asks and length < SHORT


def of_one(earlier: str, later: str, speakers: Sequence[str]) -> bool:
    """Say whether two texts may be about one and the same: "I" is somebody else for each who says so.

    Args:
        earlier: What was said first.
        later: What was said since.
        speakers: Who said either, "" where nobody did.
    """
    if "" in speakers or speakers[0] == speakers[1]:
        return True
    return any(tokens_of(folded(text)).isdisjoint(little.MINE) for text in (earlier, later))
