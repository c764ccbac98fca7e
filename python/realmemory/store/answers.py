"""Reading what an answer shows of its traces, and no more: every recall does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory.errors import StoreCorruptError
from realmemory.store.records import KINDS, ORIGINS, STATUSES, stored_json
from realmemory.store.row_hash import TRACE_HASH_SQL
from realmemory.store.session import id_list
from realmemory.store.traces import Traces, report_damaged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Row, Session
    from realmemory.types import Kind, Origin, Status


class Answer(NamedTuple):
    """What is shown of a trace; the fields are those of ``Trace``."""

    id: int
    text: str
    kind: Kind
    status: Status
    scope: str
    author: str
    origin: Origin
    created_at: float
    updated_at: float
    observed_at: float
    valid_from: float
    valid_to: float | None
    superseded_by: int | None
    session_id: str | None
    turn_index: int | None
    tags: tuple[str, ...]
    meta: dict[str, Any]


_SOUND = f"""
  SELECT row_hash IS {TRACE_HASH_SQL},
    t.id, t.text, t.kind, t.status, (SELECT s.name FROM scopes s WHERE s.id = t.scope_id),
    t.author, t.origin, t.created_at, t.updated_at, t.observed_at, t.valid_from, t.valid_to,
    t.superseded_by, t.session_id, t.turn_index, t.tags, t.meta
  FROM traces t WHERE t.id IN (SELECT value FROM json_each(?))
"""


class Answers:
    """The traces of one snapshot, as answers show them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int]) -> dict[int, Answer]:
        """Return the traces that exist, by id; damaged rows are left out and logged."""
        wanted = list(ids)
        try:
            rows = self._session.all(_SOUND, (id_list(wanted),))
        except StoreCorruptError:
            # A text that cannot be read: its row is damaged, and the others are not.
            traces = Traces(self._session).get_many(wanted)
            return {i: _of_trace(trace) for i, trace in traces.items()}
        report_damaged(row[1] for row in rows if not row[0])
        return {row[1]: _answer(row) for row in rows if row[0]}


def _of_trace(trace: object) -> Answer:
    return Answer._make(getattr(trace, name) for name in Answer._fields)


def _answer(row: Row) -> Answer:
    _, trace_id, text, kind, status, scope, author, origin, *rest, tags, meta = row
    head = (trace_id, text, KINDS[kind], STATUSES[status])
    # Most traces have neither, and parsing would cost as much as the rest of the row.
    tagged = tuple(stored_json(tags)) if tags != "[]" else ()
    known = stored_json(meta) if meta != "{}" else {}
    return Answer._make((*head, scope, author, ORIGINS[origin], *rest, tagged, known))
