"""Erasing for good: no byte of the text stays in the file, its log or, on request, its backups."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

import apsw

from realmemory.errors import StoreError
from realmemory.store import backups
from realmemory.store.connection import open_copy
from realmemory.store.directory import sync_directory
from realmemory.store.failures import as_store_error, translated
from realmemory.store.records import EraseReceipt
from realmemory.store.row_hash import register
from realmemory.store.schema import APPLICATION_ID
from realmemory.store.sealing import is_sealed
from realmemory.store.session import Session
from realmemory.store.transactions import WriteTx

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from realmemory.keys import Key
    from realmemory.store.store import Store

_NEEDLE = 48
_CHUNK = 1 << 20


def erase(
    store: Store,
    ids: Iterable[int],
    *,
    rewrite_backups: bool = False,
    beside: Callable[[WriteTx], None] = lambda _: None,
) -> EraseReceipt:
    """Delete traces so that their text is in no file of the folder.

    Args:
        store: The store.
        ids: The traces; unknown ones are skipped.
        rewrite_backups: Erase them from the backups as well; without it the receipt names the
            copies that still hold them.
        beside: What else belongs to the transaction that deletes them.

    Raises:
        StoreError: As for any write; nothing was deleted. With the code ``erase_unfinished`` the
            traces are gone from recall, but copies of their text may stand in the folder; the
            same call again finishes.
    """
    asked = sorted(set(ids))
    with store.write() as tx:
        beside(tx)
        found = tx.traces.get_many(asked)
        texts = [trace.text for trace in found.values()]
        texts += [v.text for kept in tx.variants.of_many(asked).values() for v in kept]
        # What was deleted before may still stand in a backup.
        buried = tx.traces.uids_of_deleted(asked)
        stones = tx.traces.delete(asked)
        # Deleted rows leave their terms in the full-text index until its parts are merged.
        tx.search.optimise()
    uids = [*buried, *(stone.uid for stone in stones)]
    try:
        _drop_derived(store)
        # What an earlier call deleted is not known any more, so it cannot be looked for.
        emptied = _emptied(store, texts, rebuild=bool(buried))
        remaining, rewritten = _in_copies(store, uids, rewrite=rewrite_backups)
    except StoreError as error:
        # Only what happened: that "nothing was stored" is not true of this call.
        cause = str(error).partition(";")[0]
        raise type(error)(
            "the memories are deleted, but their text may still stand in files of the folder: "
            f"{cause}. Everything else is unharmed; mend that, then the same call again finishes "
            "the erasing.",
            code="erase_unfinished",
        ) from error
    return EraseReceipt(
        tuple(stone.id for stone in stones), tuple(remaining), tuple(rewritten), emptied
    )


def _emptied(store: Store, texts: Sequence[str], *, rebuild: bool) -> bool:
    """Free the database file of deleted bytes; return whether the log could be emptied."""
    emptied = store.checkpoint().emptied
    # What stands in an encrypted file cannot be looked for, so it is always rebuilt.
    rebuild = rebuild or (store.paths.key is not None and bool(texts))
    if emptied and (rebuild or _holds(store.paths.database, _needles(texts))):
        # Rebalanced pages may keep stale bytes behind their cells; a rebuilt file has none.
        store.vacuum()
        emptied = store.checkpoint().emptied
    return emptied


def _in_copies(store: Store, uids: Sequence[str], *, rewrite: bool) -> tuple[list[str], list[str]]:
    """Return the copies that still hold traces, and those that were rewritten without them."""
    remaining: list[str] = []
    rewritten: list[str] = []
    # A backup that is being made at this moment may hold the text as well.
    alone = backups.alone(store.paths) if store.paths.backups.is_dir() else nullcontext()
    with translated(store.paths.database), alone:
        for copy in _copies(store):
            if not _has_any(copy, uids, store.paths.key):
                continue
            if rewrite and copy.parent == store.paths.backups:
                _rewrite(copy, uids, store)
                rewritten.append(str(copy))
            else:
                remaining.append(str(copy))
    return remaining, rewritten


def _drop_derived(store: Store) -> None:
    """Delete the snapshots of the index, which hold words of the text; they are built anew."""
    folder = store.paths.index
    for path in folder.iterdir() if folder.is_dir() else ():
        # Windows keeps a file that some process has mapped; it goes when that process closes.
        with suppress(OSError):
            path.unlink()


def _copies(store: Store) -> list[Path]:
    """Return every other file in the folder that may hold rows of this store."""
    beside = sorted(store.directory.glob("memory-*.db"))
    return [info.path for info in backups.every(store.paths)] + beside


def _has_any(copy: Path, uids: Sequence[str], key: Key | None) -> bool:
    try:
        connection = open_copy(copy, key, write=False)
    except (apsw.Error, StoreError):
        return True
    try:
        if connection.pragma("application_id") != APPLICATION_ID:
            return False
        return any(
            connection.execute("SELECT 1 FROM traces WHERE uid = ?", (uid,)).get for uid in uids
        )
    except apsw.Error:
        # What cannot be read may still hold the text: it is named rather than passed over.
        return True
    finally:
        connection.close(force=True)


def _rewrite(backup: Path, uids: Sequence[str], store: Store) -> None:
    temporary = backup.with_name(f".backup.{os.getpid()}.tmp")
    with translated(backup):
        temporary.unlink(missing_ok=True)
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _copy_without(backup, temporary, uids, store)
        backups.verify(temporary, key=store.paths.key)
        with translated(backup):
            backups.sync_file(temporary)
            temporary.replace(backup)
            sync_directory(backup.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _copy_without(backup: Path, target: Path, uids: Sequence[str], store: Store) -> None:
    connection = open_copy(backup, store.paths.key, write=False)
    # A copy is encrypted if and only if what it is made of is.
    copy = open_copy(target, store.paths.key if is_sealed(backup) else None, write=True)
    try:
        with copy.backup("main", connection, "main") as steps:
            steps.step(-1)
        copy.pragma("journal_mode", "OFF")
        copy.pragma("foreign_keys", "ON")
        register(copy)
        session = Session(copy, store.clock)
        tx = WriteTx(session)
        copy.execute("BEGIN IMMEDIATE")
        found = (tx.traces.id_of_uid(uid) for uid in uids)
        tx.traces.delete([trace_id for trace_id in found if trace_id is not None])
        tx.search.optimise()
        copy.execute("COMMIT")
        session.finish()
        copy.execute("VACUUM")
    except apsw.Error as error:
        raise as_store_error(error, backup, copy) from error
    finally:
        copy.close(force=True)
        connection.close(force=True)


def _needles(texts: Iterable[str]) -> list[bytes]:
    """Return the start and the end of each text that is long enough to be told from chance."""
    raw = [text.encode() for text in texts]
    return [part for text in raw for part in (text[:_NEEDLE], text[-_NEEDLE:]) if len(part) > 8]


def _holds(database: Path, needles: Sequence[bytes]) -> bool:
    """Return whether the bytes of the file hold one of the needles.

    Read through SQLite's own file layer, which keeps this process's locks.
    """
    if not needles:
        return False
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        file = apsw.VFSFile("", str(database), flags)
        try:
            size, place = file.xFileSize(), 0
            while place < size:
                chunk = file.xRead(min(_CHUNK, size - place), place)
                if any(needle in chunk for needle in needles):
                    return True
                if place + len(chunk) >= size:
                    return False
                place += len(chunk) - _NEEDLE
        finally:
            file.xClose()
    except apsw.Error as error:
        raise as_store_error(error, database) from error
    return False
