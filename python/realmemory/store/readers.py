"""The pool of reader connections: one per open view, reused, never shared by two threads at once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import apsw

from realmemory.store.connection import Access, connect

if TYPE_CHECKING:
    from realmemory.store.paths import StorePaths

_KEPT = 8


class ReaderPool:
    """Connections that only read.

    Args:
        paths: The store.
        access: ``READ`` or ``READ_ONLY``.
        busy_timeout_s: Wait for a recovery by another process.
    """

    def __init__(self, paths: StorePaths, access: Access, busy_timeout_s: float) -> None:
        self._paths = paths
        self._access = access
        self._busy_timeout_s = busy_timeout_s
        self._guard = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._closed = False

    def take(self) -> apsw.Connection:
        """Return a connection that nobody else uses."""
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return connect(self._paths, self._access, busy_timeout_s=self._busy_timeout_s)

    def give_back(self, connection: apsw.Connection, *, sound: bool = True) -> None:
        """Keep a connection for the next view, or close it: too many, or after an error."""
        if sound:
            try:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            except apsw.Error:
                sound = False
        with self._guard:
            if sound and not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close(force=True)

    def renew(self) -> None:
        """Close the idle connections, so that the next views read the file anew."""
        with self._guard:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close(force=True)

    def close(self) -> None:
        """Close the idle connections; those in use are closed when they come back."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close(force=True)

    def abandon(self) -> list[apsw.Connection]:
        """Return the idle connections without closing them, for a child after a fork."""
        idle, self._idle, self._guard = self._idle, [], threading.Lock()
        return idle
