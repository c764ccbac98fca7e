"""Notices that the database file is no longer the one that was opened.

Somebody may move another file to its name, or copy one over it. The second keeps the inode, and
while the log of the old file is not empty, SQLite goes on to read its pages from there. So what
the file says of itself, without its log, is looked at as well, whenever a stranger wrote to it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from realmemory.store import failures, opening
from realmemory.store.connection import FileIdentity

if TYPE_CHECKING:
    from realmemory.store.paths import StorePaths


class FileWatch:
    """Remembers the file as of now.

    Args:
        paths: The store.

    Raises:
        StoreError: There is no file (``store_replaced``).
    """

    def __init__(self, paths: StorePaths) -> None:
        self._paths = paths
        self._identity = self._look()
        self._vetted = self._identity.written
        self.rev_in_file = 0
        """The rev that the file is known to have reached without its log."""

    def has_changed(self) -> bool:
        """Return whether the file was written to since the last call.

        That is a checkpoint of another process, or another file copied over this one.

        Raises:
            StoreError: It is another file (``store_replaced``).
        """
        found = self._look()
        if not self._identity.same_file(found):
            raise failures.replaced(self._paths.database)
        changed = found.written != self._identity.written
        self._identity = found
        return changed

    def is_replaced(self) -> bool:
        """Return whether another file stands under the name by now; where there is none, none does."""
        found = FileIdentity.of(self._paths.database)
        return found is not None and not self._identity.same_file(found)

    def vet(self, store_id: str) -> None:
        """Check that whoever wrote to the file made it no other; the caller holds the write lock.

        Raises:
            StoreError: It is another store, or an older copy of this one (``store_replaced``).
        """
        if self._identity.written == self._vetted:
            return
        try:
            found = opening.in_file(self._paths)
        except apsw.NotADBError as error:
            raise failures.replaced(self._paths.database) from error
        except apsw.Error:
            # A checkpoint that was killed leaves what only file and log together make whole.
            return
        rev = 0 if found is None else found.rev
        if rev < self.rev_in_file or (found is not None and found.store_id != store_id):
            raise failures.replaced(self._paths.database)
        self.rev_in_file = rev
        self._vetted = self._identity.written

    def settle(self) -> None:
        """Take the file as it is now: the caller has just written to it under the lock."""
        self._identity = self._look()
        self._vetted = self._identity.written
        with suppress(apsw.Error):
            found = opening.in_file(self._paths)
            self.rev_in_file = 0 if found is None else found.rev

    def _look(self) -> FileIdentity:
        found = FileIdentity.of(self._paths.database)
        if found is None:
            raise failures.replaced(self._paths.database)
        return found
