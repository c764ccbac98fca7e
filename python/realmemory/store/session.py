"""What the repositories work on: a connection inside a transaction, and its rev."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from realmemory.errors import StoreCorruptError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

    from realmemory.clock import Clock

Value = str | float | bytes | None
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
Row = tuple[Any, ...]


class Session:
    """One open transaction.

    Args:
        connection: A connection with an open transaction.
        clock: Tells the time of what is written.
    """

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._connection: apsw.Connection | None = connection
        self._streams: list[apsw.Cursor] = []
        self.clock = clock
        self._rev: int | None = None
        self._bumped: int | None = None

    @property
    def connection(self) -> apsw.Connection:
        """The connection, while the transaction is open.

        Raises:
            StoreError: The view or transaction has ended (``closed``).
        """
        if self._connection is None:
            raise StoreError(
                "a view or transaction was used after its block had ended; nothing was read or "
                "written. Open a new one.",
                code="closed",
            )
        return self._connection

    def finish(self) -> None:
        """End the session: an unfinished stream would pin its snapshot beyond the transaction."""
        for cursor in self._streams:
            cursor.close(force=True)
        self._streams.clear()
        self._connection = None

    def rev(self) -> int:
        """Return the rev of this snapshot."""
        connection = self.connection
        if self._rev is None:
            self._rev = int(connection.execute("SELECT rev FROM revision").get)
        return self._rev

    def bump(self) -> int:
        """Return the rev that this transaction commits, raising the counter at the first call."""
        if self._bumped is None:
            self._rev = self._bumped = int(
                self.connection.execute("UPDATE revision SET rev = rev + 1 RETURNING rev").get
            )
        return self._bumped

    @property
    def bumped(self) -> int | None:
        """The rev that this transaction commits, if it changed rows."""
        return self._bumped

    def all(self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        try:
            return list(self.connection.execute(sql, parameters))
        except UnicodeDecodeError as error:
            raise _unreadable(error) from error

    def stream(
        self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()
    ) -> Iterator[Row]:
        """Run one statement and yield its rows as they are found, until the session ends."""
        cursor = self.connection.execute(sql, parameters)
        self._streams.append(cursor)
        return iter(cursor)

    def one(self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()) -> Row | None:
        """Run one statement and return its first row."""
        cursor = self.connection.execute(sql, parameters)
        try:
            row: Row | None = cursor.fetchone()
        except UnicodeDecodeError as error:
            raise _unreadable(error) from error
        finally:
            cursor.close(force=True)
        return row

    def insert(self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()) -> int:
        """Run one ``INSERT ... RETURNING`` of one row and return the number that it returns."""
        return int(self.connection.execute(sql, parameters).get)

    def run(self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()) -> int:
        """Run one statement and return how many rows it changed."""
        before = self.connection.total_changes()
        self.connection.execute(sql, parameters)
        return self.connection.total_changes() - before

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each row of parameters; return how many rows were changed."""
        before = self.connection.total_changes()
        self.connection.executemany(sql, rows)
        return self.connection.total_changes() - before


def _unreadable(error: UnicodeDecodeError) -> StoreCorruptError:
    return StoreCorruptError(
        f"a row of the database holds bytes that are no text ({error.reason}); nothing was "
        "changed. Run `realmemory verify`, then `realmemory repair`."
    )


def id_list(ids: Iterable[int]) -> str:
    """Return ids as the one parameter of ``IN (SELECT value FROM json_each(?))``."""
    return json.dumps(sorted(set(ids)))


def dump_json(value: Mapping[str, Any] | Sequence[str]) -> str:
    """Return ``value`` as JSON in one canonical spelling."""
    return _encode(value)
