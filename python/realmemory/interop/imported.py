"""Bringing foreign memories in: through the gate's store, as untrusted, each one once."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.flows import draft
from realmemory.flows.validation import is_blank
from realmemory.outcomes import WriteRequest
from realmemory.policies.gate.occasions import same_occasion
from realmemory.safety import screen
from realmemory.types import GLOBAL_SCOPE, Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.hippocampus import Hippocampus
    from realmemory.interop.outcome import ImportReport, Rejects
    from realmemory.types import Trace

_BATCH = 64
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory of another system.

    ``before`` is its text as an earlier version imported it; ``replaces`` are the texts of the same
    thing in another state.
    """

    text: str
    place: int
    when: float | None = None
    scope: str | None = None
    kind: Kind = Kind.EPISODIC
    tags: Sequence[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    importance: float = 0.0
    before: str | None = None
    replaces: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation of another system, turn by turn."""

    session_id: str
    turns: Sequence[Mapping[str, Any]]
    place: int
    when: float | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that the reader of a format cannot make sense of."""

    place: int
    problem: str
    row: object


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader passed over in something that it takes otherwise."""

    text: str


def problem_of(error: Exception) -> str:
    """Say what is wrong with a record, in words where there are some."""
    if isinstance(error, RealMemoryError):
        return error.message
    if isinstance(error, KeyError):
        return f"the field {error.args[0]!r} is missing"
    return f"{type(error).__name__}: {error}"


Record = Item | Talk | Unreadable | Remark


def has_content(text: str) -> bool:
    """Say whether a text has enough letters and digits to be a memory."""
    return sum(map(str.isalnum, text[:200])) >= _LEAST_LETTERS


def bring_in(
    memory: Hippocampus,
    records: Iterable[Record],
    report: ImportReport,
    rejects: Rejects,
    *,
    scope: str | None = None,
) -> None:
    """Remember what a reader yields.

    Left out by rule: a text with fewer than three letters or digits, and one that its scope holds
    word for word already, of the same occasion if it has a time, so that a second import brings
    nothing.

    Args:
        memory: Where to.
        records: What a reader yields.
        report: Counts.
        rejects: Where unusable records go.
        scope: Scope of everything, instead of what the file says.
    """
    stream = iter(records)
    while batch := list(islice(stream, _BATCH)):
        items: list[Item] = []
        for record in batch:
            if isinstance(record, Remark):
                report.warnings.append(record.text)
                continue
            report.read += 1
            if isinstance(record, Unreadable):
                error = InvalidInputError(record.problem, code="invalid_row")
                rejects.add(record.place, error, record.row)
            elif isinstance(record, Talk):
                _bring_talk(memory, record, report, rejects, scope or GLOBAL_SCOPE)
            elif not has_content(record.text):
                report.skip("no_content")
            else:
                items.append(record)
        _bring_items(memory, items, report, rejects, scope)


def _bring_items(
    memory: Hippocampus,
    items: Sequence[Item],
    report: ImportReport,
    rejects: Rejects,
    scope: str | None,
) -> None:
    requests: list[WriteRequest] = []
    seen: dict[tuple[str, str], list[float]] = {}
    now = memory.context.clock.now()
    for item in items:
        try:
            request, _ = draft.screened(draft.checked(memory.context, _request(item, scope)))
            if _brought_up_to_date(memory, item, request, report):
                continue
        except RealMemoryError as error:
            rejects.add(item.place, error, item.text)
            continue
        told = seen.setdefault((request.text, request.scope), [])
        known = [trace.observed_at for trace in _stating(memory, request.text, request.scope)]
        if _is_known([*told, *known], item.when) or _was_imported(memory, item, request.scope):
            report.known += 1
            continue
        told.append(now if item.when is None else item.when)
        requests.append(request)
    if report.dry_run:
        report.imported += len(requests)
        return
    results = memory.remember_many(requests)
    report.imported += len(results)
    report.quarantined += sum(result.quarantined for result in results)


def _request(item: Item, scope: str | None) -> WriteRequest:
    return WriteRequest(
        item.text,
        kind=item.kind,
        scope=scope or item.scope or GLOBAL_SCOPE,
        meta=item.meta,
        tags=[tag for tag in item.tags if not is_blank(tag)],
        when=item.when,
        force_new=True,
        origin=Origin.IMPORT,
        importance=item.importance,
    )


def _is_known(moments: Sequence[float], when: float | None) -> bool:
    """Say whether a text that is told of some moments is known of another: what repeats is not."""
    if when is None:
        return bool(moments)
    return any(same_occasion(moment, when) for moment in moments)


def _stating(memory: Hippocampus, text: str, scope: str) -> list[Trace]:
    """Return what a scope holds of a text, word for word."""
    with memory.context.store.read() as view:
        scope_id = view.scopes.find(scope)
        found = [] if scope_id is None else view.traces.ids_with_text(text, [scope_id])
        return [view.traces.get(trace_id) for trace_id in found]


def _brought_up_to_date(
    memory: Hippocampus, item: Item, request: WriteRequest, report: ImportReport
) -> bool:
    """Replace what the same file said of the same thing in another state; say whether it did."""
    if not item.replaces or any(map(_holds, _stating(memory, request.text, request.scope))):
        return False
    others = (
        trace
        for text in item.replaces
        for trace in _stating(memory, screen(text).masked, request.scope)
        if _holds(trace) and _same_place(trace, item)
    )
    old = next(others, None)
    if old is None:
        return False
    if not report.dry_run:
        memory.update_fact(old.id, request.text, meta=request.meta, origin=Origin.IMPORT)
    report.updated += 1
    return True


def _holds(trace: Trace) -> bool:
    return trace.status is Status.ACTIVE and trace.superseded_by is None


def _same_place(trace: Trace, item: Item) -> bool:
    return all(trace.meta.get(key) == item.meta[key] for key in ("file", "heading"))


def _was_imported(memory: Hippocampus, item: Item, scope: str) -> bool:
    """Say whether the same statement of the same file is here, whenever it was said to be from."""
    if item.before is None:
        return False
    told = (
        trace
        for text in (item.text, item.before)
        for trace in _stating(memory, screen(text).masked, scope)
    )
    return any(_same_place(trace, item) for trace in told)


def _bring_talk(
    memory: Hippocampus, talk: Talk, report: ImportReport, rejects: Rejects, scope: str
) -> None:
    turns = [turn for turn in talk.turns if not is_blank(str(turn.get("text", "")))]
    if not turns:
        report.skip("no_content")
        return
    if report.dry_run:
        report.imported += 1
        return
    try:
        outcome = memory.store_conversation(
            turns,
            observed_at=talk.when,
            session_id=talk.session_id,
            scope=scope,
            metadata=talk.meta,
        )
    except RealMemoryError as error:
        rejects.add(talk.place, error, {"session": talk.session_id})
        return
    if outcome.stored:
        report.imported += 1
    else:
        report.known += 1
