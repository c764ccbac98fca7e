"""A quick look into a store: read-only, one connection, nothing imported that can be spared.

Hooks run in front of every prompt, and the whole of :class:`Store` costs them more to import than
to use. This module reads the same file by the same rules (one engine, gates on id and version,
read-only), and returns plain tuples.
"""

from __future__ import annotations

import json
import os
import sys

import apsw

from realmemory.errors import StoreCorruptError, StoreError, StoreRefusedError
from realmemory.places import SEAL, names_key
from realmemory.store.fading import LIVELINESS, RETENTION
from realmemory.store.index_rows import INDEX_COLUMNS
from realmemory.store.schema import APPLICATION_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from realmemory.keys import Key

_DATABASE = "memory.db"
_SCHEMA_VERSION = 2
_BUSY_MS = 250
_DF_LIMIT = 2_000

# What may be shown without being asked for: nothing quarantined, nothing from outside.
_TRUSTED = "t.status = 'active' AND t.origin IN ('user', 'agent')"
_VALID = (
    "t.valid_from <= :now AND (t.valid_to IS NULL OR t.valid_to > :now) "
    "AND (t.expires_at IS NULL OR t.expires_at > :now)"
)
_SHOWN = (
    "t.id, t.text, t.kind, s.name, t.author, t.origin, t.observed_at, t.base_strength, "
    "t.last_reinforced_at, t.pinned"
)


