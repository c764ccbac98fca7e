"""How the database file is opened, and what is refused.

Nothing else in the process opens the file, not even to look at its header: closing any other
descriptor would drop the locks that SQLite holds on it.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import apsw

from realmemory.errors import ConfigurationError, StoreError, StoreReadOnlyError
from realmemory.store import row_hash
from realmemory.store.failures import as_store_error

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths

_FIXED_SINCE = (3, 51, 3)
_WITHDRAWN = (3, 52, 0)
_CHUNK = 1 << 20


class Access(StrEnum):
    """What a connection may do."""

    CREATE = "create"
    WRITE = "write"
    READ = "read"
    """Reads beside writers; needs to write the shared index beside the file."""
    READ_ONLY = "read_only"
    """Opens nothing for writing, on media or in folders that cannot be written."""


class FileIdentity(NamedTuple):
    """Which file a path leads to, and when a checkpoint (or a stranger) last wrote to it."""

    device: int
    inode: int
    written: int

    @classmethod
    def of(cls, path: Path) -> FileIdentity | None:
        """Return the identity of the file at ``path``, or ``None`` when there is none."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return cls(found.st_dev, found.st_ino, found.st_mtime_ns)

    def same_file(self, other: FileIdentity | None) -> bool:
        """Return whether both are one file, whatever was written to it."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


def engine_is_fixed(version: tuple[int, ...]) -> bool:
    """Return whether this SQLite is free of the fault that loses pages at a reset of the log.

    See https://www.sqlite.org/wal.html, "The WAL-reset bug".
    """
    if version == _WITHDRAWN:
        return False
    backports: dict[tuple[int, ...], tuple[int, ...]] = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}
    return version >= backports.get(version[:2], _FIXED_SINCE)


@cache
def check_engine() -> str:
    """Return the version of the loaded SQLite, asked through a connection of our own.

    Raises:
        ConfigurationError: Another build of ``apsw`` hides ours, or the version is unsafe.
    """
    if not hasattr(apsw, "mc_version"):
        raise ConfigurationError(
            "the module apsw does not come from apsw-sqlite3mc: another package replaced its "
            "files; stores are unharmed. Run `pip uninstall apsw`, then "
            "`pip install --force-reinstall apsw-sqlite3mc`.",
            code="wrong_engine",
        )
    probe = apsw.Connection(":memory:")
    version = str(probe.execute("SELECT sqlite_version()").get)
    probe.close()
    if not engine_is_fixed(tuple(int(part) for part in version.split("."))):
        raise ConfigurationError(
            f"SQLite {version} can lose pages when several processes write; stores are unharmed. "
            "Run `pip install --upgrade apsw-sqlite3mc`.",
            code="unsafe_engine",
        )
    return version


def connect(paths: StorePaths, access: Access, *, busy_timeout_s: float = 30.0) -> apsw.Connection:
    """Open the database with every rule of the house applied.

    Raises:
        StoreError: It cannot be opened or its header cannot be read.
    """
    check_engine()
    flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
    flags |= {
        Access.CREATE: apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE,
        Access.WRITE: apsw.SQLITE_OPEN_READWRITE,
        Access.READ: apsw.SQLITE_OPEN_READWRITE,
        Access.READ_ONLY: apsw.SQLITE_OPEN_READONLY,
    }[access]
    connection: apsw.Connection | None = None
    try:
        connection = apsw.Connection(_uri(paths, access), flags=flags)
        unlock(connection, paths.key)
        _configure(connection, access, busy_timeout_s)
    except apsw.Error as error:
        raised = _opening_failed(error, paths, access, connection)
        if connection is not None:
            connection.close(force=True)
        raise raised from error
    return connection


def unlock(connection: apsw.Connection, key: Key | None) -> None:
    """Give a fresh connection the key to its file, where there is one."""
    if key is not None:
        from realmemory.store import sealing  # noqa: PLC0415 - most stores are not encrypted

        sealing.unlock(connection, key)


def open_copy(path: Path, key: Key | None, *, write: bool) -> apsw.Connection:
    """Open a whole copy of a store, such as a backup, that nobody else has open.

    Args:
        path: The file; it exists.
        key: Opens it if it is encrypted; an empty file to be written becomes so.
        write: For writing.

    Raises:
        StoreRefusedError: ``encrypted``; it is, and there is no key.
        apsw.Error: It cannot be opened.
    """
    check_engine()
    if path.stat().st_size:
        from realmemory.store import sealing  # noqa: PLC0415 - not for opening a store

        sealed = sealing.is_sealed(path)
        if sealed and key is None:
            raise sealing.missing(path, None)
        key = key if sealed else None
    flags = apsw.SQLITE_OPEN_READWRITE if write else apsw.SQLITE_OPEN_READONLY
    # A path that is absolute is taken as it is; an address is for what the connection writes.
    connection = apsw.Connection(str(path.absolute()), flags=flags | apsw.SQLITE_OPEN_URI)
    unlock(connection, key)
    return connection


def copy_bytes(database: Path, target: Path) -> None:
    """Copy a file byte by byte, through SQLite's own file layer, which keeps this process's locks.

    Raises:
        apsw.Error: It cannot be read.
        OSError: The target cannot be written.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    source = apsw.VFSFile("", str(database), flags)
    try:
        size = source.xFileSize()
        with target.open("wb") as copy:
            for at in range(0, size, _CHUNK):
                copy.write(source.xRead(min(_CHUNK, size - at), at))
    finally:
        source.xClose()


