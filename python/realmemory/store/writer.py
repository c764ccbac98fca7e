"""The one connection of a process that writes; used only by who holds the write lock."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import StoreError
from realmemory.late import late_logger
from realmemory.store import failures
from realmemory.store.connection import Access, connect
from realmemory.store.journal import JournalWrites
from realmemory.store.records import Durability
from realmemory.store.session import Session

if TYPE_CHECKING:
    from realmemory.clock import Clock
    from realmemory.store.paths import StorePaths

_logger = late_logger(__name__)

_FAILED_SYNCS = {apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC}


class Writer:
    """Opens its connection when it is first needed and again after every failure.

    Args:
        paths: The store.
        clock: Tells the time of what is written.
    """

    def __init__(self, paths: StorePaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._connection: apsw.Connection | None = None
        self._stale = False

    def forget_cache(self) -> None:
        """Read the file anew at the next transaction: it was written to by someone else."""
        self._stale = True

    def connection(self) -> apsw.Connection:
        """Return the connection, opened if need be."""
        if self._stale:
            self.drop()
        if self._connection is None:
            self._connection = connect(self._paths, Access.WRITE)
        return self._connection

    def begin(self, durability: Durability, deadline: float) -> Session:
        """Open a transaction, waiting for other programs' locks until ``deadline`` (monotonic)."""
        connection = self.connection()
        connection.pragma("synchronous", "FULL" if durability is Durability.FULL else "NORMAL")
        remaining = max(0.001, deadline - time.monotonic())
        connection.set_busy_timeout(round(remaining * 1000))
        connection.execute("BEGIN IMMEDIATE")
        return Session(connection, self._clock)

    def commit(self) -> None:
        """Commit the open transaction.

        Raises:
            StoreError: It is not stored, or, with the code ``unknown_outcome``, may be.
        """
        connection = self.connection()
        try:
            connection.execute("COMMIT")
        except apsw.IOError as error:
            failure = failures.as_store_error(error, self._paths.database, connection)
            if getattr(error, "extendedresult", 0) in _FAILED_SYNCS and not self._withdraw():
                raise failures.unknown_outcome(self._paths.database) from error
            raise failure from error

    def _withdraw(self) -> bool:
        """Make sure that a commit whose sync failed will not come back; return whether it worked.

        Its pages may stand complete in the log, where the next opening would find them. A further
        commit, through a new connection, overwrites them.
        """
        self.drop()
        try:
            connection = self.connection()
            connection.pragma("synchronous", "FULL")
            connection.execute("BEGIN IMMEDIATE")
            JournalWrites(Session(connection, self._clock)).append("io_error", {})
            connection.execute("COMMIT")
        except (apsw.Error, StoreError):
            return False
        return True

    def abort(self, error: BaseException) -> None:
        """Roll back; after an error of the store the connection is never used again.

        When a sync fails, the system may drop the pages that it could not write, and a connection
        that goes on would not know.
        """
        if self._connection is None:
            return
        with suppress(apsw.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        if isinstance(error, StoreError):
            self.drop()

    def checkpoint(self) -> bool:
        """Move the log into the file and empty it; return false while a reader needs it.

        Raises:
            apsw.Error: Reading or writing failed; what was committed still stands in the log.
        """
        connection = self.connection()
        # A connection that has read nothing does not know that there is a log.
        connection.execute("SELECT rev FROM revision").fetchall()
        # Waiting for readers would be waiting under the lock.
        connection.set_busy_timeout(0)
        try:
            connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            return False
        return True

    def try_checkpoint(self) -> bool:
        """As :meth:`checkpoint` after a commit, which stands whatever becomes of the log."""
        try:
            return self.checkpoint()
        except apsw.Error:
            _logger.exception("the log of %s could not be emptied", self._paths.database)
            self.drop()
            return False

    def vacuum(self) -> None:
        """Rebuild the file without free space."""
        connection = self.connection()
        connection.pragma("synchronous", "FULL")
        connection.execute("VACUUM")

    def drop(self) -> None:
        """Close the connection, if it is open."""
        connection, self._connection, self._stale = self._connection, None, False
        if connection is not None:
            with suppress(apsw.Error):
                connection.close(force=True)

    def abandon(self) -> list[apsw.Connection]:
        """Return the connection without closing it, for a child after a fork."""
        connection, self._connection = self._connection, None
        return [] if connection is None else [connection]
