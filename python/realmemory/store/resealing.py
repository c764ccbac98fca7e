"""Encrypting a store, decrypting it, and changing its key: into new files, put in place whole.

At any moment each file is as it was or as it shall be, and the key file holds the keys of both, so
that a process that is killed leaves a store that opens; the same call again finishes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import StoreCorruptError, StoreError
from realmemory.store import backups, directory, opening, sealing
from realmemory.store.connection import file_uri, open_copy
from realmemory.store.failures import as_store_error, translated
from realmemory.store.lock import WriteLock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths


@dataclass(frozen=True, slots=True)
class ResealReport:
    """What was done: the files that are now as asked, and copies that could not be read.

    ``left`` stand as they were: encrypted with another key, or damaged and in the clear.
    """

    directory: Path
    encrypted: bool
    key_file: str | None
    converted: tuple[Path, ...]
    left: tuple[Path, ...]


def reseal(
    paths: StorePaths,
    new: Key | None,
    *,
    others: Iterable[Key] = (),
    busy_timeout_s: float = 30.0,
) -> ResealReport:
    """Write the database and every copy of it in the folder anew, encrypted with another key.

    Derived files, which hold words and vectors in the clear, go; nothing else makes them again
    while the store is encrypted.

    Args:
        paths: The store, with the key that opens it.
        new: The key from now on; ``None`` to decrypt it.
        others: Keys that may open copies, beside that of the store.
        busy_timeout_s: Longest wait for the write lock.

    Raises:
        StoreBusyError: Someone reads or writes the store.
        StoreFullError: There is no room for a second copy; everything is as it was.
        StoreCorruptError: It is damaged; everything is as it was.
    """
    opening.refuse_strangers(paths)
    directory.prepare(paths, read_only=False)
    known = tuple(dict.fromkeys(key for key in (new, paths.key, *others) if key is not None))
    lock = WriteLock(paths.directory)
    with translated(paths.database):
        directory.make_private(paths.backups)
        lock.acquire(busy_timeout_s)
        try:
            with backups.alone(paths):
                return _reseal(paths, new, known)
        finally:
            lock.release()
            lock.close()


def _reseal(paths: StorePaths, new: Key | None, known: tuple[Key, ...]) -> ResealReport:
    directory.remove_leftovers(paths)
    # From here on whoever opens the store tries both keys.
    sealing.write_seal(paths, new, paths.key, moving=True)
    converted, left = [], []
    if _converted(paths.database, paths, new, (paths.key,)):
        converted.append(paths.database)
    if new is not None:
        _drop_index(paths)
    for copy in _copies(paths):
        try:
            if _converted(copy, paths, new, (None, *known)):
                converted.append(copy)
        except StoreError:
            left.append(copy)
    if new is None:
        paths.seal.unlink(missing_ok=True)
        directory.sync_directory(paths.directory)
    else:
        sealing.write_seal(paths, new)
    source = new.source or None if new is not None else None
    return ResealReport(paths.directory, new is not None, source, tuple(converted), tuple(left))


def _copies(paths: StorePaths) -> list[Path]:
    beside = [*paths.directory.glob("memory-*.db"), *paths.backups.glob("memory-*.db")]
    # What was kept of a damaged store has its log beside it, which belongs to nothing else.
    return sorted([*beside, *paths.directory.glob("memory-*.db-wal")])


def _drop_index(paths: StorePaths) -> None:
    for path in paths.index.iterdir() if paths.index.is_dir() else ():
        path.unlink(missing_ok=True)


def _converted(file: Path, paths: StorePaths, new: Key | None, known: Iterable[Key | None]) -> bool:
    """Bring one file under the new key; return whether it was not so already.

    Raises:
        StoreError: It cannot be read, or the copy could not be made; the file is as it was.
    """
    if file.suffix != ".db":
        raise StoreError(f"{file} is no database of its own")
    if sealing.is_sealed(file) is (new is not None) and sealing.opens(file, new):
        return False
    old = next((key for key in known if sealing.opens(file, key)), None)
    is_store = file == paths.database
    if is_store:
        from realmemory.store import restoring  # noqa: PLC0415 - which makes copies with this module

        restoring.settle(paths)
    # By these names whoever comes next knows what a killed process left.
    kind = "backup" if file.parent == paths.backups else "restore"
    temporary = file.with_name(f".{kind}.{os.getpid()}.tmp")
    try:
        copy(file, temporary, old, new)
        _check(file, temporary, old, new)
        if is_store:
            _log_beside(temporary, new)
        backups.sync_file(temporary)
        if is_store:
            restoring.put_in_place(paths, temporary)
            mark = opening.read_mark(paths)
            if mark is not None:
                opening.write_mark(paths, mark._replace(in_file=0), durable=True)
        else:
            temporary.replace(file)
            directory.sync_directory(file.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def copy(source: Path, target: Path, old: Key | None, new: Key | None) -> None:
    """Copy a database that stands alone, page by page anew, to a file encrypted with a key.

    Args:
        source: The file.
        target: A new file.
        old: Opens the source, if it is encrypted.
        new: The key of the copy, ``None`` for one in the clear.

    Raises:
        StoreError: Reading or writing failed.
    """
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with translated(source):
        connection = open_copy(source, old, write=False)
    try:
        into = f"{file_uri(target.absolute())}?{sealing.uri_parameters(new)}"
        connection.execute("VACUUM INTO ?", (into,))
    except apsw.NotADBError as error:
        raise backups.unreadable(source, old, error) from error
    except apsw.CantOpenError:
        # What SQLite says of it names the address, and with it the key.
        raise StoreError(
            f"{target} cannot be written; nothing was changed. Check the permissions of the folder "
            "and the limit of open files.",
            code="cannot_open",
        ) from None
    except apsw.Error as error:
        raise as_store_error(error, target, connection) from error
    finally:
        connection.close(force=True)


def _check(file: Path, made: Path, old: Key | None, new: Key | None) -> None:
    wanted = backups.verify(file, key=old)
    found = backups.verify(made, full=True, rows=True, key=new)
    if wanted != found or sealing.is_sealed(made) is not (new is not None):
        raise StoreCorruptError(
            f"the copy of {file} is not like it (rev {found} for {wanted}); it was thrown away, and "
            "the file was left as it is. Check the disk, then try again."
        )


def _log_beside(made: Path, key: Key | None) -> None:
    connection = open_copy(made, key, write=True)
    try:
        connection.pragma("journal_mode", "WAL")
    except apsw.Error as error:
        raise as_store_error(error, made, connection) from error
    finally:
        connection.close(force=True)