class Glance:
    """One read transaction on the store in ``directory``; use :func:`look` to get one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        connection.execute("BEGIN")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close(force=True)

    def config(self) -> dict[str, Any]:
        """Return the constants that the store keeps."""
        row = self._one("SELECT value FROM meta WHERE key = 'config'")
        return json.loads(row[0]) if row else {}

    def taus(self) -> dict[str, float]:
        """Return the time constants of the kinds, in seconds."""
        stored = self.config()
        names = {"episodic": 30 * 86_400.0, "semantic": 365 * 86_400.0, "turn": "inf"}
        return {kind: float(stored.get(f"tau_{kind}", usual)) for kind, usual in names.items()}

    def scope_ids(self, keys: Iterable[str]) -> list[int]:
        """Return the ids of the scopes with these keys that exist."""
        rows = self._all(
            "SELECT id FROM scopes WHERE key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
        return [row[0] for row in rows]

    def counts(self, scope_ids: Sequence[int]) -> dict[tuple[int, str], int]:
        """Return the number of active traces by scope and kind."""
        rows = self._all(
            "SELECT scope_id, kind, count(*) FROM traces "
            "WHERE status = 'active' AND scope_id IN (SELECT value FROM json_each(?)) "
            "GROUP BY scope_id, kind",
            (json.dumps(scope_ids),),
        )
        return {(row[0], row[1]): row[2] for row in rows}

    def strongest(
        self, kind: str, scope_ids: Sequence[int], now: float, tau: float, limit: int
    ) -> list[tuple[int, str, float, int, int]]:
        """Return ``(id, text, retention, reinforcements, scope)`` of what is most alive.

        Facts are ordered by retention, episodes by retention times ``1 + ln(1 + reinforcements)``.
        """
        order = "retention" if kind == "semantic" else LIVELINESS
        return self._all(
            f"""
            SELECT ranked.id, t.text, ranked.retention, ranked.reinforced, ranked.scope_id FROM (
              SELECT t.id, {RETENTION} AS retention, t.reinforced_count AS reinforced, t.scope_id
              FROM traces t
              WHERE t.scope_id IN (SELECT value FROM json_each(:scopes)) AND t.kind = :kind
                AND {_TRUSTED} AND {_VALID}
              ORDER BY {order} DESC, reinforced DESC, t.id DESC LIMIT :limit
            ) AS ranked JOIN traces t ON t.id = ranked.id
            """,
            {
                "scopes": json.dumps(scope_ids),
                "kind": kind,
                "now": now,
                "tau": tau,
                "limit": limit,
            },
        )

    def fading(
        self, scope_ids: Sequence[int], now: float, tau: float, below: float
    ) -> tuple[int, str | None]:
        """Return how many lasting facts are about to be forgotten, and one of them."""
        row = self._one(
            f"""
            SELECT count(*), min(t.id) FROM traces t
            WHERE t.scope_id IN (SELECT value FROM json_each(:scopes)) AND t.kind = 'semantic'
              AND NOT t.pinned AND t.last_reinforced_at < :before
              AND {_TRUSTED} AND {_VALID} AND {RETENTION} < :below
            """,
            {
                "scopes": json.dumps(scope_ids),
                "now": now,
                "tau": tau,
                "below": below,
                # A fresh fact starts above the line, so recent ones need no look.
                "before": now - tau / 4,
            },
        )
        if not row or not row[0]:
            return 0, None
        example = self._one("SELECT text FROM traces WHERE id = ?", (row[1],))
        return row[0], example[0] if example else None

    def conflicts(self, ids: Sequence[int], limit: int) -> list[tuple[int, int]]:
        """Return pairs of active traces that contradict each other, one of them in ``ids``."""
        return self._all(
            """
            SELECT DISTINCT min(l.src, l.dst), max(l.src, l.dst)
            FROM json_each(:ids) AS wanted
            -- CROSS keeps this order: the planner would rather read every link there is.
            CROSS JOIN links l ON l.src = wanted.value AND l.type = 'conflict'
            CROSS JOIN traces t ON t.id = l.dst AND t.status = 'active'
            ORDER BY 1, 2 LIMIT :limit
            """,
            {"ids": json.dumps(ids), "limit": limit},
        )

    def last_write(self) -> float | None:
        """Return when the newest trace was written."""
        row = self._one("SELECT created_at FROM traces ORDER BY id DESC LIMIT 1")
        return row[0] if row else None

    def hook_errors(self, since: float) -> int:
        """Return how many failures of hooks the journal knows since a moment."""
        row = self._one(
            "SELECT count(*) FROM events WHERE type = 'hook_error' AND ts >= ?", (since,)
        )
        return row[0] if row else 0

    def size(self) -> int:
        """Return the number of traces ever written, an upper bound of what is there."""
        row = self._one("SELECT max(id) FROM traces")
        return row[0] or 0 if row else 0

    def frequency(self, terms: Sequence[str]) -> int:
        """Return how many rows hold one of the terms, counted up to a limit."""
        row = self._one(
            "SELECT count(*) FROM (SELECT 1 FROM fts WHERE fts MATCH ? LIMIT ?)",
            (_any_of(terms), _DF_LIMIT),
        )
        return row[0] if row else 0

    def matching(
        self, terms: Sequence[str], scope_ids: Sequence[int], now: float, limit: int
    ) -> list[tuple[Any, ...]]:
        """Return the best rows by bm25 that may be shown unasked.

        Each is ``(id, text, kind, scope name, author, origin, observed_at, base strength,
        last reinforcement, pinned)``.
        """
        if not terms:
            return []
        return self._all(
            f"""
            SELECT {_SHOWN} FROM (
              SELECT t.id AS id, bm25(fts) AS rank FROM fts JOIN traces t ON t.id = fts.rowid
              WHERE fts MATCH :query
                AND t.scope_id IN (SELECT value FROM json_each(:scopes))
                AND {_TRUSTED} AND {_VALID}
              ORDER BY rank, t.id LIMIT :limit
            ) AS hit JOIN traces t ON t.id = hit.id JOIN scopes s ON s.id = t.scope_id
            ORDER BY hit.rank, t.id
            """,
            {
                "query": _any_of(terms),
                "scopes": json.dumps(scope_ids),
                "now": now,
                "limit": limit,
            },
        )

    def space(self) -> tuple[int, str, int, str] | None:
        """Return id, marker and dimension of the space of new vectors, and the store's id."""
        row = self._one(
            """
            SELECT s.id, s.marker, s.dim, m.value FROM spaces s
            JOIN meta c ON c.key = 'current_space' AND s.id = CAST(c.value AS INTEGER)
            JOIN meta m ON m.key = 'store_id'
            """
        )
        return tuple(row) if row else None

    def changes(self, rev: int, limit: int) -> tuple[list[tuple[Any, ...]], list[int]] | None:
        """Return rows of the index that changed after ``rev``, and the ids that are gone.

        ``None`` when more than ``limit`` changed, or when that cannot be known any more.
        """
        now, floor = self._one("SELECT rev, floor FROM revision")
        if rev > now or (rev and rev < floor):
            return None
        rows = self._all(
            f"SELECT {INDEX_COLUMNS} FROM traces t WHERE t.rev > ? LIMIT ?", (rev, limit + 1)
        )
        if len(rows) > limit:
            return None
        gone = self._all("SELECT trace_id FROM tombstones WHERE rev > ? AND dst IS NULL", (rev,))
        return rows, [row[0] for row in gone]

    def shown(
        self, ids: Sequence[int], scope_ids: Sequence[int], now: float
    ) -> dict[int, tuple[Any, ...]]:
        """Return those of some rows that may be shown unasked, as :meth:`matching` returns them."""
        rows = self._all(
            f"""
            SELECT {_SHOWN} FROM traces t JOIN scopes s ON s.id = t.scope_id
            WHERE t.id IN (SELECT value FROM json_each(:ids))
              AND t.scope_id IN (SELECT value FROM json_each(:scopes))
              AND {_TRUSTED} AND {_VALID}
            """,
            {"ids": json.dumps(ids), "scopes": json.dumps(scope_ids), "now": now},
        )
        return {row[0]: row for row in rows}

    def passages(self, trace_id: int) -> list[tuple[int, int, bytes | None]]:
        """Return where the passages of a text begin and end, and their vectors, in order."""
        return self._all(
            'SELECT "start", "end", embedding FROM passages WHERE trace_id = ? ORDER BY ordinal',
            (trace_id,),
        )

    def vectors_of_passages(self, trace_ids: Sequence[int]) -> dict[int, list[bytes | None]]:
        """Return the vectors of the passages of long texts among some traces, in order."""
        rows = self._all(
            "SELECT trace_id, embedding FROM json_each(?) AS wanted "
            "CROSS JOIN passages ON trace_id = wanted.value ORDER BY trace_id, ordinal",
            (json.dumps(trace_ids),),
        )
        found: dict[int, list[bytes | None]] = {}
        for trace_id, vector in rows:
            found.setdefault(trace_id, []).append(vector)
        return found

    def _all(self, statement: str, values: Any = ()) -> list[Any]:  # noqa: ANN401 - rows of SQL
        return list(self._connection.execute(statement, values))

    def _one(self, statement: str, values: Any = ()) -> Any:  # noqa: ANN401 - a row of SQL
        return next(iter(self._connection.execute(statement, values)), None)


