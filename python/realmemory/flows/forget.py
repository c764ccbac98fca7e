"""Forgetting on request, and its undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import validation
from realmemory.flows.lineage import reinstate, rejoin
from realmemory.late import late_module
from realmemory.policies import decay
from realmemory.store.index_rows import FORGOTTEN_KEY
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from realmemory import outcomes
    from realmemory.flows.context import MemoryContext
    from realmemory.outcomes import ForgetReceipt
    from realmemory.store.answers import Answer
    from realmemory.store.transactions import ReadView, WriteTx
    from realmemory.types import Trace
else:
    outcomes = late_module("realmemory.outcomes")

_BACKUP_CHOICES = ("keep", "rewrite")
_HIDDEN = (Status.ARCHIVED, Status.QUARANTINED)


def forget(
    context: MemoryContext, ids: Iterable[int] | int, *, hard: bool, backups: str
) -> ForgetReceipt:
    """Archive traces, or with ``hard`` erase them; forgetting twice is harmless.

    A hard forget removes the text from rows, wordings, keyword index, vectors and the
    write-ahead log, and with ``backups="rewrite"`` from the backups; the receipt names every
    file that still holds it, that of the team included.

    Raises:
        InvalidInputError: ``backups`` is neither ``keep`` nor ``rewrite``.
        NotFoundError: An id was never known; nothing was forgotten.
    """
    wanted = validation.checked_ids(ids)
    if backups not in _BACKUP_CHOICES:
        raise InvalidInputError(
            f"backups is 'keep' or 'rewrite', got {backups!r}; nothing was forgotten",
            code="invalid_choice",
        )
    if hard:
        return _erase(context, wanted, rewrite=backups == "rewrite")
    with context.store.write() as tx:
        gone = _record(context, tx, wanted, hard=False)
        uncovered = _uncovered_by(tx, gone)
        tx.traces.set_status(gone, Status.ARCHIVED)
        for memory_id in gone:
            # Unlike what faded by itself, it is not offered again until somebody asks for it.
            tx.traces.merge_meta(memory_id, {FORGOTTEN_KEY: True})
    return outcomes.ForgetReceipt(
        forgotten=tuple(gone),
        already_forgotten=_others(wanted, gone),
        uncovered=tuple(uncovered),
    )


def _erase(context: MemoryContext, wanted: Sequence[int], *, rewrite: bool) -> ForgetReceipt:
    gone: list[int] = []
    uncovered: list[int] = []
    shared: list[str] = []

    def record(tx: WriteTx) -> None:
        # What a team reads is taken back by whoever writes that file; until then it holds the text.
        shared.extend(filter(None, [tx.publications.file_with(wanted)]))
        tx.publications.drop_digests(wanted)
        gone.extend(_record(context, tx, wanted, hard=True))
        uncovered.extend(_uncovered_by(tx, gone))
        context.index.discard_snapshots()

    # In one transaction with the deletion: what is refused leaves no note that it was done.
    erased = context.store.erase(wanted, rewrite_backups=rewrite, beside=record)
    return outcomes.ForgetReceipt(
        forgotten=tuple(gone),
        already_forgotten=_others(wanted, gone),
        hard=True,
        remaining_copies=(*erased.remaining_copies, *shared),
        rewritten_backups=erased.rewritten_backups,
        log_emptied=erased.wal_emptied,
        uncovered=tuple(uncovered),
    )


def _record(context: MemoryContext, tx: WriteTx, wanted: Sequence[int], *, hard: bool) -> list[int]:
    """Note what is forgotten, and return those that were not already."""
    traces = tx.traces.get_many(wanted)
    buried = tx.traces.deleted_ids(wanted)
    for memory_id in wanted:
        if memory_id not in traces and memory_id not in buried:
            raise NotFoundError(f"memory {memory_id} is unknown; nothing was forgotten")
    gone = [item for item in wanted if item in traces and (hard or not forgotten(traces[item]))]
    context.pending.flush(tx)
    tx.journal.append("forget", {"ids": gone, "hard": hard})
    return gone


def _others(wanted: Sequence[int], gone: Sequence[int]) -> tuple[int, ...]:
    return tuple(item for item in wanted if item not in gone)


def _uncovered_by(tx: WriteTx, gone: Sequence[int]) -> list[int]:
    """Return what nothing came after any more once these are gone."""
    before = tx.traces.get_many(tx.succession.replaced_by(gone)).values()
    return [item.id for item in before if item.id not in gone and _uncovered(tx, item, gone)]


def forgotten(trace: Trace | Answer) -> bool:
    """Say whether a trace is in the archive because somebody asked for it."""
    return trace.status is Status.ARCHIVED and FORGOTTEN_KEY in trace.meta


def restore(context: MemoryContext, ids: Iterable[int] | int) -> int:
    """Bring archived and faded traces back with a fresh timer; return how many came back.

    A trace that was held back because it reads like an instruction is released as well: asking
    for it by its id is the confirmation. A superseded one is current again where all that came
    after it was forgotten, which takes back a mistaken revision; restoring that one as well makes
    it current and the older one history again.

    Raises:
        NotFoundError: An id is unknown or was erased; nothing was restored.
    """
    wanted = validation.checked_ids(ids)
    with context.store.write() as tx:
        back = [item for item in known(tx, wanted) if _out_of_recall(context, item)]
        revive(context, tx, back)
        again = [item for item in known(tx, wanted) if _uncovered(tx, item)]
        for trace in again:
            reinstate(context, tx, trace)
        revive(context, tx, known(tx, [item.id for item in again]))
        returned = list(dict.fromkeys(item.id for item in (*back, *again)))
        tx.journal.append("restore", {"ids": returned})
    return len(returned)


def _out_of_recall(context: MemoryContext, trace: Trace) -> bool:
    if trace.status is not Status.ACTIVE:
        return trace.status in _HIDDEN
    return decay.below_floor(context.config, trace, context.clock.now())


def _uncovered(view: ReadView, trace: Trace, gone: Collection[int] = ()) -> bool:
    """Say whether a trace is, or will be, history only because of what was forgotten since.

    Args:
        view: The store.
        trace: A version of something.
        gone: What is being forgotten now.
    """
    if trace.status not in {Status.SUPERSEDED, Status.ACTIVE} or trace.valid_to is None:
        return False
    return all(item.id in gone or forgotten(item) for item in later_versions(view, trace))


def later_versions(view: ReadView, trace: Trace) -> list[Trace]:
    """Return what came to stand for a trace, one after the other."""
    ids = view.succession.after(trace.id)
    found = view.traces.get_many(ids)
    return [found[item] for item in ids if item in found]


def revive(context: MemoryContext, tx: WriteTx, traces: Sequence[Trace]) -> None:
    """Bring hidden traces back with a fresh timer; a superseded one comes back as history."""
    now = context.clock.now()
    for trace in traces:
        live = trace.superseded_by is None if trace.valid_to is None else trace.valid_to > now
        tx.traces.set_status([trace.id], Status.ACTIVE if live else Status.SUPERSEDED)
        if trace.expires_at is not None and trace.expires_at <= now:
            # Else the next sleep would take it away again.
            tx.traces.set_expiry([trace.id], None)
        tx.traces.drop_meta(trace.id, FORGOTTEN_KEY)
    worn = tx.traces.dynamics(trace.id for trace in traces)
    tx.traces.set_dynamics(decay.revived(context.config, item, now) for item in worn.values())
    rejoin(context, tx, worn)


def set_pinned(context: MemoryContext, ids: Iterable[int] | int, *, pinned: bool) -> int:
    """Protect traces from fading, or stop doing so; return how many changed.

    Raises:
        NotFoundError: An id is unknown; nothing was changed.
    """
    wanted = validation.checked_ids(ids)
    with context.store.write() as tx:
        changed = [item.id for item in known(tx, wanted) if item.pinned is not pinned]
        tx.traces.pin(changed, pinned=pinned)
        if pinned:
            _lift(context, tx, changed)
        tx.journal.append("pin" if pinned else "unpin", {"ids": changed})
    return len(changed)


def _lift(context: MemoryContext, tx: WriteTx, ids: Sequence[int]) -> None:
    """Make what feedback has weakened strong enough to be recalled: pinned means reachable."""
    least = decay.least_of_pinned(context.config)
    weak = [item for item in tx.traces.dynamics(ids).values() if item.base_strength < least]
    tx.traces.set_dynamics(item._replace(base_strength=least) for item in weak)


def known(view: ReadView, ids: Sequence[int]) -> list[Trace]:
    """Return traces that are about to change, in the order of their ids as given.

    Raises:
        NotFoundError: One of them is unknown or was erased.
    """
    traces = view.traces.get_many(ids)
    for memory_id in ids:
        if memory_id not in traces:
            raise NotFoundError(f"memory {memory_id} is unknown or was erased; nothing was changed")
    return [traces[memory_id] for memory_id in ids]
