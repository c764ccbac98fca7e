"""The store: one SQLite file in one folder, for any number of processes and threads."""

from __future__ import annotations

import os
import time
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from realmemory.clock import SystemClock
from realmemory.errors import StoreError
from realmemory.store import directory, failures, log_readers, migrations, opening
from realmemory.store.connection import Access
from realmemory.store.failures import translated, translated_sql
from realmemory.store.file_watch import FileWatch
from realmemory.store.lock import WriteLock
from realmemory.store.meta import STORE_ID
from realmemory.store.paths import StorePaths
from realmemory.store.readers import ReaderPool
from realmemory.store.records import Durability, WalState
from realmemory.store.session import Session
from realmemory.store.transactions import ReadView, WriteTx
from realmemory.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    import apsw

    from realmemory.clock import Clock
    from realmemory.config import MemoryConfig
    from realmemory.keys import Key
    from realmemory.store.log_readers import LogHold
    from realmemory.store.records import BackupInfo, EraseReceipt
    from realmemory.store.verification import VerifyReport

WAL_LIMIT = 4 * 1024 * 1024
"""Bytes of the write-ahead log from which the writer that finds it so empties it."""

_open_stores: weakref.WeakSet[Store] = weakref.WeakSet()
# Connections that came through a fork. Closing them would act on the parent's files.
_inherited: list[apsw.Connection] = []


