"""The folder of a store: made for its owner only, refused when it is not what it should be."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from realmemory.errors import StoreReadOnlyError, StoreRefusedError
from realmemory.store.media import check_local

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.store.paths import StorePaths

_NOT_KNOWN = {errno.EINVAL, errno.ENOTSUP}
_LEFT_S = 3_600.0
"""Seconds after which nobody is writing a small file any more."""


def prepare(paths: StorePaths, *, read_only: bool) -> None:
    """Make the folder (mode 0700) and its lock file (0600), or refuse what is there.

    Raises:
        StoreRefusedError: A file stands where the folder should be (``not_a_store``), or the
            folder or one of its files is a symbolic link or belongs to someone else
            (``unsafe_path``), or lies on a network file system (``network_filesystem``).
        StoreReadOnlyError: The folder cannot be written, and ``read_only`` was not asked for.
    """
    _refuse_unsafe(paths.directory)
    if paths.directory.exists() and not paths.directory.is_dir():
        raise StoreRefusedError(
            f"{paths.directory} is a file, and a store is a folder; the file was left as it is. "
            "Give the path of a folder.",
            code="not_a_store",
        )
    if read_only:
        return
    check_local(paths.directory)
    make_private(paths.directory)
    if not os.access(paths.directory, os.W_OK | os.X_OK):
        raise _unwritable(paths.directory)
    for path in (paths.database, paths.wal, paths.shm, paths.lock, paths.mark, paths.backups):
        _refuse_unsafe(path)
    if paths.database.exists() and not os.access(paths.database, os.W_OK):
        raise _unwritable(paths.database)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(paths.lock, flags, 0o600))


def make_private(directory: Path) -> None:
    """Make a folder that only its owner can enter; its missing parents get the usual modes."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    directory.mkdir(mode=0o700, exist_ok=True)


def sync_directory(directory: Path) -> None:
    """Put the names in ``directory`` on the disk; systems without that notion do it themselves."""
    if sys.platform == "win32":
        return
    fd = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network drives know no such thing, and say so once everything is done.
        if error.errno not in _NOT_KNOWN:
            raise
    finally:
        os.close(fd)


def write_atomically(path: Path, content: bytes, *, durable: bool, mode: int = 0o600) -> None:
    """Replace a file by a whole new one; ``durable`` also puts it on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    try:
        fd = os.open(temporary, flags, mode)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(fd, rest) :]
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def remove_leftovers(paths: StorePaths) -> None:
    """Delete what processes that were killed left half written; it may hold texts.

    The caller holds the write lock, without which nobody repairs or restores. The small files
    beside the store are also written without it, so that only old ones are leftovers for sure.
    """
    for pattern in (".repair.*.tmp*", ".restore.*.tmp*"):
        for leftover in paths.directory.glob(pattern):
            leftover.unlink(missing_ok=True)
    for name in (paths.mark.name, paths.held.name):
        for leftover in paths.directory.glob(f".{name}.*.tmp"):
            with suppress(FileNotFoundError):
                if time.time() - leftover.stat().st_mtime > _LEFT_S:
                    leftover.unlink()


def _refuse_unsafe(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise StoreRefusedError(
            f"a part of the path {path} is a file, so no folder can be made there; nothing was "
            "changed. Give another path.",
            code="not_a_store",
        ) from error
    if stat.S_ISLNK(found.st_mode):
        raise StoreRefusedError(
            f"{path} is a symbolic link, which someone else could point elsewhere; nothing was "
            "changed. Give the path that it points to.",
            code="unsafe_path",
        )
    if sys.platform != "win32" and found.st_uid not in {0, os.geteuid()} and os.geteuid() != 0:
        raise StoreRefusedError(
            f"{path} belongs to another user; nothing was changed. Use a folder of your own.",
            code="unsafe_path",
        )


def _unwritable(path: Path) -> StoreReadOnlyError:
    return StoreReadOnlyError(
        f"{path} cannot be written by this user; nothing was changed. "
        "Fix its permissions, or open the store read-only."
    )
