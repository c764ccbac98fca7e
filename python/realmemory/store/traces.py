"""Reading traces: by id, by page, and what changed after a rev."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from realmemory.errors import NotFoundError, StoreCorruptError
from realmemory.late import late_logger
from realmemory.store.index_feed import index_rows_of
from realmemory.store.index_rows import INDEX_COLUMNS, INDEXED_TEXT
from realmemory.store.records import (
    KINDS,
    ORIGINS,
    STATUSES,
    ChangeFeed,
    Dynamics,
    IndexRow,
    TraceCount,
    TraceState,
    stored_json,
)
from realmemory.store.row_hash import TRACE_HASH_SQL, content_hash
from realmemory.store.session import Row, Session, Value, dump_json, id_list
from realmemory.types import Kind, Status, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_logger = late_logger(__name__)

_TRACE_COLUMNS = """
  t.id, t.uid, t.text, t.kind, t.status,
  (SELECT s.name FROM scopes s WHERE s.id = t.scope_id), t.author, t.origin,
  t.created_at, t.updated_at, t.observed_at, t.valid_from, t.valid_to, t.superseded_by,
  t.session_id, t.turn_index, t.speaker, t.role, t.importance, t.pinned, t.expires_at,
  t.tags, t.meta, t.base_strength, t.reinforced_count, t.last_reinforced_at, t.space_id, t.rev,
  t.fades_at
"""
_STATE_COLUMNS = """
  id, scope_id, kind, status, pinned, importance, created_at, base_strength, reinforced_count,
  reinforced_days, last_reinforced_at, valid_to, expires_at, rev
"""
_SOUNDNESS = f"""
  SELECT id, row_hash IS {TRACE_HASH_SQL} FROM traces
  WHERE id IN (SELECT value FROM json_each(?))
"""
_GET_MANY = f"""
  SELECT {_TRACE_COLUMNS} FROM traces t WHERE t.id IN (SELECT value FROM json_each(?))
"""
_GET_SOUND = f"""
  SELECT row_hash IS {TRACE_HASH_SQL}, {_TRACE_COLUMNS} FROM traces t
  WHERE t.id IN (SELECT value FROM json_each(?))
"""
_ALL_ROWS = f"SELECT {INDEX_COLUMNS} FROM traces t ORDER BY t.id"
_CHANGED_ROWS = f"SELECT {INDEX_COLUMNS} FROM traces t WHERE t.rev > ? ORDER BY t.rev, t.id"
_ROWS_BY_ID = f"""
  SELECT {INDEX_COLUMNS} FROM traces t
  WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id
