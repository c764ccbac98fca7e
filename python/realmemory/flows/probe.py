"""Stage `probe`: the traces nearest to a text, in its own scope and the global one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import KIND_CODES, RowAttributes, ScanFilter
from realmemory.policies.novelty import SOFT, Neighbour
from realmemory.policies.reading import fact_signature
from realmemory.policies.recital import stated_lines
from realmemory.policies.signature import FAR, compare, far_apart, least_shared
from realmemory.types import GLOBAL_SCOPE, Kind, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.policies.reading import FactSignature
    from realmemory.store.transactions import WriteTx


class Found(NamedTuple):
    """What the index knows of a candidate: its cosine, and how many of the draft's words it holds."""

    cosine: float
    shared: float


class WriteProbe:
    """Finds neighbours inside one write transaction, its own uncommitted traces included.

    Uncommitted traces live in a scratch index, so that a rollback leaves nothing behind in the
    index that all threads share.
    """

    def __init__(self, context: MemoryContext, tx: WriteTx) -> None:
        self._context = context
        self._tx = tx
        self._scratch = MemoryIndex(context.embedder.dim)
        self._known_scopes: dict[str, set[int]] = {}

    def add(self, memory_id: int, draft: Draft) -> None:
        """Make a trace of this transaction visible to the following probes."""
        scope = self._tx.scopes.id_of(draft.request.scope)
        row = _fresh_row(scope, KIND_CODES[Kind(draft.request.kind)], draft.when)
        self._scratch.upsert([memory_id], [draft.vector], [draft.request.text], row)

    def nearest(self, draft: Draft) -> list[Neighbour]:
        """Return the traces nearest to a draft by meaning or by words, the same fact first.

        A trace with the very same text is a neighbour at cosine 1 even when the embedder finds
        no content in it. Only traces that may state the same fact or contradict it, and the
        nearest one where it is near enough to be linked, are read from the store and compared.
        """
        scopes = self._scopes(draft)
        found = self._candidates(draft, scopes)
        stated = self._already_stated(draft.request.text, scopes)
        found |= dict.fromkeys(stated, Found(1.0, 0))
        ordered = sorted(found, key=lambda item: (-found[item].cosine, item))
        least = least_shared(draft.signature)
        worth = stated | {item for item in ordered if found[item].shared >= least}
        config = self._context.config
        # Why a text is linked is told, and from a cosine on other words may say the same.
        told = {item for item in ordered[:1] if found[item].cosine >= config.theta_link}
        told |= {item for item in ordered if found[item].cosine >= config.theta_rephrase}
        compared = self._compared(draft, found, stated, told, worth)
        return [
            compared.get(item) or Neighbour(item, found[item].cosine, "", differences=FAR)
            for item in ordered
        ]

    def _compared(
        self,
        draft: Draft,
        found: Mapping[int, Found],
        stated: set[int],
        told: set[int],
        worth: set[int],
    ) -> dict[int, Neighbour]:
        """Compare a draft with traces; what is far from it and not to be told is left out."""
        ids = worth | told
        if not ids:
            return {}
        compared: dict[int, Neighbour] = {}
        for item, (author, wordings) in self._tx.variants.wordings(ids).items():
            cosine = found[item].cosine
            if item in stated:
                compared[item] = Neighbour(item, cosine, author, differences=())
                continue
            known = [fact_signature(text) for text in wordings]
            if item in told or not all(far_apart(one, draft.signature) for one in known):
                compared[item] = _neighbour(item, cosine, author, known, draft.signature)
        return self._sound(compared)

    def _sound(self, compared: dict[int, Neighbour]) -> dict[int, Neighbour]:
        """Leave out damaged traces whose words would decide something."""
        telling = {
            item
            for item, one in compared.items()
            if one.contradicts or set(one.differences) <= SOFT
        }
        damaged = telling.difference(self._tx.traces.sound(telling)) if telling else telling
        return {item: one for item, one in compared.items() if item not in damaged}

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
        name = draft.request.scope
        if name not in self._known_scopes:
            id_of = self._tx.scopes.id_of
            self._known_scopes[name] = {id_of(name), id_of(GLOBAL_SCOPE)}
        return self._known_scopes[name]

    def _already_stated(self, text: str, scopes: set[int]) -> set[int]:
        """Return live or archived traces that hold exactly this text, as theirs or a wording."""
        ids = self._tx.traces.ids_with_text(text, scopes)
        states = self._tx.traces.states(ids) if ids else []
        return {item.id for item in states if item.status in (Status.ACTIVE, Status.ARCHIVED)}

    def _candidates(self, draft: Draft, scopes: set[int]) -> dict[int, Found]:
        try:
            return self._searched(draft, scopes)
        except OSError:
            # A block of the index's snapshot is damaged; the store has everything.
            self._context.index.rebuild(self._tx)
            return self._searched(draft, scopes)

    def _searched(self, draft: Draft, scopes: set[int]) -> dict[int, Found]:
        """Describe every trace that the scan or the keyword search brings.

        Words bring what an embedder that does not know the language misses.
        """
        kinds = (Kind.TURN,) if draft.request.kind == Kind.TURN else (Kind.EPISODIC, Kind.SEMANTIC)
        visible = ScanFilter(
            now=self._context.clock.now(),
            scopes=tuple(scopes),
            kinds=tuple(KIND_CODES[kind] for kind in kinds),
        )
        found: dict[int, Found] = {}
        for engine in (self._context.index.engine, self._scratch):
            if len(engine):
                found |= _nearest(engine, draft, self._context.config.gate_neighbours, visible)
        return found


def _neighbour(
    memory_id: int,
    cosine: float,
    author: str,
    wordings: Sequence[FactSignature],
    drafted: FactSignature,
) -> Neighbour:
    """Compare a draft with the wording of a trace that it differs from least."""
    best = min(
        (compare(wording, drafted) for wording in wordings),
        key=lambda item: len(item.differences),
    )
    return Neighbour(memory_id, cosine, author, best.differences, best.contradicts, best.common)


def _nearest(
    engine: MemoryIndex, draft: Draft, limit: int, visible: ScanFilter
) -> dict[int, Found]:
    found = engine.gather(
        draft.request.text,
        draft.vector,
        visible,
        k=limit,
        scan_k=limit if draft.vector.any() else 0,
        by_cosine=True,
        fuzzy=False,
    )
    cosines = np.nan_to_num(found.cosines).tolist()
    rows = zip(found.ids.tolist(), cosines, found.matched.tolist(), strict=True)
    return {trace_id: Found(cosine, words) for trace_id, cosine, words in rows}


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
