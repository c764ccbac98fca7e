"""Stage `probe`: the traces nearest to a text, in its own scope and the global one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.memory_index import KIND_CODES, MemoryIndex, RowAttributes, ScanFilter
from realmemory.policies.novelty import Neighbour
from realmemory.policies.reading import fact_signature
from realmemory.policies.recital import stated_lines
from realmemory.policies.signature import compare
from realmemory.types import GLOBAL_SCOPE, Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.store.transactions import WriteTx
    from realmemory.types import Trace


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
        row = _fresh_row(scope, KIND_CODES[Kind(draft.request.kind)], draft.when)
        self._scratch.upsert([memory_id], [draft.vector], [draft.request.text], row)

    def nearest(self, draft: Draft) -> list[Neighbour]:
        """Return the traces nearest to a draft by meaning or by words, the same fact first.

        A trace with the very same text is a neighbour at cosine 1 even when the embedder finds
        no content in it.
        """
        scopes = self._scopes(draft)
        cosines = self._candidates(draft, scopes)
        stated = self._already_stated(draft.request.text, scopes)
        cosines |= dict.fromkeys(stated, 1.0)
        found = [
            _neighbour(draft, trace, wordings, cosines[trace.id], stated=trace.id in stated)
            for trace, wordings in self._wordings(cosines)
        ]
        found.sort(key=lambda item: (-item.cosine, item.id))
        return found

    def recited(self, draft: Draft) -> list[int]:
        """Return the traces that a paste of recalled memories repeats, empty when it is none."""
        known: list[int] = []
        scopes = self._scopes(draft)
        for line in stated_lines(draft.request.text):
            stated = self._already_stated(line, scopes)
            if not stated:
                return []
            known.append(min(stated))
        return known

    def _scopes(self, draft: Draft) -> set[int]:
        own = self._tx.scopes.id_of(draft.request.scope, create=True)
        return {own, self._tx.scopes.id_of(GLOBAL_SCOPE, create=True)}

    def _already_stated(self, text: str, scopes: set[int]) -> set[int]:
        """Return live or archived traces that hold exactly this text, as theirs or a wording."""
        ids = self._tx.traces.ids_with_text(text, scopes)
        states = self._tx.traces.states(ids)
        return {item.id for item in states if item.status in (Status.ACTIVE, Status.ARCHIVED)}

    def _candidates(self, draft: Draft, scopes: set[int]) -> dict[int, float]:
        try:
            return self._searched(draft, scopes)
        except OSError:
            # A block of the index's snapshot is damaged; the store has everything.
            self._context.index.rebuild(self._tx)
            return self._searched(draft, scopes)

    def _searched(self, draft: Draft, scopes: set[int]) -> dict[int, float]:
        """Return the cosine of every trace that the scan or the keyword search brings.

        Words bring what an embedder that does not know the language misses.
        """
        limit = self._context.config.gate_neighbours
        kinds = (Kind.TURN,) if draft.request.kind == Kind.TURN else (Kind.EPISODIC, Kind.SEMANTIC)
        visible = ScanFilter(
            now=self._context.clock.now(),
            scopes=tuple(scopes),
            kinds=tuple(KIND_CODES[kind] for kind in kinds),
        )
        found: dict[int, float] = {}
        for engine in (self._context.index.engine, self._scratch):
            if draft.vector.any():
                found |= _nearest(engine, draft, limit, visible)
            worded = engine.search_terms(draft.request.text, limit, visible).ids
            cosines = np.nan_to_num(engine.cosines(draft.vector, worded))
            found |= dict(zip(worded.tolist(), cosines.tolist(), strict=True))
        return found

    def _wordings(self, ids: Iterable[int]) -> list[tuple[Trace, list[str]]]:
        traces = self._tx.traces.get_many(ids)
        kept = self._tx.variants.of_many(traces)
        return [
            (trace, [trace.text, *(wording.text for wording in kept.get(trace.id, ()))])
            for trace in traces.values()
        ]


def _neighbour(
    draft: Draft, trace: Trace, wordings: Sequence[str], cosine: float, *, stated: bool
) -> Neighbour:
    """Compare a draft with the wording of a trace that it differs from least."""
    if stated:
        return Neighbour(trace.id, cosine, trace.author, differences=())
    best = min(
        (compare(fact_signature(text), draft.signature) for text in wordings),
        key=lambda item: len(item.differences),
    )
    return Neighbour(
        trace.id, cosine, trace.author, best.differences, best.contradicts, best.common
    )


def _nearest(
    engine: MemoryIndex, draft: Draft, limit: int, visible: ScanFilter
) -> dict[int, float]:
    result = engine.topk(draft.vector, limit, visible, by_cosine=True)
    return dict(zip(result.ids.tolist(), result.cosines.tolist(), strict=True))


def _fresh_row(scope: int, kind: int, when: float) -> RowAttributes:
    return RowAttributes.of(
        scopes=[scope],
        kinds=[kind],
        statuses=[0],
        flags=[0],
        base=[1.0],
        last=[when],
        valid_from=[when],
        valid_until=[math.inf],
        observed_at=[when],
    )
