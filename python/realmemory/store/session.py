"""What the repositories work on: a connection inside a transaction, and its rev."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar, cast

from realmemory.errors import StoreCorruptError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence

    import apsw

    from realmemory.clock import Clock

Value = str | float | bytes | None
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
Row = tuple[Any, ...]
_FEW = 500
"""Rows that are read at once."""
_KNOWN = 1_000
"""Answers that are kept for one rev."""
_T = TypeVar("_T")


class Session:
    """One open transaction.

    Args:
        connection: A connection with an open transaction.
        clock: Tells the time of what is written.
    """

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._connection: apsw.Connection | None = connection
        self._known: dict[Hashable, object] | None = None
        self._streams: list[Generator[Row, None, None]] = []
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
        for stream in self._streams:
            stream.close()
        self._streams.clear()
        self._connection = None

    def rev(self) -> int:
        """Return the rev of this snapshot."""
        connection = self.connection
        if self._rev is None:
            self._rev = int(connection.execute("SELECT rev FROM revision").get)
        return self._rev

    def share(self, known: dict[Hashable, object]) -> None:
        """Keep answers of :meth:`once` where other views of the same rev find them."""
        self._known = known

    def once(self, key: Hashable, ask: Callable[[], _T]) -> _T:
        """Return what nothing but a new rev can change, asked once for all views of a rev.

        ``None`` is asked for again: what is not there may come without a new rev, as long as
        nothing depends on it.

        Args:
            key: Names the question among all that are asked so.
            ask: Asks the database.
        """
        known = self._known
        if known is None:
            return ask()
        # One look, for another thread may empty it.
        kept = known.get(key)
        if kept is not None:
            return cast("_T", kept)
        if len(known) >= _KNOWN:
            known.clear()
        found = ask()
        if found is not None:
            known[key] = found
        return found

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
        stream = _each(self.connection.execute(sql, parameters))
        self._streams.append(stream)
        return stream

    def feed(self, sql: str, parameters: Sequence[Value]) -> Iterator[Row]:
        """As :meth:`stream`, read at once where that is little, as it nearly always is.

        In apsw 3.54 a cursor that lives while others on its connection end is never freed.
        """
        few = self.all(f"{sql} LIMIT {_FEW + 1}", parameters)
        return iter(few) if len(few) <= _FEW else self.stream(sql, parameters)

    def one(self, sql: str, parameters: Sequence[Value] | Mapping[str, Value] = ()) -> Row | None:
        """Run one statement and return its first row."""
        try:
            row: Row | None = self.connection.execute(sql, parameters).fetchone()
        except UnicodeDecodeError as error:
            raise _unreadable(error) from error
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


def _each(cursor: apsw.Cursor) -> Generator[Row, None, None]:
    """Yield the rows of a cursor of which nobody else holds a reference.

    Closing this lets go of the cursor, which ends its statement. ``Cursor.close`` must not be
    called, as ``yield from`` would: in apsw 3.54 a cursor that was closed is never freed.
    """
    try:
        for row in cursor:  # noqa: UP028 - see above
            yield row
    except UnicodeDecodeError as error:
        raise _unreadable(error) from error


def _unreadable(error: UnicodeDecodeError) -> StoreCorruptError:
    return StoreCorruptError(
        f"a row of the database holds bytes that are no text ({error.reason}); nothing was "
        "changed. Run `realmemory verify`, then `realmemory repair`."
    )


def id_list(ids: Iterable[int]) -> str:
    """Return ids as the one parameter of ``IN (SELECT value FROM json_each(?))``."""
    # As JSON writes it; that of a list of numbers is what Python writes.
    return str(sorted(set(map(int, ids))))


def dump_json(value: Mapping[str, Any] | Sequence[str]) -> str:
    """Return ``value`` as JSON in one canonical spelling."""
    if not value:
        return "[]" if isinstance(value, (list, tuple)) else "{}"
    return _encode(value)
