"""Taking back what a sleep archived and promoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.errors import NotFoundError
from realmemory.flows.forget import forgotten, revive
from realmemory.flows.sleep import SLEEP_EVENT
from realmemory.outcomes import UndoReport
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from realmemory.flows.context import MemoryContext
    from realmemory.store.records import Event
    from realmemory.store.transactions import ReadView, WriteTx

_PAGE = 500


def undo(context: MemoryContext, run: str | None) -> UndoReport:
    """Bring back what one sleep archived, with a fresh timer, and demote what it promoted.

    Decay is time, not a decision, and is not undone. What happened to a trace since the sleep
    stands: one that was restored, used or erased meanwhile is left as it is.

    Args:
        context: The memory.
        run: The ``run`` of a :class:`ConsolidationReport`; when None, the last sleep that moved
            anything, or the last one if none did.

    Raises:
        NotFoundError: The journal knows no such sleep; nothing was changed.
    """
    with context.store.write() as tx:
        wanted = run if run is not None else _last_run(tx)
        steps = [event for event in _events(tx, SLEEP_EVENT) if event.data.get("run") == wanted]
        known = any(event.data.get("run") == wanted for event in _events(tx, "consolidate"))
        if wanted is None or not (steps or known):
            raise NotFoundError(
                f"no sleep {run or 'at all'} is in the journal; nothing was changed. "
                "The report of a consolidation names its run."
            )
        restored = _restore(context, tx, _ids(steps, "archived"))
        demoted = _demote(tx, _ids(steps, "promoted"))
        tx.journal.append("undo", {"run": wanted, "restored": restored, "demoted": demoted})
    return UndoReport(run=wanted, restored=tuple(restored), demoted=tuple(demoted))


def _events(view: ReadView, kind: str) -> Iterator[Event]:
    before = None
    while page := view.journal.page(types=[kind], before=before, newest_first=True, limit=_PAGE):
        yield from page
        before = page[-1].seq


def _last_run(view: ReadView) -> str | None:
    moved = (
        event.data["run"]
        for event in _events(view, SLEEP_EVENT)
        if event.data.get("archived") or event.data.get("promoted")
    )
    last = (event.data["run"] for event in _events(view, "consolidate"))
    return next(moved, None) or next(last, None)


def _ids(steps: Iterable[Event], key: str) -> list[int]:
    return sorted({item for event in steps for item in event.data.get(key, ())})


def _restore(context: MemoryContext, tx: WriteTx, ids: list[int]) -> list[int]:
    traces = tx.traces.get_many(ids).values()
    back = [trace for trace in traces if trace.status is Status.ARCHIVED and not forgotten(trace)]
    revive(context, tx, back)
    return sorted(trace.id for trace in back)


def _demote(tx: WriteTx, ids: list[int]) -> list[int]:
    """Make facts episodes again; the evidence has to be gathered anew."""
    down = [item.id for item in tx.traces.states(ids) if item.kind is Kind.SEMANTIC]
    tx.traces.set_kind(down, Kind.EPISODIC)
    tx.traces.forget_evidence(down)
    return down
