"""What a file must be to be opened as a store: ours, whole, and of a known version."""

from __future__ import annotations

import json
import math
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import apsw

from realmemory.errors import StoreCorruptError, StoreError, StoreRefusedError
from realmemory.store import directory, migrations
from realmemory.store.connection import Access, connect, file_uri, unlock
from realmemory.store.failures import as_store_error
from realmemory.store.schema import APPLICATION_ID

if TYPE_CHECKING:
    from realmemory.store.paths import StorePaths

_HEADER = b"SQLite format 3\x00"
_PAGE = 4096
_FULL_HEADER = 100
_RANDOM_BITS_PER_BYTE = 7.0


class Mark(NamedTuple):
    """What the side file remembers of a store.

    ``rev`` is how far the store had come, ``in_file`` how far the file had without its log.
    """

    store_id: str
    rev: int
    in_file: int = 0


class Found(NamedTuple):
    """What stands in the folder: nothing yet (``version`` is 0), or a store of ours."""

    version: int
    store_id: str | None = None
    rev: int = 0


def inspect(paths: StorePaths, supported: int) -> Found:
    """Look at the file without changing a byte of it.

    Raises:
        StoreRefusedError: ``not_a_store``, ``foreign_db``, ``encrypted`` or ``newer_schema``.
        StoreCorruptError: The file is shorter than it was, or belongs to another store.
    """
    # In this order: whoever makes a store writes the file first, then its log, then its mark.
    mark = read_mark(paths)
    log = _wal_size(paths)
    size = paths.database.stat().st_size if paths.database.exists() else None
    if not size:
        if mark is not None or log:
            raise _truncated(paths, "missing" if size is None else "empty")
        return Found(0)
    # Before the log is looked at: the file never gets ahead of it.
    alone = _alone(paths) if log else None
    try:
        found = _identify(paths, supported)
    except StoreRefusedError as error:
        if error.code in {"not_a_store", "encrypted"}:
            raise _classify(paths, mark, size) from error
        raise
    except StoreCorruptError as error:
        expected = _expected_size(_read_head(paths))
        if size < expected:
            raise _truncated(paths, f"{size} bytes long instead of {expected}") from error
        raise
    # SQLite takes a file of less than a page for an empty one.
    if not found.version and (mark is not None or size < _PAGE):
        raise _classify(paths, mark, size)
    if mark is not None and found.store_id not in {None, mark.store_id}:
        raise StoreCorruptError(
            f"{paths.database} belongs to another store than its folder ({found.store_id} instead "
            f"of {mark.store_id}), or a foreign log was put beside it; it was left as it is. "
            f"Restore a backup; if you put the file there on purpose, delete {paths.mark}.",
            code="store_replaced",
        )
    if log and mark is not None:
        _check_log_belongs(paths, mark, alone, found)
    return found


def _check_log_belongs(paths: StorePaths, mark: Mark, alone: Mark | None, found: Found) -> None:
    """Refuse a file that another one was copied over while its log was not empty.

    SQLite would apply the log to it, and mix the pages of two states.
    """
    if alone is None:
        return
    if alone.store_id == mark.store_id and mark.in_file <= alone.rev <= found.rev:
        return
    raise StoreCorruptError(
        f"{paths.database} and the log beside it do not belong together: the file is of "
        f"{'another store' if alone.store_id != mark.store_id else f'rev {alone.rev}'}, the log "
        f"of rev {found.rev} of this one; both were left as they are. Restore a backup with "
        "`realmemory backup restore`, or save what both hold with `realmemory repair`.",
        code="store_replaced",
    )


def _alone(paths: StorePaths) -> Mark | None:
    try:
        return in_file(paths)
    except apsw.Error:
        return None


def in_file(paths: StorePaths) -> Mark | None:
    """Return what the database file says of itself without its log, ``None`` if nothing yet.

    Raises:
        apsw.Error: It cannot be read alone, as in the middle of a checkpoint.
    """
    flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(f"{file_uri(paths.database)}?immutable=1", flags=flags)
    try:
        unlock(connection, paths.key)
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'revision'").get is None:
            return None
        store_id, rev = _self_description(connection)
        return Mark(store_id or "", rev, rev)
    finally:
        connection.close(force=True)


def _self_description(connection: apsw.Connection) -> tuple[str | None, int]:
    statement = "SELECT (SELECT value FROM meta WHERE key = 'store_id'), rev FROM revision"
    store_id, rev = connection.execute(statement).get
    return None if store_id is None else str(store_id), int(rev)


def _identify(paths: StorePaths, supported: int) -> Found:
    connection = connect(paths, Access.READ_ONLY, busy_timeout_s=5.0)
    try:
        # One snapshot: another process may be making the store at this moment.
        connection.execute("BEGIN")
        application_id = connection.pragma("application_id")
        version = connection.pragma("user_version")
        names = {
            (str(kind), str(name))
            for kind, name in connection.execute("SELECT type, name FROM sqlite_schema")
        }
        if application_id == 0 and version == 0 and not names:
            return Found(0)
        _check_ours(paths, application_id, version, names, supported)
        return Found(version, *_self_description(connection))
    except apsw.Error as error:
        raise as_store_error(error, paths.database, connection) from error
    finally:
        connection.close(force=True)