def _opening_failed(
    error: apsw.Error, paths: StorePaths, access: Access, connection: apsw.Connection | None
) -> StoreError:
    if access is Access.READ_ONLY and isinstance(error, (apsw.CantOpenError, apsw.ReadOnlyError)):
        return StoreReadOnlyError(
            f"{paths.database} has a log of changes beside it that cannot be read without writing "
            "to its folder; nothing was changed. Open the store once as its owner, or copy the "
            "whole folder to a place that can be written."
        )
    return as_store_error(error, paths.database, connection)


def _uri(paths: StorePaths, access: Access) -> str:
    uri = file_uri(paths.database)
    if access is Access.CREATE:
        # The new file, its log and its shared index take the mode of the lock file, at creation.
        return f"{uri}?modeof={_escape(str(paths.lock))}"
    if access is Access.READ_ONLY and not _has_log(paths) and not _can_write(paths):
        return f"{uri}?immutable=1"
    return uri


def _can_write(paths: StorePaths) -> bool:
    # Asks the system rather than the mode bits, which say nothing on a read-only medium.
    return os.access(paths.directory, os.W_OK | os.X_OK)


def _has_log(paths: StorePaths) -> bool:
    try:
        return paths.wal.stat().st_size > 0
    except FileNotFoundError:
        return False


def file_uri(path: Path) -> str:
    """Return the address of a file for SQLite, whatever signs its path holds."""
    text = _escape(str(path))
    return f"file:///{text.replace(chr(92), '/')}" if sys.platform == "win32" else f"file:{text}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("?", "%3f").replace("#", "%23").replace("&", "%26")


def _configure(connection: apsw.Connection, access: Access, busy_timeout_s: float) -> None:
    connection.set_busy_timeout(round(busy_timeout_s * 1000))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.pragma("wal_autocheckpoint", 0)
    connection.pragma("cell_size_check", "ON")
    connection.pragma("foreign_keys", "ON")
    connection.pragma("secure_delete", "ON")
    connection.pragma("mmap_size", 0)
    if sys.platform == "darwin":
        connection.pragma("fullfsync", "ON")
        connection.pragma("checkpoint_fullfsync", "ON")
    if access in {Access.READ, Access.READ_ONLY}:
        connection.pragma("query_only", "ON")
    row_hash.register(connection)
