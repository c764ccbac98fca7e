"""Backups: whole copies of the database, verified before they get their name."""

from __future__ import annotations

import os
import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from realmemory.clock import DAY
from realmemory.errors import NotFoundError, StoreCorruptError, StoreError, StoreRefusedError
from realmemory.store import migrations
from realmemory.store.connection import Access, connect, open_copy
from realmemory.store.directory import make_private, sync_directory
from realmemory.store.failures import as_store_error, translated
from realmemory.store.lock import WriteLock
from realmemory.store.records import BackupInfo
from realmemory.store.row_hash import TRACE_HASH_SQL, VARIANT_HASH_SQL, register
from realmemory.store.schema import APPLICATION_ID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.clock import Clock
    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths

_NAME = re.compile(
    r"memory-(?P<sequence>\d{6,})-(?P<time>\d{8}T\d{6}Z)-r(?P<rev>\d+)(?P<label>-[a-z0-9-]+)?\.db"
)
_TIME = "%Y%m%dT%H%M%SZ"
_WAIT_S = 60.0
_MONDAY = 4 * DAY  # 1970-01-05, the first Monday of the epoch


def create(paths: StorePaths, *, clock: Clock, label: str = "") -> BackupInfo:
    """Copy the database as it is now, while others read and write.

    The copy is made in one step: stepwise copying starts over at every foreign commit and may
    never end. It has a temporary name until it is verified and on the disk.

    Args:
        paths: The store.
        clock: Tells the time in the name.
        label: A word in the name; labelled backups are not rotated.

    Raises:
        StoreError: There is no room, or the copy does not verify; nothing is left behind.
    """
    with translated(paths.database):
        make_private(paths.backups)
        with alone(paths):
            return _create(paths, clock.now(), label)


@contextmanager
def alone(paths: StorePaths) -> Iterator[None]:
    """Hold the lock of who makes backups, and rid their folder of what killed processes left.

    Raises:
        StoreBusyError: Another process makes a backup for too long.
    """
    lock = WriteLock(paths.backups, "backup")
    lock.acquire(_WAIT_S)
    try:
        _remove_leftovers(paths.backups)
        yield
    finally:
        lock.release()
        lock.close()


def _create(paths: StorePaths, now: float, label: str) -> BackupInfo:
    temporary = paths.backups / f".backup.{os.getpid()}.tmp"
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        copy_database(paths, temporary)
        rev = _checked(temporary, paths)
        sync_file(temporary)
        sequence = max((info.sequence for info in every(paths)), default=0) + 1
        stamp = time.strftime(_TIME, time.gmtime(max(0.0, now)))
        suffix = f"-{label}" if label else ""
        final = paths.backups / f"memory-{sequence:06d}-{stamp}-r{rev}{suffix}.db"
        temporary.rename(final)
        sync_directory(paths.backups)
    except BaseException:
        _remove_leftovers(paths.backups)
        raise
    return _info(final)


def _checked(copy: Path, paths: StorePaths) -> int:
    """Verify a copy that was just made: what is wrong with it is most likely wrong with the store."""
    try:
        return verify(copy, key=paths.key)
    except StoreCorruptError as error:
        raise StoreCorruptError(
            f"the copy of {paths.database} is damaged, most likely because the database is; no "
            "backup was made, older ones and the database were left as they are. Run "
            "`realmemory verify`, then `realmemory repair` or `realmemory backup restore`."
        ) from error


def copy_database(paths: StorePaths, target: Path) -> None:
    """Copy the database into an empty file, in one step, as a file that stands alone.

    Raises:
        StoreError: Reading or writing failed.
    """
    source = connect(paths, Access.READ)
    copy = _open(target, paths.key, write=True)
    try:
        copy.pragma("journal_mode", "OFF")
        copy.pragma("synchronous", "OFF")
        with copy.backup("main", source, "main") as steps:
            steps.step(-1)
        # The copied header asks for a log beside the file, which a lone copy does not have.
        copy.pragma("journal_mode", "DELETE")
    except apsw.Error as error:
        raise as_store_error(error, target, copy) from error
    finally:
        copy.close(force=True)
        source.close(force=True)


def verify(backup: Path, *, full: bool = False, rows: bool = False, key: Key | None = None) -> int:
    """Check that a backup is a whole store of ours and return its rev.

    Args:
        backup: The file.
        full: Compare the indexes with the tables as well.
        rows: Compare every row with its hash as well: a changed letter breaks no page.
        key: Opens it where it is encrypted.

    Raises:
        NotFoundError: There is no such file.
        StoreRefusedError: It is not a store of this or an older version.
        StoreCorruptError: It is damaged.
    """
    if not backup.is_file():
        raise NotFoundError(
            f"there is no backup {backup}; nothing was changed. "
            "List them with `realmemory backup list`."
        )
    connection = _open(backup, key, write=False)
    try:
        application_id = connection.pragma("application_id")
        version = connection.pragma("user_version")
        if application_id != APPLICATION_ID or not 0 < version <= migrations.newest():
            raise StoreRefusedError(
                f"{backup} is not a backup that this version can use (schema {version}); it was "
                "left as it is. Choose another one.",
                code="newer_schema" if application_id == APPLICATION_ID else "foreign_db",
            )
        check = "integrity_check" if full else "quick_check"
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(5)")]
        if found != ["ok"]:
            raise StoreCorruptError(
                f"the backup {backup} is damaged ({found[0]}); the store is unharmed. "
                "Delete it and make a new one."
            )
        if rows:
            _check_rows(backup, connection)
        return int(connection.execute("SELECT rev FROM revision").get)
    except apsw.NotADBError as error:
        raise unreadable(backup, key, error) from error
    except apsw.Error as error:
        raise as_store_error(error, backup, connection) from error
    finally:
        connection.close(force=True)


