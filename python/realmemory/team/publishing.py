"""Publishing: what this memory lets others read is recorded here, then written to the own file.

The database is the truth. The file is made from it as a whole, so that whatever happened in between
(a revision, a forgetting, an end by force) is put right the next time that it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows import validation
from realmemory.flows.forget import known
from realmemory.policies.sharing import WITHDRAWING, Shareability, Verdict, classify
from realmemory.store.publications import PublicationRow
from realmemory.team.author_file import MAX_ENTRIES, Header, rendered
from realmemory.team.sending import entry_of, findings, revoked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.policies.sharing import SharingPolicy
    from realmemory.team.settings import TeamSettings
    from realmemory.types import Trace

_FORCED = frozenset({Shareability.ELIGIBLE, Shareability.TOO_LITTLE_REINFORCED})


class Candidate(NamedTuple):
    """One memory with what the policy says of it."""

    trace: Trace
    verdict: Verdict


def judged(policy: SharingPolicy, traces: Iterable[Trace], now: float) -> list[Candidate]:
    """Return what the policy says of memories, in their order."""
    return [
        Candidate(trace, classify(policy, trace, findings(trace.text), now)) for trace in traces
    ]


def preview(
    context: MemoryContext, settings: TeamSettings, ids: Iterable[int], *, force: bool
) -> list[Candidate]:
    """Return memories that may be published.

    Args:
        context: The open memory.
        settings: What may be shared.
        ids: The memories.
        force: Pass over how often they were reinforced, and over nothing else.

    Raises:
        NotFoundError: An id is unknown; nothing was published.
        InvalidInputError: ``not_shareable``; one of them may not, so none is.
    """
    with context.store.read() as view:
        traces = known(view, validation.checked_ids(ids))
    found = judged(settings.policy, traces, context.clock.now())
    _refuse(found, force=force)
    for trace in traces:
        # What a reader would refuse is refused here, before anything is recorded.
        row = _row(settings, trace, 1, context.clock.now())
        rendered(Header(settings.author, settings.author_id), [entry_of(row, trace)])
    return found


def _refuse(found: Sequence[Candidate], *, force: bool) -> None:
    allowed = _FORCED if force else {Shareability.ELIGIBLE}
    kept = [item for item in found if item.verdict.status not in allowed]
    if kept:
        told = "; ".join(
            f"memory {item.trace.id} is {item.verdict.status}: {item.verdict.reason}"
            for item in kept
        )
        raise InvalidInputError(f"{told}. Nothing was published.", code="not_shareable")


def record(context: MemoryContext, settings: TeamSettings, found: Sequence[Candidate]) -> list[int]:
    """Note that memories are published; return those that were not already.

    Raises:
        InvalidInputError: ``not_shareable``; one of them changed meanwhile.
    """
    now = context.clock.now()
    with context.store.write() as tx:
        rows = tx.publications.of_author(settings.author_id)
        traces = known(tx, [item.trace.id for item in found])
        fresh = []
        for item, trace in zip(found, traces, strict=True):
            if (
                trace != item.trace
                and classify(settings.policy, trace, findings(trace.text), now).status
                in WITHDRAWING
            ):
                raise InvalidInputError(
                    f"memory {trace.id} changed while it was looked at. Nothing was published.",
                    code="not_shareable",
                )
            row = rows.get(trace.uid)
            if row is None or not row.standing:
                before = 0 if row is None else row.revision
                fresh.append(_row(settings, trace, before + 1, now))
        if len(rows.keys() | {row.uid for row in fresh}) > MAX_ENTRIES:
            raise InvalidInputError(
                f"an author publishes at most {MAX_ENTRIES:,} memories, those taken back included; "
                "nothing was published",
                code="too_many",
            )
        tx.publications.put(fresh)
        tx.journal.append("publish", {"ids": [row.trace_id for row in fresh]})
    return [row.trace_id for row in fresh]


def _row(settings: TeamSettings, trace: Trace, revision: int, now: float) -> PublicationRow:
    return PublicationRow(settings.author_id, trace.uid, revision, trace.id, trace.scope, now)


def take_back(
    context: MemoryContext, settings: TeamSettings, ids: Iterable[int] | None
) -> list[int]:
    """Note that publications are taken back, all without ``ids``; return which.

    Raises:
        NotFoundError: ``not_published``; one of them is not published, so none is taken back.
    """
    with context.store.write() as tx:
        rows = {
            row.trace_id: row
            for row in tx.publications.of_author(settings.author_id).values()
            if row.standing
        }
        wanted = sorted(rows) if ids is None else validation.checked_ids(ids)
        for memory_id in wanted:
            if memory_id not in rows:
                raise NotFoundError(
                    f"memory {memory_id} is not published; nothing was taken back",
                    code="not_published",
                )
        now = context.clock.now()
        tx.publications.put(revoked(rows[memory_id], now) for memory_id in wanted)
        tx.journal.append("retract", {"ids": wanted})
    return wanted