def look(directory: str) -> Glance | None:
    """Return a look into the store of ``directory``, or ``None`` when there is none, or none yet.

    Raises:
        StoreRefusedError: The file is not a store of ours, or newer than this version.
        StoreError: It cannot be read.
    """
    path = os.path.join(directory, _DATABASE)
    if not os.path.exists(path):
        return None
    key = None
    if names_key() or os.path.exists(os.path.join(directory, SEAL)):
        from realmemory.store.sealing import key_for  # noqa: PLC0415 - most stores are not encrypted

        key = key_for(directory)
    # Looking makes a log; an empty store without one had lost what was in it.
    logged = os.path.exists(f"{path}-wal") or os.path.getsize(path) == 0
    try:
        connection = _connect(path, key)
        try:
            if logged and _is_empty(connection):
                connection.close()
                return None
            _gate(path, connection)
            return Glance(connection)
        except BaseException:
            connection.close(force=True)
            raise
    except apsw.NotADBError as error:
        raise _unreadable(path, directory, key) from error
    except apsw.CorruptError as error:
        raise StoreCorruptError(f"{path} is damaged; run `realmemory verify`") from error
    except apsw.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from error


def _unreadable(path: str, directory: str, key: Key | None) -> StoreError:
    from realmemory.store.sealing import is_sealed, unopened  # noqa: PLC0415 - only in trouble

    if is_sealed(path):
        return unopened(path, directory, key)
    return StoreRefusedError(f"{path} is not a database")


def _connect(path: str, key: Key | None) -> apsw.Connection:
    if not hasattr(apsw, "mc_version"):
        raise StoreError("another package replaced the files of apsw-sqlite3mc; reinstall it")
    shared = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
    uri = _uri(path)
    # Readers of a log write to its shared index; where that is forbidden, read only.
    writable = os.access(os.path.dirname(path), os.W_OK) and os.access(path, os.W_OK)
    if writable:
        connection = apsw.Connection(uri, flags=shared | apsw.SQLITE_OPEN_READWRITE)
    else:
        log = f"{path}-wal"
        sealed = not os.path.exists(log) or os.path.getsize(log) == 0
        uri += "?immutable=1" if sealed else ""
        connection = apsw.Connection(uri, flags=shared | apsw.SQLITE_OPEN_READONLY)
    if key is not None:
        from realmemory.store.sealing import unlock  # noqa: PLC0415 - as above

        unlock(connection, key)
    connection.set_busy_timeout(_BUSY_MS)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.pragma("query_only", "ON")
    return connection


def _is_empty(connection: apsw.Connection) -> bool:
    """Whether nothing was written yet: another process may be making the store at this moment."""
    said = connection.pragma("application_id") or connection.pragma("user_version")
    return not said and next(connection.execute("SELECT 1 FROM sqlite_schema"), None) is None


def _gate(path: str, connection: apsw.Connection) -> None:
    version = connection.pragma("user_version")
    if connection.pragma("application_id") != APPLICATION_ID:
        raise StoreRefusedError(
            f"{path} is a database of another program; it was left as it is. Give another folder.",
            code="foreign_db",
        )
    if not 0 < version <= _SCHEMA_VERSION:
        raise StoreRefusedError(
            f"{path} was written by a newer realMemory (schema {version}); it was left as it is. Run "
            "`pip install --upgrade realmemory`.",
            code="newer_schema",
        )


def _uri(path: str) -> str:
    text = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23").replace("&", "%26")
    if sys.platform == "win32":
        return "file:///" + text.replace("\\", "/")
    return f"file:{text}"


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join('"' + term.replace("\0", " ").replace('"', '""') + '"' for term in terms)