def unreadable(backup: Path, key: Key | None, error: apsw.Error) -> StoreError:
    """Return the error of a copy that is no database, as far as the key that was given opens it."""
    from realmemory.store import sealing  # noqa: PLC0415 - only where a copy cannot be read

    if sealing.is_sealed(backup):
        return sealing.unopened(backup, str(backup.parent), key)
    return as_store_error(error, backup)


def _check_rows(backup: Path, connection: apsw.Connection) -> None:
    register(connection)
    wrong = sum(
        int(connection.execute(f"SELECT count(*) FROM {table} WHERE row_hash IS NOT {sealed}").get)
        for table, sealed in (("traces", TRACE_HASH_SQL), ("variants", VARIANT_HASH_SQL))
    )
    if wrong:
        raise StoreCorruptError(
            f"the backup {backup} is damaged: {wrong} rows do not match their hash; nothing was "
            "changed. Run `realmemory verify`: if the store says the same, `realmemory repair` "
            "holds these rows back and older backups may have them whole; if not, delete this "
            "backup and make a new one.",
        )


def every(paths: StorePaths) -> list[BackupInfo]:
    """Return the backups, the oldest first, by sequence and not by clock."""
    if not paths.backups.is_dir():
        return []
    found = [_info(path) for path in paths.backups.iterdir() if _NAME.fullmatch(path.name)]
    return sorted(found, key=lambda info: (info.sequence, info.path.name))


def rotate(
    paths: StorePaths, keep: int, *, daily: int | None = None, weekly: int | None = None
) -> list[Path]:
    """Delete all but ``keep`` unlabelled backups, the oldest first; return what went.

    The newest backup of each of the last ``daily`` days and ``weekly`` weeks that have one stays;
    the other places go to the newest. Nothing is deleted unless the newest one verifies, row by row.

    Args:
        paths: The store.
        keep: How many stay; 0 keeps all.
        daily: Days in UTC; two fifths of ``keep`` by default.
        weekly: Weeks from Monday; three tenths of ``keep`` by default.

    Raises:
        StoreCorruptError: The newest backup is damaged.
    """
    plain = [info for info in every(paths) if not _label(info.path)]
    if keep <= 0 or len(plain) <= keep:
        return []
    verify(plain[-1].path, rows=True, key=paths.key)
    days = keep * 2 // 5 if daily is None else daily
    weeks = keep * 3 // 10 if weekly is None else weekly
    staying = _staying(plain, keep, days, weeks)
    gone = [info.path for info in plain if info not in staying]
    with translated(paths.database):
        for path in gone:
            path.unlink(missing_ok=True)
        sync_directory(paths.backups)
    return gone


def _staying(plain: list[BackupInfo], keep: int, days: int, weeks: int) -> set[BackupInfo]:
    newest_first = plain[::-1]
    spans = ((days, DAY, 0.0), (weeks, 7 * DAY, _MONDAY))
    staying = {newest_first[0]}
    for wanted, length, offset in spans:
        newest_of: dict[int, BackupInfo] = {}
        for info in newest_first:
            newest_of.setdefault(int((info.created_at - offset) // length), info)
        staying.update(list(newest_of.values())[:wanted])
    # Of too many the newest stay; of too few, what is newest beside them.
    ordered = [info for info in newest_first if info in staying]
    ordered += [info for info in newest_first if info not in staying]
    return set(ordered[:keep])


def _info(path: Path) -> BackupInfo:
    parts = _NAME.fullmatch(path.name)
    if parts is None:
        raise StoreRefusedError(f"{path} does not have the name of a backup", code="not_a_store")
    when = time.strptime(parts["time"], _TIME)
    return BackupInfo(
        path=path,
        sequence=int(parts["sequence"]),
        created_at=float(_epoch(when)),
        rev=int(parts["rev"]),
        size=path.stat().st_size,
    )


def _epoch(when: time.struct_time) -> int:
    # The inverse of gmtime, without the machine's time zone.
    import calendar  # noqa: PLC0415 - only listing needs it, opening a store does not

    return calendar.timegm(when)


def _label(path: Path) -> str:
    parts = _NAME.fullmatch(path.name)
    return "" if parts is None else (parts["label"] or "")


def _open(path: Path, key: Key | None, *, write: bool) -> apsw.Connection:
    with translated(path):
        return open_copy(path, key, write=write)


def sync_file(path: Path) -> None:
    """Put the content of a file that nobody has open on the disk."""
    fd = os.open(path, os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _remove_leftovers(backups: Path) -> None:
    # Only the holder of the lock makes temporary files, so these belong to the dead.
    for leftover in backups.glob(".backup.*.tmp*"):
        leftover.unlink(missing_ok=True)
