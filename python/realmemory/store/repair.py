"""Making a sound store out of a damaged one: into a new file, the old one kept beside it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from realmemory.config import MemoryConfig
from realmemory.errors import StoreCorruptError, StoreError
from realmemory.store import backups, directory, migrations, opening, restoring
from realmemory.store.connection import Access, connect
from realmemory.store.failures import as_store_error, translated
from realmemory.store.index_rows import INDEXED_TEXT
from realmemory.store.lock import WriteLock
from realmemory.store.meta import CONFIG, STORE_ID, MetaWrites
from realmemory.store.paths import StorePaths
from realmemory.store.row_hash import TRACE_HASH_SQL, VARIANT_HASH_SQL, register
from realmemory.store.salvage import KEYED_TABLES, ROWID_TABLES, Salvage
from realmemory.store.session import Session
from realmemory.store.uids import new_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from realmemory.clock import Clock

# Parents first, so that a row whose parent is lost can be told at once.
_ORDER = ("meta", *ROWID_TABLES, *(name for name in KEYED_TABLES if name != "meta"))
_REFERENCES = (
    ("variants", "trace_id"),
    ("passages", "trace_id"),
    ("usage", "trace_id"),
    ("links", "src"),
    ("links", "dst"),
    ("eligibility", "src"),
    ("eligibility", "dst"),
)
_ORPHANS = (
    *(f"DELETE FROM {t} WHERE {c} NOT IN (SELECT id FROM traces)" for t, c in _REFERENCES),
    "UPDATE traces SET superseded_by = NULL WHERE superseded_by NOT IN (SELECT id FROM traces)",
)


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair saved.

    ``quarantined`` are rows that did not match their hash: kept, but out of recall until someone
    has looked at them. ``lost_rows`` counts rows of any table that could not be read.
    """

    traces: int
    quarantined: tuple[int, ...]
    lost_rows: int
    kept: Path | None


def repair(
    folder: Path,
    *,
    clock: Clock,
    analyse: Callable[[str], str],
    busy_timeout_s: float = 30.0,
) -> RepairReport:
    """Save every readable row into a new database and put it in place of the damaged one.

    Args:
        folder: The folder of the store.
        clock: Tells the time in the name of the kept file.
        analyse: Text to terms; the full-text index is made anew.
        busy_timeout_s: Longest wait for the write lock.

    Raises:
        StoreCorruptError: Nothing can be read; the message names the newest backup.
        StoreBusyError: Someone reads or writes the store.
        StoreRefusedError: A newer version wrote it, or another program.
    """
    paths = StorePaths(folder.absolute())
    opening.refuse_strangers(paths)
    directory.prepare(paths, read_only=False)
    lock = WriteLock(paths.directory)
    with translated(paths.database):
        lock.acquire(busy_timeout_s)
        try:
            directory.remove_leftovers(paths)
            return _repair(paths, clock, analyse)
        finally:
            lock.release()
            lock.close()


def _repair(paths: StorePaths, clock: Clock, analyse: Callable[[str], str]) -> RepairReport:
    temporary = paths.directory / f".repair.{os.getpid()}.tmp"
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        lost, quarantined, traces = _rebuild(paths, temporary, clock, analyse)
        backups.verify(temporary, full=True)
        report = restoring.install(paths, temporary, clock)
    finally:
        temporary.unlink(missing_ok=True)
    return RepairReport(traces, quarantined, lost, report.kept)


def _rebuild(
    paths: StorePaths, target: Path, clock: Clock, analyse: Callable[[str], str]
) -> tuple[int, tuple[int, ...], int]:
    try:
        damaged = connect(paths, Access.WRITE)
    except StoreError as error:
        raise _hopeless(paths, error) from error
    fresh = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        register(fresh)
        fresh.pragma("journal_mode", "OFF")
        fresh.execute("BEGIN IMMEDIATE")
        for step in migrations.STEPS:
            migrations.apply(fresh, step)
        lost = sum(_copy(damaged, fresh, table) for table in _ORDER)
        session = Session(fresh, clock)
        traces = session.insert("SELECT count(*) FROM traces")
        if not traces and lost:
            raise _hopeless(paths, None)
        _settle(session, paths)
        quarantined = _seal(session)
        _index(session, analyse)
        fresh.execute("COMMIT")
    except apsw.Error as error:
        raise as_store_error(error, target, fresh) from error
    finally:
        fresh.close(force=True)
        damaged.close(force=True)
    return lost, quarantined, traces


