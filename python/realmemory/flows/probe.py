"""Stage `probe`: the traces nearest to a text, in its own scope and the global one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from realmemory.core.memory_index import MemoryIndex, RowAttributes, ScanFilter
from realmemory.flows.draft import signature_of
from realmemory.policies.novelty import Neighbour
from realmemory.policies.signature import differences
from realmemory.types import GLOBAL_SCOPE, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.store.transactions import WriteTx


class WriteProbe:
    """Finds neighbours inside one write transaction, its own uncommitted traces included.

    Uncommitted traces live in a scratch index, so that a rollback leaves nothing behind in the
    index that all threads share.
    """

    def __init__(self, context: MemoryContext, tx: WriteTx) -> None:
        self._context = context
        self._tx = tx
        self._scratch = MemoryIndex(context.embedder.dim)

    def add(self, memory_id: int, draft: Draft) -> None:
        """Make a trace of this transaction visible to the following probes."""
        scope = self._tx.scopes.id_of(draft.request.scope)
        self._scratch.upsert([memory_id], [draft.vector], [""], _fresh_row(scope, draft.when))

    def nearest(self, draft: Draft) -> list[Neighbour]:
        """Return the traces nearest to a draft, nearest first.

        A trace with the very same text is a neighbour at cosine 1 even when the embedder finds
        no content in it.
        """
        scopes = {
            self._tx.scopes.id_of(draft.request.scope),
            self._tx.scopes.id_of(GLOBAL_SCOPE),
        }
        cosines = self._cosines(draft, scopes)
        stated = self._already_stated(draft, scopes)
        cosines |= dict.fromkeys(stated, 1.0)
        limit = self._context.config.gate_neighbours
        ranked = sorted(cosines.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [self._neighbour(draft, *item, stated) for item in ranked]

    def _already_stated(self, draft: Draft, scopes: set[int]) -> set[int]:
        """Return live or archived traces that hold exactly this text, as theirs or a wording."""
        ids = self._tx.traces.ids_with_text(draft.request.text, scopes)
        states = self._tx.traces.states(ids)
        return {item.id for item in states if item.status in (Status.ACTIVE, Status.ARCHIVED)}

    def _cosines(self, draft: Draft, scopes: set[int]) -> dict[int, float]:
        if not draft.vector.any():
            return {}
        try:
            return self._scanned(draft, scopes)
        except OSError:
            # A block of the index's snapshot is damaged; the store has everything.
            self._context.index.rebuild(self._tx)
            return self._scanned(draft, scopes)

    def _scanned(self, draft: Draft, scopes: set[int]) -> dict[int, float]:
        limit = self._context.config.gate_neighbours
        visible = ScanFilter(now=self._context.clock.now(), scopes=tuple(scopes))
        return {
            memory_id: cosine
            for engine in (self._context.index.engine, self._scratch)
            for memory_id, cosine in _nearest(engine, draft, limit, visible)
        }

    def _neighbour(
        self, draft: Draft, memory_id: int, cosine: float, stated: set[int]
    ) -> Neighbour:
        """Compare the facts only where the gate could merge."""
        if cosine < self._context.config.theta_reinforce:
            return Neighbour(memory_id, cosine, author="", differences=())
        trace = self._tx.traces.get(memory_id)
        found = (
            () if memory_id in stated else differences(signature_of(trace.text), draft.signature)
        )
        return Neighbour(memory_id, cosine, author=trace.author, differences=found)


def _nearest(
    engine: MemoryIndex, draft: Draft, limit: int, visible: ScanFilter
) -> Iterator[tuple[int, float]]:
    result = engine.topk(draft.vector, limit, visible, by_cosine=True)
    return zip(result.ids.tolist(), result.cosines.tolist(), strict=True)


def _fresh_row(scope: int, when: float) -> RowAttributes:
    return RowAttributes.of(
        scopes=[scope],
        kinds=[0],
        statuses=[0],
        flags=[0],
        base=[1.0],
        last=[when],
        valid_from=[when],
        valid_until=[math.inf],
        observed_at=[when],
    )