def refuse_strangers(paths: StorePaths) -> None:
    """Refuse what must be neither judged nor repaired by this version, however damaged it is.

    Raises:
        StoreRefusedError: ``foreign_db``, ``newer_schema``, or ``encrypted`` with another key than
            the one that is at hand; ``not_a_store``: there is none.
        StoreCorruptError: There was one, and its file is gone.
    """
    if paths.are_unused():
        raise absent(paths)
    if not paths.database.exists():
        raise _truncated(paths, "missing")
    from realmemory.store import sealing  # noqa: PLC0415 - not for opening a store

    sealing.check_key(paths)
    application_id, version, tables = APPLICATION_ID, 0, set[str]()
    with suppress(apsw.Error, StoreError):
        connection = connect(paths, Access.READ_ONLY)
        try:
            application_id = int(connection.pragma("application_id"))
            version = int(connection.pragma("user_version"))
            names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            tables = {str(name) for (name,) in names}
        finally:
            connection.close(force=True)
    if application_id == APPLICATION_ID and version > migrations.newest():
        raise _newer(paths, version, migrations.newest())
    if application_id != APPLICATION_ID and tables and not tables & {"meta", "traces"}:
        raise _foreign(paths, application_id)


def absent(paths: StorePaths) -> StoreRefusedError:
    """Return the error of whoever wants to read where no store is."""
    return StoreRefusedError(
        f"there is no memory in {paths.directory}; nothing was made there. Check the path and the "
        "namespace; the first `realmemory remember` makes one.",
        code="not_a_store",
    )


def _foreign(paths: StorePaths, application_id: int) -> StoreRefusedError:
    return StoreRefusedError(
        f"{paths.database} is a database of another program (application id "
        f"{application_id:#x}); it was left as it is. Give another folder.",
        code="foreign_db",
    )


def _newer(paths: StorePaths, version: int, supported: int) -> StoreRefusedError:
    return StoreRefusedError(
        f"{paths.database} was written by a newer realMemory (schema {version}, this one knows "
        f"{supported}); it was left as it is. Run `pip install --upgrade realmemory`.",
        code="newer_schema",
    )


def _check_ours(
    paths: StorePaths,
    application_id: int,
    version: int,
    names: set[tuple[str, str]],
    supported: int,
) -> None:
    if application_id != APPLICATION_ID:
        raise _foreign(paths, application_id)
    if version > supported:
        raise _newer(paths, version, supported)
    strangers = sorted(name for kind, name in names if kind in {"trigger", "view"})
    if strangers:
        raise StoreRefusedError(
            f"{paths.database} holds triggers or views that are not ours ({strangers[0]}); it was "
            "left as it is, since opening it could run foreign code.",
            code="foreign_db",
        )


def _classify(paths: StorePaths, mark: Mark | None, size: int) -> StoreError:
    """Say what a file without a readable SQLite header is."""
    head = _read_head(paths)
    if mark is not None and (size < _PAGE or not any(head) or head.startswith(_HEADER)):
        return _truncated(paths, f"{size} bytes long")
    from realmemory.store import sealing  # noqa: PLC0415 - only for what cannot be read

    if sealing.is_sealed(paths.database) or _looks_encrypted(head, size):
        return sealing.unopened(paths.database, str(paths.directory), paths.key)
    remedy = (
        "Give another folder, or restore a backup with `realmemory backup restore`"
        if mark is None
        else "Its folder belongs to a store: save what the file still holds with "
        "`realmemory repair`, or restore a backup with `realmemory backup restore`"
    )
    return StoreRefusedError(
        f"{paths.database} is not a database; it was left as it is. {remedy}.",
        code="not_a_store",
    )


def _read_head(paths: StorePaths) -> bytes:
    # Through SQLite's own file layer, which keeps the locks of this process when it closes.
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        file = apsw.VFSFile("", str(paths.database), flags)
        try:
            return file.xRead(min(_PAGE, file.xFileSize()), 0)
        finally:
            file.xClose()
    except apsw.Error as error:
        raise as_store_error(error, paths.database) from error


def _expected_size(head: bytes) -> int:
    """Return the size that the header of a database states; a part of a header expects a page."""
    if len(head) < _FULL_HEADER or not head.startswith(_HEADER):
        return _PAGE
    page = int.from_bytes(head[16:18], "big")
    return int.from_bytes(head[28:32], "big") * (65536 if page == 1 else page)


def _looks_encrypted(head: bytes, size: int) -> bool:
    if len(head) < _PAGE or size % _PAGE or head.startswith(_HEADER):
        return False
    counts = Counter(head)
    entropy = -sum(n / len(head) * math.log2(n / len(head)) for n in counts.values())
    return entropy > _RANDOM_BITS_PER_BYTE


def _truncated(paths: StorePaths, state: str) -> StoreCorruptError:
    backups = sorted(paths.backups.glob("memory-*.db")) if paths.backups.is_dir() else []
    newest = f"The newest backup is {backups[-1]}." if backups else "There is no backup beside it."
    return StoreCorruptError(
        f"{paths.database} is {state}, but its folder belongs to a store that held memories; "
        f"nothing was changed. {newest} Restore it with `realmemory backup restore`; to start "
        f"over on purpose, delete the folder {paths.directory}.",
        code="truncated",
    )


def _wal_size(paths: StorePaths) -> int:
    return paths.wal.stat().st_size if paths.wal.exists() else 0


def read_mark(paths: StorePaths) -> Mark | None:
    """Return the side file's content; a missing or unreadable one counts as none."""
    try:
        data = json.loads(paths.mark.read_bytes())
        return Mark(str(data["store_id"]), int(data["rev"]), int(data.get("in_file", 0)))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_mark(paths: StorePaths, mark: Mark, *, durable: bool = False) -> None:
    """Remember which store this is and how far it has come."""
    content = json.dumps(mark._asdict()).encode()
    directory.write_atomically(paths.mark, content, durable=durable)
