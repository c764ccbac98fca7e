"""The revise flow: reality changed, so a new trace supersedes the old one, which stays as history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError
from realmemory.flows import validation
from realmemory.flows.draft import prepare
from realmemory.flows.remember import create
from realmemory.policies import plasticity
from realmemory.store.records import LinkType
from realmemory.types import (
    DecisionAction,
    Status,
    Trace,
    WriteDecision,
    WriteRequest,
    WriteResult,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import ReadView


def update_fact(
    context: MemoryContext,
    old_id: int,
    new_text: str,
    *,
    meta: Mapping[str, Any] | None,
    kind: str | None,
    when: float | None,
) -> WriteResult:
    """Store ``new_text`` as what holds from ``when`` on and end the validity of the old trace.

    Raises:
        InvalidInputError: The old trace was superseded before (the message names the live one),
            or an argument cannot be used.
        NotFoundError: ``old_id`` is unknown.
    """
    validation.checked_id(old_id)
    with context.store.read() as view:
        old = live_trace(view, old_id)
    request = WriteRequest(
        text=new_text,
        kind=validation.checked_kind(kind) if kind is not None else old.kind,
        scope=old.scope,
        meta={**old.meta, **validation.checked_meta(meta), "supersedes": old_id},
        tags=old.tags,
        when=when,
        origin=old.origin,
        importance=old.importance,
        session_id=old.session_id,
    )
    draft = prepare(context, [request])[0]
    with context.store.write() as tx:
        context.pending.flush(tx)
        live_trace(tx, old_id)
        new_id = create(context, tx, draft)
        tx.traces.set_status([old_id], Status.SUPERSEDED, valid_to=draft.when, superseded_by=new_id)
        tx.links.remove(
            (link.src, link.dst, link.type) for link in tx.links.of([old_id], [LinkType.CONFLICT])
        )
        tx.eligibility.add(plasticity.supersede_binds(old_id, new_id, at=context.clock.now()))
        tx.journal.append("supersede", {"old": old_id, "new": new_id})
    decision = WriteDecision(
        action=DecisionAction.CREATE,
        target_id=None,
        related_ids=(old_id,),
        novelty=1.0,
        best_cosine=0.0,
    )
    return WriteResult(memory_id=new_id, decision=decision, created=True, warnings=draft.warnings)


def live_trace(view: ReadView, memory_id: int) -> Trace:
    """Return a trace that may be revised.

    Raises:
        InvalidInputError: It was superseded; revising it again would fork its history.
        NotFoundError: Unknown id.
    """
    trace = view.traces.get(memory_id)
    if trace.status is Status.SUPERSEDED:
        live = view.traces.history(memory_id)[-1]
        raise InvalidInputError(
            f"memory {memory_id} was already superseded; nothing was changed. "
            f"Revise the live one, {live.id}.",
            code="already_superseded",
        )
    return trace