class Store:
    """An open store; make one with :meth:`open`.

    Reading never waits for a writer. Writing waits its turn: threads in order of arrival, then
    processes in order of arrival, at most ``busy_timeout_s``.
    """

    def __init__(
        self,
        paths: StorePaths,
        *,
        clock: Clock,
        read_only: bool,
        busy_timeout_s: float,
    ) -> None:
        self.paths = paths
        self.read_only = read_only
        self.clock = clock
        self.busy_timeout_s = busy_timeout_s
        self._pid = os.getpid()
        self._closed = False
        self._lock = WriteLock(paths.directory)
        access = Access.READ_ONLY if read_only else Access.READ
        self._readers = ReaderPool(paths, access, busy_timeout_s)
        self._writer = Writer(paths, clock)
        self._watch: FileWatch | None = None
        self._last_rev = 0
        self._marked_rev = 0
        self._wrote = False
        self._checkpoint_at = WAL_LIMIT
        self._known: tuple[int, dict[Hashable, object]] = (-1, {})
        self._log_left: int | None = None
        self.store_id = ""

    @classmethod
    def open(
        cls,
        directory: Path,
        *,
        config: MemoryConfig | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
        busy_timeout_s: float = 30.0,
        key: Key | str | None = None,
    ) -> Self:
        """Open the store in ``directory``, making it when there is none.

        Args:
            directory: The folder; missing parents are made.
            config: Stored with a new store; an existing one keeps its own (see :attr:`config`).
            clock: Tells the time of what is written; the system's by default.
            read_only: Write nothing, not even a new store.
            busy_timeout_s: Longest wait for the write lock.
            key: Opens an encrypted store and makes a new one encrypted; see
                :func:`realmemory.store.sealing.key_for`.

        Raises:
            StoreRefusedError: The path holds something that must not be opened.
            StoreReadOnlyError: The folder cannot be written and ``read_only`` is false.
            StoreCorruptError: The file is shorter than it was, or damaged.
            StoreError: Anything else that the file system or the database says.
        """
        paths = StorePaths.unlocked(directory, key)
        store = cls(
            paths,
            clock=clock or SystemClock(),
            read_only=read_only,
            busy_timeout_s=busy_timeout_s,
        )
        try:
            with translated(paths.database):
                store._open(config)
        except BaseException:
            store.close()
            raise
        _open_stores.add(store)
        return store

    def _open(self, config: MemoryConfig | None) -> None:
        directory.prepare(self.paths, read_only=self.read_only)
        found = opening.inspect(self.paths, migrations.newest())
        if found.version < migrations.newest():
            from realmemory.store import creation  # noqa: PLC0415 - most processes never need it, and all would pay for it

            if self.read_only:
                raise creation.missing(self.paths, found.version)
            self._lock.acquire(self.busy_timeout_s)
            try:
                creation.bring_up_to_date(self.paths, config, self.clock)
            finally:
                self._lock.release()
        mark = opening.read_mark(self.paths)
        self._watch = FileWatch(self.paths)
        with self.read() as view:
            self.store_id = view.meta.get(STORE_ID) or ""
            self._last_rev = view.rev()
            self._config = view.meta.config()
        known = 0 if mark is None else mark.in_file
        # Without a log the file says itself how far it is: somebody may have put a copy in place.
        self._watch.rev_in_file = known if self.wal_size() else self._last_rev
        if self.read_only:
            return
        if self.paths.key is not None and not self.paths.seal.exists():
            from realmemory.store import sealing  # noqa: PLC0415 - most stores are not encrypted

            sealing.write_seal(self.paths, self.paths.key)
        if mark is None:
            self._mark()
        elif self._watch.rev_in_file < known:
            with suppress(OSError):
                opening.write_mark(self.paths, mark._replace(in_file=self._watch.rev_in_file))

    @property
    def directory(self) -> Path:
        """The folder of the store."""
        return self.paths.directory

    @property
    def config(self) -> MemoryConfig:
        """The configuration that is stored with the database, as of the opening."""
        return self._config

    def reconfigure(self, config: MemoryConfig) -> None:
        """Store another configuration for this and every later opening."""
        with self.write() as tx:
            tx.meta.set_config(config)
            tx.traces.refresh_fading()
        self._config = config

    @contextmanager
    def read(self) -> Iterator[ReadView]:
        """Open one consistent snapshot; the block sees none of the writes that follow.

        Raises:
            StoreError: The handle came through a fork (``forked_handle``), is closed
                (``closed``), or the file was replaced (``store_replaced``).
        """
        self._check_usable()
        with translated(self.paths.database):
            connection = self._readers.take()
        session = Session(connection, self.clock)
        sound = True
        try:
            with translated_sql(self.paths.database, connection):
                connection.execute("BEGIN")
                # The snapshot starts at the first read, not at BEGIN.
                session.share(self._known_at(session.rev()))
                yield ReadView(session)
        except StoreError:
            sound = False
            raise
        finally:
            session.finish()
            self._readers.give_back(connection, sound=sound)

    @contextmanager
    def write(self, durability: Durability | str = Durability.FULL) -> Iterator[WriteTx]:
        """Open a write transaction; it commits when the block ends and rolls back on an error.

        Args:
            durability: ``full`` for everything that is acknowledged; ``lazy`` only for counters
                and the journal, which a power loss may take back.

        Raises:
            StoreBusyError: Others held the lock for longer than the wait.
            StoreFullError: The disk is full; nothing was stored.
            StoreReadOnlyError: The store was opened read-only.
            StoreError: As :meth:`read`; with the code ``unknown_outcome`` the commit may or may
                not be stored.
        """
        kind = Durability(durability)
        deadline = time.monotonic() + self.busy_timeout_s
        with self._exclusive() as writer:
            session = writer.begin(kind, deadline)
            self._check_content(session)
            yield WriteTx(session)
            session.finish()
            writer.commit()
            if session.bumped is not None:
                self._last_rev = session.bumped
                self._wrote = True
            self._checkpoint_when_due(writer)

    @contextmanager
    def _exclusive(self) -> Iterator[Writer]:
        self._check_usable()
        if self.read_only:
            raise failures.opened_read_only(self.paths.database)
        with translated(self.paths.database):
            self._lock.acquire(self.busy_timeout_s)
        writer = self._writer
        try:
            self._check_file()
            if self._watch is not None:
                self._watch.vet(self.store_id)
            with translated_sql(self.paths.database, writer.connection()):
                yield writer
        except BaseException as error:
            writer.abort(error)
            raise
        finally:
            self._lock.release()

    def _known_at(self, rev: int) -> dict[Hashable, object]:
        """Return where views of a rev keep what is the same for all of them."""
        at, known = self._known
        if at != rev:
            known = {}
            self._known = (rev, known)
        return known

    def _check_usable(self) -> None:
        if os.getpid() != self._pid:
            raise failures.forked(self.paths.database)
        if self._closed:
            raise StoreError(
                f"the store {self.paths.directory} is closed; nothing was read or written. "
                "Open it again.",
                code="closed",
            )
        self._check_file()

    def _check_file(self) -> None:
        if self._watch is not None and self._watch.has_changed():
            # What the connections remember of the file may be wrong, so they are asked anew.
            self._readers.renew()
            self._writer.forget_cache()
            self._known = (-1, {})

    def _check_content(self, session: Session) -> None:
        # Another file may have been copied over this one and its emptied log, in the same inode.
        row = session.one(
            "SELECT value, (SELECT rev FROM revision) FROM meta WHERE key = ?", (STORE_ID,)
        )
        if row is None or row[0] != self.store_id or row[1] < self._last_rev:
            raise failures.replaced(self.paths.database)
        self._last_rev = int(row[1])

    def _checkpoint_when_due(self, writer: Writer) -> None:
        size = self._log_left = self.wal_size()
        if size < self._checkpoint_at:
            return
        self._log_left = None
        emptied = writer.try_checkpoint()
        self._note_checkpoint(emptied=emptied)
        # A reader on an old snapshot keeps the log from being emptied: the next try comes when
        # it has grown by as much again, not at every commit.
        self._checkpoint_at = WAL_LIMIT if emptied else size + WAL_LIMIT

    def _note_checkpoint(self, *, emptied: bool) -> None:
        if self._watch is not None:
            self._watch.settle()
        log_readers.note(self.paths, self.clock.now(), emptied=emptied)
        if emptied:
            self._mark()

    def checkpoint(self) -> WalState:
        """Move the write-ahead log into the database and empty it, as far as readers allow.

        What killed processes left half written in the folder goes as well.
        """
        with self._exclusive() as writer:
            directory.remove_leftovers(self.paths)
            emptied = writer.checkpoint()
            self._note_checkpoint(emptied=emptied)
        return WalState(self.wal_size(), emptied)

    def vacuum(self) -> None:
        """Rebuild the file without free space; takes the lock for as long as that takes."""
        with self._exclusive() as writer:
            writer.vacuum()

    def optimise(self) -> None:
        """Refresh the statistics of the query planner where they are out of date."""
        with self.write(Durability.LAZY) as tx:
            tx.meta.refresh_statistics()

    def backup(self, label: str = "") -> BackupInfo:
        """Make a verified backup beside the store; see :func:`backups.create`."""
        from realmemory.store import backups  # noqa: PLC0415 - most processes never need it, and all would pay for it

        self._check_usable()
        return backups.create(self.paths, clock=self.clock, label=label)

    def backups(self) -> list[BackupInfo]:
        """Return the backups, the oldest first."""
        from realmemory.store import backups  # noqa: PLC0415 - most processes never need it, and all would pay for it

        return backups.every(self.paths)

    def rotate_backups(
        self, keep: int, *, daily: int | None = None, weekly: int | None = None
    ) -> list[Path]:
        """Delete all but ``keep`` backups, newest and by day and week; see :func:`backups.rotate`."""
        from realmemory.store import backups  # noqa: PLC0415 - most processes never need it, and all would pay for it

        self._check_usable()
        return backups.rotate(self.paths, keep, daily=daily, weekly=weekly)

    def verify(self, analyse: Callable[[str], str] | None = None) -> VerifyReport:
        """Check everything; see :func:`verification.verify`."""
        from realmemory.store import verification  # noqa: PLC0415 - most processes never need it, and all would pay for it

        self._check_usable()
        return verification.verify(
            self.paths, self.clock, read_only=self.read_only, analyse=analyse
        )

    def erase(
        self,
        ids: Iterable[int],
        *,
        rewrite_backups: bool = False,
        beside: Callable[[WriteTx], None] = lambda _: None,
    ) -> EraseReceipt:
        """Delete traces for good; see :func:`erasure.erase`."""
        from realmemory.store import erasure  # noqa: PLC0415 - most processes never need it, and all would pay for it

        return erasure.erase(self, ids, rewrite_backups=rewrite_backups, beside=beside)

    def was_replaced(self) -> bool:
        """Return whether another file stands in place of the one that was opened."""
        return self._watch is not None and self._watch.is_replaced()

    def lock_holder(self) -> str | None:
        """Return who holds the write lock at this moment, or ``None`` when it is free."""
        return self._lock.held_by()

    def log_hold(self) -> LogHold | None:
        """Return who has kept the log from being emptied, and since when; ``None`` if nobody."""
        return log_readers.hold(self.paths)

    def wal_size(self) -> int:
        """Return the size of the write-ahead log in bytes."""
        try:
            return self.paths.wal.stat().st_size
        except FileNotFoundError:
            return 0

    def seems_unchanged_since(self, rev: int) -> bool:
        """Return whether, by the log's length, only this handle's last commit came after ``rev``."""
        return rev >= self._last_rev - 1 and self._log_left == self.wal_size()

    def _mark(self) -> None:
        with suppress(OSError):
            in_file = 0 if self._watch is None else self._watch.rev_in_file
            opening.write_mark(self.paths, opening.Mark(self.store_id, self._last_rev, in_file))
            self._marked_rev = self._last_rev

    def close(self) -> None:
        """Close every connection; the store can be opened again at any time."""
        if self._closed or os.getpid() != self._pid:
            return
        self._closed = True
        if self._wrote and self._marked_rev < self._last_rev:
            with suppress(StoreError, OSError):
                self._lock.acquire(0.0)
                try:
                    self._mark()
                finally:
                    self._lock.release()
        self._writer.drop()
        self._readers.close()
        self._lock.close()
        _open_stores.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def leave_to_parent(self) -> None:
        """Drop what a child must not touch after a fork."""
        _inherited.extend(self._readers.abandon())
        _inherited.extend(self._writer.abandon())
        self._lock.forget_after_fork()


def _after_fork_in_child() -> None:
    for store in list(_open_stores):
        store.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
