"""Putting a backup in the place of the store, with the old file kept beside it."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import StoreError, StoreRefusedError
from realmemory.store import backups, directory, failures, opening, resealing, sealing
from realmemory.store.connection import Access, connect, open_copy
from realmemory.store.failures import as_store_error, translated
from realmemory.store.lock import WriteLock
from realmemory.store.meta import STORE_ID
from realmemory.store.paths import StorePaths

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.clock import Clock
    from realmemory.keys import Key

_UNKNOWN_REV = 1_000_000


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What a restore did; ``kept`` is the file that was replaced, if there was one."""

    backup: Path
    rev: int
    kept: Path | None


def restore(
    folder: Path,
    backup: Path,
    *,
    clock: Clock,
    busy_timeout_s: float = 30.0,
    key: Key | str | None = None,
) -> RestoreReport:
    """Replace the store in ``folder`` by a backup.

    At any moment the folder holds the old store or the new one, whole. Processes that have the
    old one open are told so at their next call (``store_replaced``).

    Args:
        folder: The folder of the store; it may be missing, or its database damaged.
        backup: A backup, verified in full before anything is touched.
        clock: Tells the time in the name of the kept file.
        busy_timeout_s: Longest wait for the write lock.
        key: Opens the store and the backup, whichever are encrypted; see
            :func:`realmemory.store.sealing.key_for`. The store stays encrypted if it was.

    Raises:
        NotFoundError: There is no such backup.
        StoreRefusedError: The backup is not one of ours.
        StoreCorruptError: The backup is damaged.
        StoreBusyError: Someone reads or writes the old store.
    """
    paths = StorePaths.unlocked(folder, key)
    directory.prepare(paths, read_only=False)
    if paths.database.exists() and backup.exists() and paths.database.samefile(backup):
        raise StoreRefusedError(
            f"{backup} is the store itself; nothing was changed. Give a backup.",
            code="not_a_store",
        )
    backups.verify(backup, full=True, key=paths.key)
    lock = WriteLock(paths.directory)
    with translated(paths.database):
        lock.acquire(busy_timeout_s)
        try:
            directory.remove_leftovers(paths)
            return install(paths, backup, clock)
        finally:
            lock.release()
            lock.close()


def install(paths: StorePaths, source: Path, clock: Clock) -> RestoreReport:
    """Put a verified copy of ``source`` in place; the caller holds the write lock."""
    old_rev = settle(paths)
    temporary = paths.directory / f".restore.{os.getpid()}.tmp"
    try:
        if paths.key is None:
            shutil.copyfile(source, temporary)
            temporary.chmod(0o600)
        else:
            resealing.copy(source, temporary, paths.key, paths.key)
        mark = opening.read_mark(paths)
        rev = max(old_rev, 0 if mark is None else mark.rev) + 1
        store_id, rev = _continue_from(temporary, rev, paths.key)
        backups.sync_file(temporary)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if paths.key is not None:
        sealing.write_seal(paths, paths.key)
    kept = _keep_old(paths, clock.now())
    put_in_place(paths, temporary)
    opening.write_mark(paths, opening.Mark(store_id, rev), durable=True)
    return RestoreReport(source, rev, kept)


def settle(paths: StorePaths) -> int:
    """Move the old log into the old file and return the old rev, as far as they are readable."""
    if not paths.database.exists():
        return 0
    try:
        connection = connect(paths, Access.WRITE, busy_timeout_s=5.0)
    except StoreError:
        return _UNKNOWN_REV
    try:
        # Read first: a connection that has read nothing does not know that there is a log.
        rev = int(connection.execute("SELECT rev FROM revision").get)
        connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.LockedError) as error:
        raise failures.busy(paths.database, "a reader in another process") from error
    except apsw.Error:
        # Damaged: its log is kept beside it as it is.
        return _UNKNOWN_REV
    else:
        return rev
    finally:
        connection.close(force=True)


def _continue_from(copy: Path, rev: int, key: Key | None) -> tuple[str, int]:
    """Make the copy newer than all that was derived from the old store, and a file with a log."""
    connection = open_copy(copy, key, write=True)
    try:
        connection.execute(
            "UPDATE revision SET rev = max(rev + 1, :rev), floor = max(rev + 1, :rev)",
            {"rev": rev},
        )
        store_id = connection.execute("SELECT value FROM meta WHERE key = ?", (STORE_ID,)).get
        reached = connection.execute("SELECT rev FROM revision").get
        connection.pragma("journal_mode", "WAL")
        return str(store_id), int(reached)
    except apsw.Error as error:
        raise as_store_error(error, copy, connection) from error
    finally:
        connection.close(force=True)


def _keep_old(paths: StorePaths, now: float) -> Path | None:
    kept: Path | None = None
    if paths.database.exists():
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(max(0.0, now)))
        kept = _unused(paths.directory / f"memory-replaced-{stamp}.db")
        _keep(paths.database, kept)
        if paths.wal.exists() and paths.wal.stat().st_size:
            _keep(paths.wal, kept.with_name(f"{kept.name}-wal"))
    directory.sync_directory(paths.directory)
    return kept


def put_in_place(paths: StorePaths, temporary: Path) -> None:
    """Make a new file, whole and on the disk, the database; the caller holds the write lock."""
    # A log must never meet a database that it does not belong to: the old one goes first. By now
    # it is empty, or kept beside the damaged file that it belongs to.
    paths.wal.unlink(missing_ok=True)
    paths.shm.unlink(missing_ok=True)
    temporary.replace(paths.database)
    directory.sync_directory(paths.directory)


def _keep(path: Path, kept: Path) -> None:
    try:
        os.link(path, kept)
    except OSError:
        # A file system without hard links: for a moment there is no file under the old name.
        path.rename(kept)


def _unused(path: Path) -> Path:
    number, candidate = 1, path
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return candidate