"""
_STATES = f"SELECT {_STATE_COLUMNS} FROM traces WHERE status = ? AND kind = ? ORDER BY id"


class Traces:
    """The traces of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, trace_id: int) -> Trace:
        """Return one trace.

        Raises:
            NotFoundError: There is none with this id.
            StoreCorruptError: Its row does not match its hash.
        """
        sound = self._session.one(_SOUNDNESS, (id_list((trace_id,)),))
        if sound is None:
            raise NotFoundError(f"there is no memory with the id {trace_id}")
        if not sound[1]:
            raise StoreCorruptError(
                f"the memory {trace_id} is damaged: its row does not match its hash; the others "
                "are unharmed. Run `realmemory verify`, then `realmemory repair`."
            )
        return _trace(self._session.all(_GET_MANY, (id_list((trace_id,)),))[0])

    def get_many(self, ids: Iterable[int]) -> dict[int, Trace]:
        """Return the traces that exist, by id; damaged rows are left out and logged."""
        wanted = id_list(ids)
        try:
            rows = self._session.all(_GET_SOUND, (wanted,))
        except StoreCorruptError:
            # A text that cannot be read: its row is damaged, and the others are not.
            sound = id_list(self.sound(json.loads(wanted)))
            rows = [(1, *row) for row in self._session.all(_GET_MANY, (sound,))]
        report_damaged(row[1] for row in rows if not row[0])
        return {row[1]: _trace(row[1:]) for row in rows if row[0]}

    def sound(self, ids: Iterable[int]) -> list[int]:
        """Return the traces that exist and match their hashes; others are logged."""
        judged = self._session.all(_SOUNDNESS, (id_list(ids),))
        report_damaged(trace_id for trace_id, matches in judged if not matches)
        return [trace_id for trace_id, matches in judged if matches]

    def id_of_uid(self, uid: str) -> int | None:
        """Return the id of a trace by its UUID."""
        row = self._session.one("SELECT id FROM traces WHERE uid = ?", (uid,))
        return None if row is None else int(row[0])

    def ids_with_text(self, text: str, scope_ids: Iterable[int] | None = None) -> list[int]:
        """Return the traces that have exactly this text, as their own or as a kept wording."""
        digest = content_hash(text)
        rows = self._session.all(
            """
            SELECT id FROM traces WHERE content_hash = :digest
              AND (:scopes IS NULL OR scope_id IN (SELECT value FROM json_each(:scopes)))
            UNION
            SELECT t.id FROM variants v JOIN traces t ON t.id = v.trace_id
            WHERE v.content_hash = :digest
              AND (:scopes IS NULL OR t.scope_id IN (SELECT value FROM json_each(:scopes)))
            ORDER BY 1
            """,
            {"digest": digest, "scopes": None if scope_ids is None else id_list(scope_ids)},
        )
        return [int(row[0]) for row in rows]

    def indexed_text(self, trace_id: int) -> str:
        """Return everything a keyword may find: the indexed text, then each kept wording.

        Raises:
            NotFoundError: There is no trace with this id.
        """
        row = self._session.one(
            f"SELECT {INDEXED_TEXT} FROM traces t WHERE t.id = ?",
            (trace_id,),
        )
        if row is None:
            raise NotFoundError(f"there is no memory with the id {trace_id}")
        return str(row[0])

    def page(
        self,
        *,
        scope_ids: Iterable[int] | None = None,
        kinds: Iterable[Kind] | None = None,
        statuses: Iterable[Status] | None = None,
        session_id: str | None = None,
        author: str | None = None,
        tag: str | None = None,
        since: float | None = None,
        after: int | None = None,
        newest_first: bool = False,
        limit: int = 50,
    ) -> list[Trace]:
        """Return one page of traces in order of id; damaged rows are left out and logged.

        Args:
            scope_ids: Only these scopes; all when ``None``.
            kinds: Only these kinds.
            statuses: Only these statuses.
            session_id: Only this session.
            author: Only this author.
            tag: Only traces with this tag.
            since: Only what was observed at or after this time.
            after: The id of the last trace of the page before.
            newest_first: Descending ids.
            limit: Most traces to return.
        """
        clauses = ["1"]
        filters: list[tuple[str, str, Value]] = [
            (f"t.id {'<' if newest_first else '>'} :after", "after", after),
            (_within("t.scope_id"), "scope_id", None if scope_ids is None else id_list(scope_ids)),
            (_within("t.kind"), "kind", _names(kinds)),
            (_within("t.status"), "status", _names(statuses)),
            ("t.session_id = :session", "session", session_id),
            ("t.author = :author", "author", author),
            ("EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = :tag)", "tag", tag),
            ("t.observed_at >= :since", "since", since),
        ]
        bound: dict[str, Value] = {"limit": limit}
        for clause, name, value in filters:
            if value is not None:
                clauses.append(clause)
                bound[name] = value
        order = "DESC" if newest_first else "ASC"
        rows = self._session.all(
            f"SELECT t.id FROM traces t WHERE {' AND '.join(clauses)} "
            f"ORDER BY t.id {order} LIMIT :limit",
            bound,
        )
        found = self.get_many(row[0] for row in rows)
        return [found[row[0]] for row in rows if row[0] in found]

    def history(self, trace_id: int) -> list[Trace]:
        """Return the chain of supersession through ``trace_id``, oldest first.

        Raises:
            NotFoundError: There is no trace with this id.
        """
        rows = self._session.all(
            """
            WITH RECURSIVE
              after (id) AS (
                SELECT :id UNION
                SELECT t.superseded_by
                FROM after a CROSS JOIN traces t NOT INDEXED ON t.id = a.id
                WHERE t.superseded_by IS NOT NULL
              ),
              chain (id) AS (
                SELECT id FROM after UNION
                SELECT t.id FROM chain c CROSS JOIN traces t ON t.superseded_by = c.id
              )
            SELECT id FROM chain
            """,
            {"id": trace_id},
        )
        found = self.get_many(row[0] for row in rows)
        if trace_id not in found:
            raise NotFoundError(f"there is no memory with the id {trace_id}")
        successors = {trace.id: trace.superseded_by for trace in found.values()}

        def steps_to_the_end(number: int | None) -> int:
            """Count the successors; a chain that was damaged into a ring ends somewhere too."""
            passed: set[int] = set()
            while number in successors and number not in passed:
                passed.add(number)
                number = successors[number]
            return len(passed)

        # Not by time: a clock that went back does not change what replaced what.
        return sorted(
            found.values(),
            key=lambda trace: (-steps_to_the_end(trace.id), trace.valid_from, trace.id),
        )

    def dynamics(self, ids: Iterable[int]) -> dict[int, Dynamics]:
        """Return the strength of the traces that exist, by id."""
        rows = self._session.all(
            """
            SELECT id, base_strength, reinforced_count, last_reinforced_at, reinforced_days
            FROM traces WHERE id IN (SELECT value FROM json_each(?))
            """,
            (id_list(ids),),
        )
        return {row[0]: Dynamics(*row) for row in rows}

    def states(self, ids: Iterable[int]) -> list[TraceState]:
        """Return attributes without text and vector, for the ids that exist."""
        rows = self._session.all(
            f"SELECT {_STATE_COLUMNS} FROM traces "
            "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (id_list(ids),),
        )
        return [_state(row) for row in rows]

    def each_state(self, kind: Kind) -> Iterator[TraceState]:
        """Yield all active traces of a kind; costs what the store holds."""
        for row in self._session.stream(_STATES, (Status.ACTIVE, kind)):
            yield _state(row)

    def faded(self, before: float, *, status: Status = Status.ACTIVE, limit: int = -1) -> list[int]:
        """Return traces that fell below the recall floor before a time, the longest ago first."""
        rows = self._session.all(
            """
            SELECT id FROM traces WHERE status = ? AND fades_at IS NOT NULL AND fades_at < ?
            ORDER BY fades_at, id LIMIT ?
            """,
            (status, before, limit),
        )
        return [int(row[0]) for row in rows]

    def overdue(self, ids: Iterable[int], *, faded_before: float, now: float) -> list[int]:
        """Return those of the ids that are active, yet faded before a time or expired by now."""
        rows = self._session.all(
            """
            SELECT id FROM traces
            WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active'
              AND (fades_at < :before OR expires_at <= :now) ORDER BY id
            """,
            {"ids": id_list(ids), "before": faded_before, "now": now},
        )
        return [int(row[0]) for row in rows]

    def archived_before(self, at: float, *, limit: int) -> list[int]:
        """Return archived traces that nothing has touched, and no answer has shown, since a time."""
        rows = self._session.all(
            """
            SELECT id FROM traces t WHERE status = 'archived' AND updated_at < ?1
              AND NOT EXISTS (
                SELECT 1 FROM usage u WHERE u.trace_id = t.id AND u.last_recalled_at >= ?1)
            ORDER BY id LIMIT ?2
            """,
            (at, limit),
        )
        return [int(row[0]) for row in rows]

    def count(self, status: Status) -> int:
        """Return how many traces have a status."""
        row = self._session.one("SELECT count(*) FROM traces WHERE status = ?", (status,))
        return 0 if row is None else int(row[0])

    def confirmed(self, kind: Kind, days: int) -> list[TraceState]:
        """Return active traces of a kind that were reinforced on at least so many days."""
        rows = self._session.all(
            f"SELECT {_STATE_COLUMNS} FROM traces WHERE kind = ? AND reinforced_days >= ? "
            "AND reinforced_days > 0 AND status = 'active' ORDER BY id",
            (kind, days),
        )
        return [_state(row) for row in rows]

    def deleted_ids(self, ids: Iterable[int]) -> set[int]:
        """Return those of the ids that once were traces and were deleted."""
        rows = self._session.all(
            """
            SELECT trace_id FROM tombstones
            WHERE dst IS NULL AND trace_id IN (SELECT value FROM json_each(?))
            """,
            (id_list(ids),),
        )
        return {int(row[0]) for row in rows}

    def index_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return what is indexed in place of the text, for the traces that have such a thing."""
        rows = self._session.all(
            """
            SELECT id, index_text FROM traces
            WHERE id IN (SELECT value FROM json_each(?)) AND index_text IS NOT NULL
            """,
            (id_list(ids),),
        )
        return {int(row[0]): str(row[1]) for row in rows}

    def uids(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the uid of each trace, by id."""
        rows = self._session.all(
            "SELECT id, uid FROM traces WHERE id IN (SELECT value FROM json_each(?))",
            (id_list(ids),),
        )
        return {int(row[0]): str(row[1]) for row in rows}

    def buried(self, uids: Iterable[str] | None = None) -> dict[str, float]:
        """Return when traces were deleted, by uid; all of them when none are named."""
        rows = self._session.all(
            """
            SELECT uid, max(deleted_at) FROM tombstones
            WHERE uid IS NOT NULL
              AND (:uids IS NULL OR uid IN (SELECT value FROM json_each(:uids)))
            GROUP BY uid ORDER BY uid
            """,
            {"uids": None if uids is None else dump_json(list(uids))},
        )
        return {str(row[0]): float(row[1]) for row in rows}

    def uids_of_deleted(self, ids: Iterable[int]) -> list[str]:
        """Return the UUIDs of those of the ids that once were traces and were deleted."""
        rows = self._session.all(
            """
            SELECT uid FROM tombstones
            WHERE dst IS NULL AND trace_id IN (SELECT value FROM json_each(?)) ORDER BY seq
            """,
            (id_list(ids),),
        )
        return [str(row[0]) for row in rows]

    def expired(self, now: float) -> list[int]:
        """Return active traces whose ``expires_at`` has passed."""
        rows = self._session.all(
            "SELECT id FROM traces WHERE expires_at <= ? AND status = 'active' ORDER BY id", (now,)
        )
        return [int(row[0]) for row in rows]

    def counts(self) -> list[TraceCount]:
        """Return how many traces there are by scope, kind and status."""
        rows = self._session.all(
            """
            SELECT (SELECT name FROM scopes s WHERE s.id = scope_id), kind, status, count(*)
            FROM traces GROUP BY scope_id, status, kind
            """
        )
        return [
            TraceCount(name, KINDS[kind], STATUSES[status], n) for name, kind, status, n in rows
        ]

    def index_rows(self, ids: Iterable[int]) -> list[IndexRow]:
        """Return what the index needs to know about some traces."""
        return list(index_rows_of(self._session.all(_ROWS_BY_ID, (id_list(ids),))))

    def changes_since(self, rev: int) -> ChangeFeed:
        """Return what changed after ``rev``; 0 (or a rev below the floor) means everything."""
        session = self._session
        now, floor = session.all("SELECT rev, floor FROM revision")[0]
        if rev <= 0 or rev < floor or rev > now:
            return ChangeFeed(now, True, (), index_rows_of(session.stream(_ALL_ROWS)))
        removed = session.all(
            """
            SELECT DISTINCT trace_id FROM tombstones
            WHERE rev > ? AND dst IS NULL ORDER BY trace_id
            """,
            (rev,),
        )
        rows = index_rows_of(session.feed(_CHANGED_ROWS, (rev,)))
        return ChangeFeed(now, False, tuple(int(row[0]) for row in removed), rows)


def report_damaged(ids: Iterable[int]) -> None:
    """Log traces that do not match their hashes."""
    for trace_id in ids:
        _logger.error("memory %d does not match its hash and was left out", trace_id)


def _within(column: str) -> str:
    return f"{column} IN (SELECT value FROM json_each(:{column.partition('.')[2]}))"


def _names(values: Iterable[Kind] | Iterable[Status] | None) -> str | None:
    return None if values is None else json.dumps(sorted(str(value) for value in values))


def _trace(row: Row) -> Trace:
    values: list[Any] = list(row)
    values[3], values[4], values[7] = KINDS[row[3]], STATUSES[row[4]], ORIGINS[row[7]]
    values[19] = bool(values[19])
    # Most traces have neither, and parsing would cost as much as the rest of the row.
    values[21] = tuple(stored_json(row[21])) if row[21] != "[]" else ()
    values[22] = stored_json(row[22]) if row[22] != "{}" else {}
    return Trace(*values)


def _state(row: Sequence[Any]) -> TraceState:
    trace_id, scope_id, kind, status, pinned, *rest = row
    return TraceState(trace_id, scope_id, KINDS[kind], STATUSES[status], bool(pinned), *rest)
