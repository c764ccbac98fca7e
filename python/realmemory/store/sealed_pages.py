"""The pages of an encrypted database that may be damaged, in the clear and in memory only.

The engine reads no further than to the first page that was changed on the disk. So a page that
cannot be read is replaced, in a copy, by one that can, and then counts as empty: one damaged page
costs itself and nothing else, as in a database in the clear.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING

import apsw

from realmemory.store import sealing
from realmemory.store.connection import copy_bytes, open_copy
from realmemory.store.failures import as_store_error

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths

_PAGE = 4096
_CHUNK = 1 << 20


def decrypted(paths: StorePaths, key: Key) -> bytes:
    """Return the whole file with its log, unreadable pages as zeros; the caller holds the lock.

    Raises:
        StoreRefusedError: ``encrypted``; not one page can be read with the key.
        StoreError: Reading or writing failed.
    """
    copy = paths.directory / f".repair.{os.getpid()}.tmp-sealed"
    spare, scratch = (copy.with_name(f"{copy.name}-{name}") for name in ("spare", "scratch"))
    with ExitStack() as stack:
        for made in (copy, spare, scratch):
            for suffix in ("", "-wal", "-shm"):
                stack.callback(made.with_name(made.name + suffix).unlink, missing_ok=True)
        try:
            copy.touch(mode=0o600)
            copy_bytes(paths.database, copy)
            if paths.wal.exists():
                shutil.copyfile(paths.wal, copy.with_name(f"{copy.name}-wal"))
            return _readable(copy, spare, scratch, key)
        except apsw.NotADBError as error:
            raise sealing.unopened(paths.database, str(paths.directory), None) from error
        except apsw.Error as error:
            raise as_store_error(error, paths.database) from error


def _readable(copy: Path, spare: Path, scratch: Path, key: Key) -> bytes:
    bad: set[int] = set()
    pages = -(-copy.stat().st_size // _PAGE)
    while (number := _first_bad(copy, scratch, key)) is not None:
        if number in bad or len(bad) >= pages:
            raise apsw.NotADBError
        if not bad:
            _make_spare(spare, pages, key)
        bad.add(number)
        _replace(copy, spare, number)
    connection = _opened(copy, key)
    try:
        content = bytearray(connection.serialize("main"))
    finally:
        connection.close(force=True)
    for number in bad:
        start = (number - 1) * _PAGE
        content[start : start + _PAGE] = bytes(len(content[start : start + _PAGE]))
    # A replaced first page brought the length of the file that it was taken from.
    return bytes(content[: pages * _PAGE] if 1 in bad else content)


def _opened(path: Path, key: Key) -> apsw.Connection:
    connection = apsw.Connection(str(path.absolute()), flags=apsw.SQLITE_OPEN_READWRITE)
    sealing.unlock(connection, key)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _first_bad(copy: Path, scratch: Path, key: Key) -> int | None:
    """Return the number of the first page that cannot be read, ``None`` if all can."""
    scratch.unlink(missing_ok=True)
    scratch.touch(mode=0o600)
    source, target = _opened(copy, key), open_copy(scratch, key, write=True)
    done = 0
    try:
        target.pragma("journal_mode", "OFF")
        target.pragma("synchronous", "OFF")
        with target.backup("main", source, "main") as steps:
            while not steps.step(1):
                done += 1
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError):
        return done + 1
    else:
        return None
    finally:
        target.close(force=True)
        source.close(force=True)


def _make_spare(spare: Path, pages: int, key: Key) -> None:
    """Make a file of the same key with at least so many pages, each readable in its place."""
    spare.touch(mode=0o600)
    connection = open_copy(spare, key, write=True)
    try:
        connection.pragma("journal_mode", "OFF")
        connection.execute("CREATE TABLE filler (bytes)")
        for _ in range(0, pages, _CHUNK // _PAGE):
            connection.execute("INSERT INTO filler VALUES (zeroblob(?))", (_CHUNK,))
    finally:
        connection.close(force=True)


def _replace(copy: Path, spare: Path, number: int) -> None:
    start = (number - 1) * _PAGE
    with spare.open("rb") as source, copy.open("r+b") as target:
        source.seek(start)
        target.seek(start)
        target.write(source.read(_PAGE))
        if number == 1:
            # It states how many pages there are, so there have to be as many.
            source.seek(target.seek(0, os.SEEK_END))
            shutil.copyfileobj(source, target)
