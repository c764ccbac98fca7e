"""Making a sound store out of a damaged one: into a new file, the old one kept beside it."""

from __future__ import annotations

import json
import mmap
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from realmemory.config import MemoryConfig
from realmemory.errors import StoreCorruptError, StoreError, StoreRefusedError
from realmemory.store import backups, directory, layout, migrations, opening, restoring, sealing
from realmemory.store.connection import Access, connect, copy_bytes, open_copy
from realmemory.store.failures import as_store_error, translated
from realmemory.store.index_rows import INDEXED_TEXT
from realmemory.store.lock import WriteLock
from realmemory.store.meta import CONFIG, STORE_ID, MetaWrites
from realmemory.store.pages import PageFile
from realmemory.store.paths import StorePaths
from realmemory.store.row_hash import TRACE_HASH_SQL, VARIANT_HASH_SQL, register
from realmemory.store.salvage import TABLES, Salvage
from realmemory.store.session import Session
from realmemory.store.uids import new_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from realmemory import keys
    from realmemory.clock import Clock
    from realmemory.store.layout import Key, Row, Table

_GAP = 1_000_000
"""Rows by which a counter may be ahead of every row that is known; more is damage."""
_REPEATED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "scopes": lambda values: {"name": values["key"]},
    "spaces": lambda _: {"created_at": 0.0},
}
"""What the index of a table does not say: without its scope or space a memory is hard to find."""
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
    has looked at them. ``lost_rows`` counts rows of any table that could not be read; where nothing
    tells how many stood on a page, it counts as one. ``lost_traces`` are the memories among them,
    as far as anything else names them.
    """

    traces: int
    quarantined: tuple[int, ...]
    lost_rows: int
    lost_traces: tuple[int, ...]
    kept: Path | None


class _Lost(NamedTuple):
    """What was not saved of a table: how many rows, and the keys that are known."""

    rows: int
    keys: tuple[Key, ...]


def repair(
    folder: Path,
    *,
    clock: Clock,
    analyse: Callable[[str], str],
    busy_timeout_s: float = 30.0,
    key: keys.Key | str | None = None,
) -> RepairReport:
    """Save every readable row into a new database and put it in place of the damaged one.

    Args:
        folder: The folder of the store.
        clock: Tells the time in the name of the kept file.
        analyse: Text to terms; the full-text index is made anew.
        busy_timeout_s: Longest wait for the write lock.
        key: Opens an encrypted store, whose pages are then held in memory at once; see
            :func:`realmemory.store.sealing.key_for`.

    Raises:
        StoreCorruptError: Nothing can be read; the message names the newest backup.
        StoreBusyError: Someone reads or writes the store.
        StoreRefusedError: A newer version wrote it, or another program.
    """
    paths = StorePaths.unlocked(folder, key)
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
    with _temporary(paths, "") as target:
        with _pages(paths) as pages:
            saved = _rebuild(paths, pages, target, clock, analyse)
        backups.verify(target, full=True, key=paths.key)
        kept = restoring.install(paths, target, clock).kept
    return RepairReport(*saved, kept)


@contextmanager
def _pages(paths: StorePaths) -> Iterator[PageFile]:
    if paths.key is not None:
        from realmemory.store import sealed_pages  # noqa: PLC0415 - few stores are encrypted

        yield PageFile(sealed_pages.decrypted(paths, paths.key), sealing.RESERVED)
        return
    with _temporary(paths, "-pages") as copy:
        _copy_pages(paths, copy)
        with _mapped(copy) as pages:
            yield pages


@contextmanager
def _temporary(paths: StorePaths, suffix: str) -> Iterator[Path]:
    path = paths.directory / f".repair.{os.getpid()}.tmp{suffix}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _copy_pages(paths: StorePaths, target: Path) -> None:
    """Copy the pages as they are, those in the log included, whatever they hold."""
    try:
        _copy_by_engine(paths, target)
    except (StoreCorruptError, StoreRefusedError) as error:
        # The engine takes no file whose header is gone. Without a log, the file is all there is.
        if paths.wal.exists() and paths.wal.stat().st_size:
            raise _hopeless(paths, error) from error
        copy_bytes(paths.database, target)


def _copy_by_engine(paths: StorePaths, target: Path) -> None:
    damaged = connect(paths, Access.WRITE)
    copy = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        copy.pragma("synchronous", "OFF")
        with copy.backup("main", damaged, "main") as steps:
            steps.step(-1)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise as_store_error(error, paths.database, damaged) from error
    except apsw.Error as error:
        raise as_store_error(error, target, copy) from error
    finally:
        copy.close(force=True)
        damaged.close(force=True)


@contextmanager
def _mapped(path: Path) -> Iterator[PageFile]:
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield PageFile(b"")
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield PageFile(content)


def _rebuild(
    paths: StorePaths, pages: PageFile, target: Path, clock: Clock, analyse: Callable[[str], str]
) -> tuple[int, tuple[int, ...], int, tuple[int, ...]]:
    fresh = open_copy(target, paths.key, write=True)
    try:
        register(fresh)
        fresh.pragma("journal_mode", "OFF")
        fresh.execute("BEGIN IMMEDIATE")
        for step in migrations.STEPS:
            migrations.apply(fresh, step)
        salvage = Salvage(pages)
        lost = {name: _copy(salvage, layout.table(fresh, name), fresh) for name in TABLES}
        session = Session(fresh, clock)
        traces = session.insert("SELECT count(*) FROM traces")
        rows = sum(each.rows for each in lost.values())
        if not traces and rows:
            raise _hopeless(paths, None)
        # First, since whatever is mended between the tables changes rows that are sound.
        damaged = _ids(session, f"SELECT id FROM traces WHERE row_hash IS NOT {TRACE_HASH_SQL}")
        _settle(session, paths)
        _seal(session, damaged)
        _index(session, analyse)
        fresh.execute("COMMIT")
    except apsw.Error as error:
        raise as_store_error(error, target, fresh) from error
    finally:
        fresh.close(force=True)
    ids = tuple(int(key[0]) for key in lost["traces"].keys)
    return traces, damaged, rows, ids


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


def _copy(salvage: Salvage, table: Table, fresh: apsw.Connection) -> _Lost:
    """Copy the readable rows of one table and return what was lost."""
    found = salvage.rows(table)
    saved: set[Key] = set()
    doubtful: list[Row] = []
    refused = 0
    for row in found.read():
        if not table.is_sealed(row):
            doubtful.append(row)
        elif table.key_of(row) not in saved:
            refused += not _insert(fresh, table, row, saved)
    evidence = salvage.evidence(table, saved)
    for row in doubtful:
        # Its rowid may be as wrong as the rest: it must neither displace a row nor be made up.
        if table.key_of(row) not in saved and evidence.names(table.key_of(row)):
            _insert(fresh, table, row, saved)
    gone = tuple(sorted(evidence.missing() - saved))
    if table.name in _REPEATED:
        _remake(salvage, table, fresh, gone)
    _keep_count(salvage, table, fresh, [*saved, *gone])
    unread = 0 if evidence.is_sound else found.bad + refused
    return _Lost(max(len(gone), unread), gone)


def _remake(salvage: Salvage, table: Table, fresh: apsw.Connection, gone: Sequence[Key]) -> None:
    """Make the rows on which memories hang from what their index repeats of them."""
    for values in salvage.repeated(table, gone):
        known = {**_REPEATED[table.name](values), **values}
        rowid = int(known.pop("id"))
        row = table.row(rowid, [known.get(name) for name in table.columns])
        if row is not None:
            _insert(fresh, table, row, set())


def _insert(fresh: apsw.Connection, table: Table, row: Row, saved: set[Key]) -> bool:
    """Insert one row, unless a flipped bit made a value that the schema does not allow."""
    names = ", ".join(f'"{name}"' for name in table.columns)
    places = ", ".join("?" for _ in table.columns)
    try:
        fresh.execute(f"INSERT INTO {table.name} ({names}) VALUES ({places})", row)
    except (apsw.ConstraintError, apsw.MismatchError):
        return False
    saved.add(table.key_of(row))
    return True


def _keep_count(salvage: Salvage, table: Table, fresh: apsw.Connection, keys: list[Key]) -> None:
    """Go on counting where the damaged store was: a number of a lost row is not given again."""
    if table.rowid is None or not keys:
        return
    known = max(int(key[0]) for key in keys)
    stored = salvage.sequence(table)
    largest = max(known, stored if stored <= known + _GAP else 0)
    fresh.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (largest, table.name))


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


def _seal(session: Session, damaged: Iterable[int]) -> None:
    """Quarantine rows that did not match their hash, then make every hash match."""
    for trace_id in damaged:
        session.run("UPDATE traces SET status = 'quarantined' WHERE id = ?", (trace_id,))
    for statement in _ORPHANS:
        session.run(statement)
    session.run(f"UPDATE traces SET row_hash = {TRACE_HASH_SQL}")
    session.run(f"UPDATE variants SET row_hash = {VARIANT_HASH_SQL}")


def _index(session: Session, analyse: Callable[[str], str]) -> None:
    rows: Sequence[tuple[Any, ...]] = session.all(f"SELECT t.id, {INDEXED_TEXT} FROM traces t")
    for trace_id, text in rows:
        session.run("INSERT INTO fts (rowid, terms) VALUES (?, ?)", (trace_id, analyse(text)))


def _ids(session: Session, sql: str) -> tuple[int, ...]:
    return tuple(int(row[0]) for row in session.all(sql))