def _hopeless(paths: StorePaths, error: StoreError | None) -> StoreCorruptError:
    newest = backups.every(paths)
    remedy = (
        f"Restore the newest backup with `realmemory backup restore {newest[-1].path}`."
        if newest
        else "There is no backup beside it."
    )
    detail = "" if error is None else f" ({error.code})"
    return StoreCorruptError(
        f"no memory can be read from {paths.database}{detail}; it was left as it is. {remedy}"
    )


def _copy(damaged: apsw.Connection, fresh: apsw.Connection, table: str) -> int:
    """Copy the readable rows of one table and return how many were lost."""
    columns = tuple(str(row[1]) for row in fresh.execute(f"PRAGMA table_info({table})"))
    names = ", ".join(f'"{name}"' for name in columns)
    places = ", ".join("?" for _ in columns)
    insert = f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})"
    salvage = Salvage(damaged, table, columns)
    refused = 0
    for row in salvage.rows():
        try:
            fresh.execute(insert, row)
        except (apsw.ConstraintError, apsw.MismatchError):
            # A flipped bit made a value that the schema does not allow.
            refused += 1
    return salvage.gaps + refused


def _settle(session: Session, paths: StorePaths) -> None:
    """Mend what several tables say about each other."""
    mark = opening.read_mark(paths)
    meta = MetaWrites(session)
    if meta.get(STORE_ID) is None or (mark is not None and meta.get(STORE_ID) != mark.store_id):
        meta.set(STORE_ID, new_uid(session.clock.now()) if mark is None else mark.store_id)
    if not _is_config(meta.get(CONFIG)):
        meta.set_config(MemoryConfig())
    session.run(
        "INSERT OR IGNORE INTO scopes (id, name, key) "
        "SELECT DISTINCT scope_id, 'recovered-' || scope_id, 'recovered.' || scope_id "
        "FROM traces WHERE scope_id NOT IN (SELECT id FROM scopes)"
    )
    session.run(
        "UPDATE traces SET embedding = NULL, space_id = NULL "
        "WHERE space_id NOT IN (SELECT id FROM spaces)"
    )
    newest = session.insert("SELECT max(coalesce(max(rev), 0), 0) FROM traces")
    session.run("UPDATE revision SET rev = ?", (max(newest, 0 if mark is None else mark.rev),))


def _is_config(stored: str | None) -> bool:
    try:
        MemoryConfig.from_snapshot(json.loads(stored or ""))
    except (ValueError, TypeError):
        return False
    return True


def _seal(session: Session) -> tuple[int, ...]:
    """Quarantine rows that do not match their hash, then make every hash match."""
    damaged = _ids(session, f"SELECT id FROM traces WHERE row_hash IS NOT {TRACE_HASH_SQL}")
    for trace_id in damaged:
        session.run("UPDATE traces SET status = 'quarantined' WHERE id = ?", (trace_id,))
    for statement in _ORPHANS:
        session.run(statement)
    session.run(f"UPDATE traces SET row_hash = {TRACE_HASH_SQL}")
    session.run(f"UPDATE variants SET row_hash = {VARIANT_HASH_SQL}")
    return damaged


def _index(session: Session, analyse: Callable[[str], str]) -> None:
    rows: Sequence[tuple[Any, ...]] = session.all(f"SELECT t.id, {INDEXED_TEXT} FROM traces t")
    for trace_id, text in rows:
        session.run("INSERT INTO fts (rowid, terms) VALUES (?, ?)", (trace_id, analyse(text)))


def _ids(session: Session, sql: str) -> tuple[int, ...]:
    return tuple(int(row[0]) for row in session.all(sql))
