"""Bringing foreign memories in: through the gate's store, as untrusted, each one once."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.flows import draft
from realmemory.flows.validation import is_blank
from realmemory.outcomes import WriteRequest
from realmemory.safety import screen
from realmemory.types import GLOBAL_SCOPE, Kind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.hippocampus import Hippocampus
    from realmemory.interop.outcome import ImportReport, Rejects

_BATCH = 64
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory of another system; ``before`` is its text as an earlier version imported it."""

    text: str
    place: int
    when: float | None = None
    scope: str | None = None
    kind: Kind = Kind.EPISODIC
    tags: Sequence[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    importance: float = 0.0
    before: str | None = None


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


def problem_of(error: Exception) -> str:
    """Say what is wrong with a record, in words where there are some."""
    if isinstance(error, RealMemoryError):
        return error.message
    if isinstance(error, KeyError):
        return f"the field {error.args[0]!r} is missing"
    return f"{type(error).__name__}: {error}"


Record = Item | Talk | Unreadable


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
    word for word already, so that a second import brings nothing.

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
    seen: set[tuple[str, str]] = set()
    for item in items:
        request = WriteRequest(
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
        try:
            request, _ = draft.screened(draft.checked(memory.context, request))
        except RealMemoryError as error:
            rejects.add(item.place, error, item.text)
            continue
        key = (request.text, request.scope)
        if key in seen or _is_known(memory, *key) or _was_imported(memory, item, request.scope):
            report.known += 1
            continue
        seen.add(key)
        requests.append(request)
    if report.dry_run:
        report.imported += len(requests)
        return
    results = memory.remember_many(requests)
    report.imported += len(results)
    report.quarantined += sum(result.quarantined for result in results)


def _is_known(memory: Hippocampus, text: str, scope: str) -> bool:
    with memory.context.store.read() as view:
        scope_id = view.scopes.find(scope)
        return scope_id is not None and bool(view.traces.ids_with_text(text, [scope_id]))


def _was_imported(memory: Hippocampus, item: Item, scope: str) -> bool:
    """Say whether the same statement of the same file is here as it was imported before."""
    if item.before is None:
        return False
    with memory.context.store.read() as view:
        scope_id = view.scopes.find(scope)
        if scope_id is None:
            return False
        found = view.traces.ids_with_text(screen(item.before).masked, [scope_id])
        metas = [view.traces.get(trace_id).meta for trace_id in found]
    return any(
        all(meta.get(key) == item.meta[key] for key in ("file", "heading")) for meta in metas
    )


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
