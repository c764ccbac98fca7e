"""The revise flow: reality changed, so a new trace supersedes the old one, which stays as history."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from realmemory.core.text import fts_terms
from realmemory.errors import InvalidInputError
from realmemory.flows import validation
from realmemory.flows.draft import prepare
from realmemory.flows.forget import forgotten, later_versions
from realmemory.flows.lineage import end_by, make_way
from realmemory.flows.probe import WriteProbe
from realmemory.flows.remember import SCREEN_KEY, come_near, insert, new_trace, reinforce
from realmemory.outcomes import WriteDecision, WriteRequest, WriteResult
from realmemory.policies import novelty, plasticity
from realmemory.policies.gate.happenings import happened
from realmemory.policies.gate.reading import fact_signature
from realmemory.policies.wording import spoken
from realmemory.store.index_rows import FORGOTTEN_KEY
from realmemory.store.records import LinkType
from realmemory.types import DecisionAction, Status, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft
    from realmemory.policies.novelty import Neighbour
    from realmemory.store.records import NewTrace
    from realmemory.store.transactions import ReadView, WriteTx

_OWN_NOTES = {FORGOTTEN_KEY, SCREEN_KEY}


def update_fact(
    context: MemoryContext,
    old_id: int,
    new_text: str,
    *,
    meta: Mapping[str, Any] | None,
    kind: str | None,
    when: float | None,
    origin: str | None,
    tags: Sequence[str] | None,
    importance: float | None,
    expires: float | None,
    session_id: str | None,
) -> WriteResult:
    """Store ``new_text`` as what holds from ``when`` on and end the validity of the old trace.

    What contradicted the old text and contradicts the new one stays an open conflict. The same text,
    told of other days, gives way too, unless it tells what happened then.
    What stood in a conversation is replaced in its place there, whatever else says the same.

    Raises:
        InvalidInputError: The old trace was superseded before (the message names the live one),
            or an argument cannot be used, or the text gives orders to the agent and is not the
            user's (``held_back``).
        NotFoundError: ``old_id`` is unknown.
    """
    validation.checked_id(old_id)
    with context.store.read() as view:
        old = live_trace(view, old_id)
    request = WriteRequest(
        text=new_text,
        kind=validation.checked_kind(kind) if kind is not None else old.kind,
        scope=old.scope,
        meta={**_handed_on(old), **validation.checked_meta(meta), "supersedes": old_id},
        tags=old.tags if tags is None else tags,
        when=when,
        origin=origin or old.origin,
        importance=old.importance if importance is None else importance,
        expires_at=expires,
        session_id=_session(old, session_id),
    )
    draft = _drafted(context, request, old)
    come_near(context)
    with context.store.write() as tx:
        context.index.refresh(tx)
        live_trace(tx, old_id)
        context.pending.flush(tx)
        others = [item for item in WriteProbe(context, tx, [draft]).nearest(0) if item.id != old_id]
        decision = _decide(context, old, others)
        if decision.target_id is None:
            new_id = insert(tx, _row(context, tx, draft, old), draft)
            if old.pinned:
                tx.traces.pin([new_id])
        else:
            new_id = decision.target_id
            reinforce(context, tx, new_id, draft)
        disputed = set(tx.links.conflicts_of([old_id]).get(old_id, ())) - {new_id}
        supersede(context, tx, old, new_id, draft.when)
        again = _said_again(tx, old, new_id, draft.when)
        for twin in again:
            supersede(context, tx, twin, new_id, draft.when)
        held = disputed.intersection(
            novelty.conflicting(
                others, draft.signature, when=draft.when, corrects=draft.signature.corrects
            )
        )
        for other in sorted(held):
            tx.links.connect(new_id, other, LinkType.CONFLICT)
        tx.eligibility.add(plasticity.supersede_binds(old_id, new_id, at=context.clock.now()))
        for item in (old, *again):
            tx.journal.append("supersede", {"old": item.id, "new": new_id})
    return WriteResult(
        memory_id=new_id,
        decision=decision,
        created=decision.target_id is None,
        conflicts=tuple(sorted(held)),
        warnings=(*draft.warnings, *_settled(disputed - held), *_replaced_too(again)),
    )


def _said_again(tx: WriteTx, old: Trace, new_id: int, when: float) -> list[Trace]:
    """Return the live traces that said the same of the old one's scope until ``when``.

    What was told on two days holds no longer than what was told on one; what was done was done twice.
    """
    if old.turn_index is not None or happened(fact_signature(old.text)):
        return []
    ids = set(tx.traces.ids_with_text(old.text)) - {old.id, new_id}
    return [
        trace
        for trace in tx.traces.get_many(sorted(ids)).values()
        if (trace.text, trace.scope, trace.author) == (old.text, old.scope, old.author)
        and trace.status is Status.ACTIVE
        and trace.turn_index is None
        and trace.superseded_by is None
        and trace.observed_at <= when
    ]


def _replaced_too(twins: Iterable[Trace]) -> list[str]:
    return [f"memory {twin.id} said the same and is replaced as well" for twin in twins]


def _session(old: Trace, given: str | None) -> str | None:
    """Return the session of the new text: what stands in a conversation stays there."""
    return old.session_id if given is None or old.turn_index is not None else given


def _settled(others: Iterable[int]) -> list[str]:
    """Say which conflicts of the old text the new one has no part in."""
    return [f"what it says no longer contradicts memory {other}" for other in sorted(others)]


def _drafted(context: MemoryContext, request: WriteRequest, old: Trace) -> Draft:
    draft = prepare(context, [request], [old.speaker])[0]
    if draft.held_back:
        raise InvalidInputError(
            f"the new text reads like an instruction to the agent that no user wrote; memory "
            f"{old.id} stands as it was. Let the user revise it, or remember the text by itself: "
            "it is held back until a user confirms it.",
            code="held_back",
        )
    return draft


def supersede(context: MemoryContext, tx: WriteTx, old: Trace, new_id: int, when: float) -> None:
    """Let a trace give way to another from ``when`` on, and with it what depended on it."""
    now = context.clock.now()
    # A fact that is corrected to an earlier time never held.
    ended = max(when, old.valid_from)
    # One that changes later holds until then.
    status = Status.SUPERSEDED if when <= now else old.status
    successor = make_way(context, tx, old, new_id)
    for trace in tx.traces.get_many(tx.succession.outlasting(old.id, when)).values():
        end_by(context, tx, trace, when)
    tx.traces.set_status([old.id], status, valid_to=ended, superseded_by=successor)
    tx.links.remove(
        (link.src, link.dst, link.type) for link in tx.links.of([old.id], [LinkType.CONFLICT])
    )


def _handed_on(old: Trace) -> dict[str, Any]:
    """Return the metadata of a trace without the notes that are about its own text and fate."""
    return {key: value for key, value in old.meta.items() if key not in _OWN_NOTES}


def _row(context: MemoryContext, tx: WriteTx, draft: Draft, old: Trace) -> NewTrace:
    """Return the row of the new text, in the old one's place if that is a conversation."""
    row = new_trace(context, draft)
    if old.turn_index is None:
        return row
    # What stood around the old turn helps to find the new one: its date and the turns before.
    beside = tx.traces.index_texts([old.id]).get(old.id, "")
    beside = beside.removeprefix(spoken(old.text, old.speaker))
    indexed = spoken(row.text, old.speaker) + beside
    return row._replace(
        index_text=indexed,
        terms=fts_terms(indexed),
        turn_index=old.turn_index,
        speaker=old.speaker,
        role=old.role,
        observed_at=old.observed_at,
    )


