"""What every flow works on: one open memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.late import late_module

if TYPE_CHECKING:
    from realmemory import safety
    from realmemory.clock import Clock
    from realmemory.config import MemoryConfig
    from realmemory.encoding.checked import CheckedEmbedder
    from realmemory.encoding.reranker import GuardedReranker
    from realmemory.flows.pending import PendingEvents
    from realmemory.index.live_graph import LiveGraph
    from realmemory.index.live_index import LiveIndex
    from realmemory.index.voters import Voters
    from realmemory.store.store import Store
else:
    safety = late_module("realmemory.safety")


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """An open store with the index over it and the embedder of its space."""

    store: Store
    index: LiveIndex
    voters: Voters
    graph: LiveGraph
    embedder: CheckedEmbedder
    config: MemoryConfig
    clock: Clock
    pending: PendingEvents
    author: str
    space_id: int
    reranker: GuardedReranker | None = None

    def __post_init__(self) -> None:
        # The author stands beside every memory, so that it is screened like any text.
        object.__setattr__(self, "author", self.author and safety.masked_name(self.author))

    @property
    def scans_by_votes(self) -> bool:
        """Whether the index has outgrown exact scans, so that votes bring the candidates."""
        return len(self.index.engine) > self.config.exact_scan_max_traces
