"""Every error of the database as one of ours, with the path and the way out."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import (
    InvalidInputError,
    RealMemoryError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreRefusedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL_ERRNOS = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
READ_ONLY_ERRNOS = {errno.EACCES, errno.EPERM, errno.EROFS}
WRONG_NAME_ERRNOS = {errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Re-raise errors of the database and of the file system as :class:`StoreError`."""
    try:
        yield
    except apsw.Error as error:
        raise as_store_error(error, path) from error
    except OSError as error:
        raise _from_os(error, path) from error
    except UnicodeDecodeError as error:
        raise corrupt(path, "a text holds bytes that are no text") from error


@contextmanager
def translated_sql(path: Path, connection: apsw.Connection) -> Iterator[None]:
    """Re-raise errors of the database as :class:`StoreError`, and nothing else.

    The block may run code of a caller, whose other errors are its own.
    """
    try:
        yield
    except apsw.Error as error:
        raise as_store_error(error, path, connection) from error


@contextmanager
def written_beside(path: Path) -> Iterator[None]:
    """Re-raise what the system says of a file for the user, such as an export, naming the file."""
    try:
        yield
    except OSError as error:
        raise _not_written(error, path) from error


def _not_written(error: OSError, path: Path) -> RealMemoryError:
    if error.errno in FULL_ERRNOS:
        return StoreFullError(
            f"there is no room to write {path} ({_room(path)}, or a quota is used up); the memory "
            "is unharmed. Free space, or name a file on another disk."
        )
    if error.errno in READ_ONLY_ERRNOS:
        return StoreReadOnlyError(
            f"{path} cannot be written by this user; the memory is unharmed. Fix the permissions "
            "of its folder, or name another file."
        )
    if error.errno in WRONG_NAME_ERRNOS:
        return InvalidInputError(
            f"{path} cannot be a file to write ({error.strerror}); nothing was written. Name "
            "another file.",
            code="usage",
        )
    return StoreError(
        f"{path} could not be written ({error.strerror or error}); the memory is unharmed. Check "
        "the disk, or name another file.",
        code="io_error",
    )


def as_store_error(
    error: apsw.Error, path: Path, connection: apsw.Connection | None = None
) -> StoreError:
    """Return our error for one of the driver's."""
    if isinstance(error, apsw.FullError) or _ran_out_of_room(error, connection):
        return disk_full(path)
    if isinstance(error, (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)):
        return busy(path)
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError)):
        return read_only(path)
    if isinstance(error, apsw.NotADBError):
        from realmemory.store.sealing import is_sealed  # noqa: PLC0415 - only in trouble

        if is_sealed(path):
            return StoreRefusedError(
                f"{path} is encrypted, and cannot be read with the key that was given, or none was; "
                "it was left as it is. Give the key that it was encrypted with.",
                code="encrypted",
            )
        return StoreRefusedError(
            f"{path} is not a database that can be read; the file was left as it is. "
            "Point to another folder, or restore a backup with `realmemory backup restore`.",
            code="not_a_store",
        )
    if isinstance(error, (apsw.CorruptError, apsw.FormatError)):
        return corrupt(path, str(error))
    return _rarer(error, path)


def _rarer(error: apsw.Error, path: Path) -> StoreError:
    if isinstance(error, apsw.CantOpenError):
        return StoreError(
            f"the database {path} cannot be opened ({error}); nothing was changed. "
            "Check the permissions of the folder and the limit of open files.",
            code="cannot_open",
        )
    if isinstance(error, apsw.IOError):
        return StoreError(
            f"reading or writing {path} failed ({error}); this call is not stored, earlier ones "
            "are. Check the disk, then try again.",
            code="io_error",
        )
    if isinstance(error, apsw.NoMemError):
        return StoreError(
            f"there was not enough memory to work on {path}; nothing was changed. "
            "Free memory and try again.",
            code="out_of_memory",
        )
    return StoreError(
        f"the database {path} refused an operation ({type(error).__name__}: {error}); "
        "the transaction was rolled back.",
        code="store_error",
    )


def _ran_out_of_room(error: apsw.Error, connection: apsw.Connection | None) -> bool:
    if not isinstance(error, apsw.IOError) or connection is None:
        return False
    try:
        return connection.system_errno in FULL_ERRNOS
    except apsw.ConnectionClosedError:
        return False


def _from_os(error: OSError, path: Path) -> StoreError:
    if error.errno in FULL_ERRNOS:
        return disk_full(path)
    if error.errno in READ_ONLY_ERRNOS:
        return read_only(path)
    return StoreError(
        f"the file system refused an operation on {error.filename or path} ({error.strerror}); "
        "stored memories are unharmed. Check the path and the disk, then try again.",
        code="io_error",
    )


def disk_full(path: Path) -> StoreFullError:
    """Return the error of a full disk or quota, with the free space."""
    return StoreFullError(
        f"there is no room to write {path} ({_room(path)}, or a quota is used up); nothing of this "
        "call was stored, reading goes on. Free space on the disk and try again."
    )


def _room(path: Path) -> str:
    import shutil  # noqa: PLC0415 - slow to load, and only a full disk needs it

    try:
        return f"{shutil.disk_usage(path.parent).free:,} bytes free"
    except OSError:
        return "free space unknown"


def busy(path: Path, holder: str = "", waited: float | None = None) -> StoreBusyError:
    """Return the error of a write lock that did not come free in time."""
    span = "" if waited is None else f" for {waited:.1f} s"
    who = f" by {holder}" if holder else ""
    return StoreBusyError(
        f"the write lock of {path} was held{who}{span}; nothing of this call was stored. "
        "Try again, or see who holds it with `realmemory doctor`."
    )


def read_only(path: Path) -> StoreReadOnlyError:
    """Return the error of a store that this user may not write."""
    return StoreReadOnlyError(
        f"{path} cannot be written by this user; nothing was changed. "
        "Fix the permissions of the folder and its files, or open the store read-only."
    )


def opened_read_only(path: Path) -> StoreReadOnlyError:
    """Return the error of a store that is open for reading, by choice or for want of a right."""
    if not os.access(path, os.W_OK):
        return read_only(path)
    return StoreReadOnlyError(
        f"{path} was opened read-only; nothing was changed. Open it without read_only to write."
    )


def corrupt(path: Path, detail: str) -> StoreCorruptError:
    """Return the error of a damaged database."""
    return StoreCorruptError(
        f"the database {path} is damaged ({detail}); it was left as it is. Run `realmemory verify` "
        "to see what is affected, then `realmemory repair` or `realmemory backup restore`."
    )


def unknown_outcome(path: Path) -> StoreError:
    """Return the error of a commit that failed in a way that may or may not have stored it."""
    return StoreError(
        f"writing {path} failed while a change was committed, and so did taking it back: whether "
        "this call is stored is unknown, earlier ones are. Check the disk, then look before "
        "trying again.",
        code="unknown_outcome",
    )


def replaced(path: Path) -> StoreError:
    """Return the error of a file that is no longer the one that was opened."""
    return StoreError(
        f"{path} was removed or replaced while it was open; nothing of this call was stored. "
        "Open the store again to work with the file that is there now.",
        code="store_replaced",
    )


def forked(path: Path) -> StoreError:
    """Return the error of a handle that came through ``fork``."""
    return StoreError(
        f"the store {path} was opened in the parent process and cannot be used after a fork; "
        "nothing was changed. Open it again in this process.",
        code="forked_handle",
    )