def _decide(context: MemoryContext, old: Trace, others: Sequence[Neighbour]) -> WriteDecision:
    """Reinforce a live trace that states the new text already; otherwise there would be two."""
    found = novelty.decide(context.config, others, author=context.author)
    if found.action is DecisionAction.REINFORCE and old.turn_index is None:
        return replace(found, related_ids=(old.id,))
    return WriteDecision(
        action=DecisionAction.CREATE,
        target_id=None,
        related_ids=(old.id,),
        novelty=found.novelty,
        best_cosine=found.best_cosine,
    )


def live_trace(view: ReadView, memory_id: int) -> Trace:
    """Return a trace that may be revised.

    Raises:
        InvalidInputError: It was superseded; revising it again would fork its history.
        NotFoundError: Unknown id.
    """
    trace = view.traces.get(memory_id)
    if not _replaced(trace):
        return trace
    kept = [item for item in later_versions(view, trace) if not forgotten(item)]
    last = kept[-1] if kept else trace
    way_out = (
        f"What came after it was forgotten. Restore {last.id} to make it current again, then "
        "revise that."
        if _replaced(last)
        else f"Revise the live one, {last.id}."
    )
    raise InvalidInputError(
        f"memory {memory_id} was already superseded; nothing was changed. {way_out}",
        code="already_superseded",
    )


def _replaced(trace: Trace) -> bool:
    return trace.status is Status.SUPERSEDED or trace.superseded_by is not None
