"""The write flow: validate, screen, embed, probe, gate, store.

Everything slow happens before the lock; the decisive probe and the gate happen inside the write
transaction, on an index that has caught up with every other process, so that no two writers can
create the same memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from realmemory.core.text import fts_terms
from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows.anew import Anew, told_anew
from realmemory.flows.draft import prepare
from realmemory.flows.lineage import rejoin
from realmemory.flows.probe import WriteProbe
from realmemory.outcomes import WriteDecision, WriteRequest, WriteResult
from realmemory.policies import decay, novelty, plasticity
from realmemory.store.index_rows import FORGOTTEN_KEY
from realmemory.store.records import Event, Link, LinkType, NewTrace
from realmemory.tracing import traced
from realmemory.types import DecisionAction, Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.policies.novelty import Neighbour
    from realmemory.store.records import Eligibility
    from realmemory.store.transactions import WriteTx

SCREEN_KEY = "_screen"
"""Key of the metadata under which the screen's findings are kept."""

_BATCH = 64
"""Texts written in one transaction, so that the lock is never held for long."""


class _Aside:
    """What a batch leaves beside its traces, stored with one statement of each sort."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.changes_known = False
        self._events: list[Event] = []
        self._binds: list[Eligibility] = []
        self._conflicts: list[Link] = []
        self._decisions: Counter[str] = Counter()

    def note(self, sort: str, data: Mapping[str, Any]) -> None:
        """Add a line of the journal."""
        self._events.append(Event(self.now, sort, data))

    def decided(self, action: DecisionAction, binds: Iterable[Eligibility]) -> None:
        """Count a decision and keep the binds that it makes."""
        self._decisions[action] += 1
        self._binds.extend(binds)

    def contradicted(self, memory_id: int, others: Iterable[int]) -> None:
        """Keep the conflicts of a new trace."""
        conflict = LinkType.CONFLICT
        self._conflicts += (Link(memory_id, other, conflict, 1.0, self.now) for other in others)

    def conflicts_of(
        self, tx: WriteTx, neighbours: Iterable[Neighbour]
    ) -> Mapping[int, Sequence[int]]:
        """Return what contradicts some traces, as far as it is stored or in the batch."""
        ids = {item.id for item in neighbours}
        if not (self._conflicts or tx.links.any_conflict()):
            return {}
        found = {one: [*others] for one, others in tx.links.conflicts_of(ids).items()}
        for link in self._conflicts:
            for one, other in ((link.src, link.dst), (link.dst, link.src)):
                if one in ids:
                    found.setdefault(one, []).append(other)
        return found

    def store(self, tx: WriteTx) -> None:
        """Write everything."""
        tx.links.put(self._conflicts)
        tx.eligibility.add(self._binds)
        for action, count in self._decisions.items():
            tx.meta.add(f"decisions_{action}", count)
        tx.journal.append_many(self._events)


def checked_requests(requests: Iterable[WriteRequest | str]) -> list[WriteRequest]:
    """Return what is to be written, a bare text as a request of its own.

    Raises:
        InvalidInputError: One text in place of several, or an item that is neither.
    """
    if isinstance(requests, (str, bytes, bytearray)) or not isinstance(requests, Iterable):
        raise _no_texts(requests)
    wanted = []
    for at, item in enumerate(requests):
        request = WriteRequest(text=item) if isinstance(item, str) else item
        if not isinstance(request, WriteRequest):
            raise _no_texts(item, at)
        wanted.append(request)
    return wanted


def _no_texts(given: object, at: int | None = None) -> InvalidInputError:
    where = "" if at is None else f" as item {at}"
    return InvalidInputError(
        f"a list of texts or WriteRequests is wanted, got {given!r:.80}{where}; nothing was stored",
        code="invalid_text",
    )


@traced(
    "remember",
    lambda results: {"texts": len(results), "created": sum(one.created for one in results)},
    content=lambda context, requests: "\n".join(request.text for request in requests),  # noqa: ARG005
)
def remember(context: MemoryContext, requests: Sequence[WriteRequest]) -> list[WriteResult]:
    """Write texts through the gate, in order, and say what became of each.

    Raises:
        InvalidInputError: Some request cannot be stored; nothing of the call was.
        NotFoundError: A related id is unknown; nothing of its batch was stored.
    """
    drafts = prepare(context, requests)
    _check_related(context, drafts)
    results: list[WriteResult] = []
    size = _BATCH
    while len(results) < len(drafts):
        batch = drafts[len(results) : len(results) + size]
        written = _write(context, batch)
        results.extend(written)
        context.index.tend()
        # Looking ahead is in vain where batches end early.
        size = min(_BATCH, size * 2) if len(written) == len(batch) else 1
    return results


def _check_related(context: MemoryContext, drafts: Sequence[Draft]) -> None:
    related = [item for draft in drafts for item in draft.request.related_ids]
    if related:
        with context.store.read() as view:
            known = view.traces.dynamics(related)
        _demand(related, known)


def _demand(related: Sequence[int], known: Collection[int]) -> None:
    missing = [item for item in related if item not in known]
    if missing:
        raise NotFoundError(
            f"related memory {missing[0]} is unknown; nothing of this batch was stored"
        )


def _write(context: MemoryContext, drafts: Sequence[Draft]) -> list[WriteResult]:
    """Write drafts in one transaction, up to the first that changes how a known trace is found.

    What follows that one must find the trace as it is then, as if each were written by itself.
    """
    # What one text of our own left to index costs next to nothing under the lock.
    if len(drafts) > 1 or not context.store.seems_unchanged_since(context.index.rev):
        come_near(context)
    with context.store.write() as tx:
        context.index.refresh(tx)
        probe = WriteProbe(context, tx, drafts)
        aside = _Aside(context.clock.now())
        results: list[WriteResult] = []
        for at in range(len(drafts)):
            results.append(_write_one(context, tx, probe, aside, at))
            if aside.changes_known:
                break
        aside.store(tx)
        # Last, so that a refused batch does not take the queue along.
        context.pending.flush(tx)
    return results


def come_near(context: MemoryContext) -> None:
    """Let the index follow the store before the lock is taken, under which it catches up for good.

    The first write of a process loads all of it, and everybody else would wait for that.
    """
    with context.store.read() as view:
        context.index.refresh(view)


def _write_one(
    context: MemoryContext, tx: WriteTx, probe: WriteProbe, aside: _Aside, at: int
) -> WriteResult:
    draft = probe.drafts[at]
    if not draft.request.force_new and (recited := probe.recited(draft)):
        return _recite(aside, draft, recited)
    if draft.held_back:
        return _hold_back(context, tx, aside, draft)
    neighbours = probe.nearest(at)
    decide = partial(
        novelty.decide,
        context.config,
        neighbours,
        author=context.author,
        force_new=draft.request.force_new,
        when=draft.request.when,
        corrects=draft.signature.corrects,
    )
    decision, anew = decide(), Anew()
    if decision.action is DecisionAction.REINFORCE:
        anew = told_anew(tx, draft, neighbours, aside.conflicts_of(tx, neighbours))
        decision = decide(past=anew.past)
    conflicts: tuple[int, ...] = ()
    if decision.action is DecisionAction.REINFORCE and decision.target_id is not None:
        memory_id = decision.target_id
        aside.changes_known = reinforce(context, tx, memory_id, draft)
    else:
        memory_id = create(context, tx, draft)
        probe.add(memory_id, at)
        found = novelty.conflicting(
            neighbours, draft.signature, when=draft.when, corrects=draft.signature.corrects
        )
        conflicts = tuple(dict.fromkeys([*found, *anew.against]))
        aside.contradicted(memory_id, conflicts)
    aside.decided(decision.action, _binds(tx, memory_id, draft, decision, at=aside.now))
    aside.note(
        "write",
        {
            "id": memory_id,
            "action": decision.action,
            "kind": draft.request.kind,
            "scope": draft.request.scope,
            "chars": len(draft.request.text),
            "reasons": list(decision.reasons),
        },
    )
    return WriteResult(
        memory_id=memory_id,
        decision=decision,
        created=decision.action is not DecisionAction.REINFORCE,
        conflicts=conflicts,
        warnings=draft.warnings,
    )


def _hold_back(context: MemoryContext, tx: WriteTx, aside: _Aside, draft: Draft) -> WriteResult:
    """Store a draft where no recall sees it, tied to nothing, until a user confirms it."""
    memory_id = create(context, tx, draft, status=Status.QUARANTINED)
    aside.note("quarantine", {"id": memory_id, "flags": list(draft.flags)})
    return WriteResult(
        memory_id=memory_id,
        decision=WriteDecision(DecisionAction.CREATE, None, (), 1.0, 0.0, ("held_back",)),
        created=True,
        warnings=(*draft.warnings, "it is held back until a user confirms it"),
        quarantined=True,
    )


def _recite(aside: _Aside, draft: Draft, known: Sequence[int]) -> WriteResult:
    """Note that recalled memories came back as a write; they are neither stored nor strengthened.

    Otherwise a memory that is recalled, captured and recalled again would confirm itself.
    """
    aside.note("recital", {"ids": list(known), "scope": draft.request.scope})
    return WriteResult(
        memory_id=known[0],
        decision=WriteDecision(
            DecisionAction.REINFORCE, known[0], tuple(known[1:]), 0.0, 1.0, ("recited",)
        ),
        created=False,
        warnings=draft.warnings,
    )


def create(
    context: MemoryContext, tx: WriteTx, draft: Draft, *, status: Status = Status.ACTIVE
) -> int:
    """Store a draft as a new trace and return its id."""
    return insert(tx, new_trace(context, draft, status), draft)


def new_trace(context: MemoryContext, draft: Draft, status: Status = Status.ACTIVE) -> NewTrace:
    """Return the row that a draft becomes."""
    request = draft.request
    return NewTrace(
        text=request.text,
        terms=draft.terms,
        kind=Kind(request.kind),
        status=status,
        scope=request.scope,
        author=context.author,
        origin=Origin(request.origin),
        observed_at=draft.when,
        valid_from=draft.when,
        importance=request.importance,
        expires_at=request.expires_at,
        session_id=request.session_id,
        tags=tuple(request.tags),
        meta={**request.meta, **({SCREEN_KEY: list(draft.flags)} if draft.flags else {})},
        base_strength=decay.starting_strength(context.config, request.importance),
        embedding=draft.embedding,
        space_id=context.space_id,
    )


def insert(tx: WriteTx, row: NewTrace, draft: Draft) -> int:
    """Store the row of a draft with the passages of its text and return its id."""
    memory_id = tx.traces.insert(row)
    if draft.passages:
        tx.passages.add({memory_id: draft.passages})
    return memory_id


def reinforce(context: MemoryContext, tx: WriteTx, memory_id: int, draft: Draft) -> bool:
    """Strengthen a trace that states the same fact and keep whatever the draft adds to it.

    Returns:
        Whether it is found by other words, in other cases or until another time from now on.
    """
    trace = tx.traces.get(memory_id)
    request = draft.request
    changed = trace.status is Status.ARCHIVED or trace.expires_at != request.expires_at
    known = tx.traces.dynamics([memory_id])[memory_id]
    tx.traces.set_dynamics([decay.restated(context.config, known, context.clock.now())])
    if request.text != trace.text:
        added = tx.variants.add(
            memory_id,
            request.text,
            terms=fts_terms(f"{tx.traces.indexed_text(memory_id)}\n{request.text}"),
            author=context.author,
            origin=Origin(request.origin),
            session_id=request.session_id,
            created_at=draft.when,
            meta=request.meta,
        )
        changed = changed or added is not None
    if trace.status is Status.ARCHIVED:
        tx.traces.set_status([memory_id], Status.ACTIVE)
        tx.traces.drop_meta(memory_id, FORGOTTEN_KEY)
        if trace.valid_to is not None:
            # What had replaced it was erased; who says it again says that it holds.
            tx.traces.set_validity(
                memory_id, valid_from=trace.valid_from, valid_to=None, successor=None
            )
        rejoin(context, tx, [memory_id])
    if trace.expires_at != request.expires_at:
        # Who says it again says how long it holds from now on.
        tx.traces.set_expiry([memory_id], request.expires_at)
    if request.importance > trace.importance:
        tx.traces.set_importance([memory_id], request.importance)
    tx.traces.merge_meta(memory_id, request.meta, request.tags)
    if request.kind is Kind.SEMANTIC and trace.kind is Kind.EPISODIC:
        tx.traces.set_kind([memory_id], Kind.SEMANTIC)
    return changed


def _binds(
    tx: WriteTx, memory_id: int, draft: Draft, decision: WriteDecision, *, at: float
) -> list[Eligibility]:
    """Link what the caller relates; return what belongs together, which sleep turns into edges."""
    related = draft.request.related_ids
    if related:
        _demand(related, tx.traces.dynamics(related))
        others = [item for item in related if item != memory_id]
        pairs = [(memory_id, item) for item in others] + [(item, memory_id) for item in others]
        strength = plasticity.RELATED_STRENGTH
        tx.links.put(Link(src, dst, LinkType.RELATED, strength, at) for src, dst in pairs)
    return plasticity.write_binds(memory_id, decision, related, at=at)
