"""The write lock of a store: fair, with a deadline, and never left behind.

Threads of one process queue on a mutex; the first of them competes with other processes for an
exclusive lock on ``write.lock``. Whoever waits for that lock holds ``write.queue`` meanwhile, so a
process that gives the lock back and asks again at once stands behind those who were waiting.
SQLite's own lock stays the truth; this one is there for fairness and for a bounded wait.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.errors import StoreError
from realmemory.store import os_lock
from realmemory.store.failures import busy

if TYPE_CHECKING:
    from collections.abc import Callable

_HOLDER_BYTES = 200
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}


class FairMutex:
    """A mutex that is handed over in order of arrival, with a deadline."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._owner: int | None = None

    @property
    def held_by_me(self) -> bool:
        """Whether the calling thread holds the mutex."""
        return self._owner == threading.get_ident()

    def acquire(self, timeout: float) -> bool:
        """Take the mutex, or return false after ``timeout`` seconds."""
        with self._guard:
            if self._owner is None:
                self._owner = threading.get_ident()
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=max(0.0, timeout)):
            self._owner = threading.get_ident()
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        # The mutex was handed over between the deadline and the guard.
        self._owner = threading.get_ident()
        return True

    def release(self) -> None:
        """Hand the mutex to the next in line."""
        with self._guard:
            if self._waiting:
                self._owner = -1
                self._waiting.popleft().release()
            else:
                self._owner = None


class WriteLock:
    """The lock that every writer of a store takes first.

    Args:
        directory: The folder of the store.
        name: The lock is ``<name>.lock``, its queue ``<name>.queue``.
    """

    def __init__(self, directory: Path, name: str = "write") -> None:
        self.path = directory / f"{name}.lock"
        self._queue_path = directory / f"{name}.queue"
        self._mutex = FairMutex()
        self._lock_file = _LockFile(self.path)
        self._queue_file = _LockFile(self._queue_path)
        self._waiter: _Waiter | None = None

    def acquire(self, timeout: float) -> None:
        """Take the lock.

        Raises:
            StoreBusyError: It did not come free within ``timeout`` seconds.
            StoreError: This thread holds it already (``nested_write``).
        """
        started = time.monotonic()
        if self._mutex.held_by_me:
            raise StoreError(
                "a write transaction was opened inside another one of the same thread; "
                "nothing was changed. Pass the open transaction on instead.",
                code="nested_write",
            )
        if not self._mutex.acquire(timeout):
            raise busy(self.path, "this process", time.monotonic() - started)
        try:
            granted = self._acquire_file(started + timeout)
        except OSError as error:
            # Some network file systems have no locks; SQLite's busy wait has to do there.
            granted = error.errno in _NO_LOCKS
            if not granted:
                self._mutex.release()
                raise
        except BaseException:
            self._mutex.release()
            raise
        if not granted:
            self._mutex.release()
            raise busy(self.path, self.holder(), time.monotonic() - started)
        with suppress(OSError):
            self._lock_file.name_holder()

    def _acquire_file(self, deadline: float) -> bool:
        while True:
            # An earlier caller may have given up while its request still stands in the kernel's
            # queue; this one takes that place over.
            if self._waiter is None:
                if self._try():
                    return True
                if deadline <= time.monotonic():
                    # Who does not wait leaves no request in the kernel's queue.
                    return False
                self._waiter = _Waiter(self._block, self._lock_file.unlock)
            try:
                granted = self._waiter.claim(deadline - time.monotonic())
            except _SpentError:
                self._waiter = None
                continue
            if granted:
                self._waiter = None
            return granted

    def _try(self) -> bool:
        if not self._queue_file.lock(wait=False):
            return False
        try:
            return self._lock_file.lock(wait=False)
        finally:
            self._queue_file.unlock()

    def _block(self) -> None:
        self._queue_file.lock(wait=True)
        try:
            self._lock_file.lock(wait=True)
        finally:
            self._queue_file.unlock()

    def release(self) -> None:
        """Give the lock back."""
        try:
            with suppress(OSError):
                self._lock_file.unlock()
        finally:
            self._mutex.release()

    def held_by(self) -> str | None:
        """Return what the present holder wrote about itself, ``None`` when the lock is free."""
        probe = _LockFile(self.path)
        try:
            if not probe.lock(wait=False):
                return probe.holder() or "somebody"
            probe.unlock()
        except OSError:
            return None
        finally:
            probe.close()
        return None

    def holder(self) -> str:
        """Return what the present or last holder wrote about itself."""
        return self._lock_file.holder()

    def close(self) -> None:
        """Close the lock's files; a lock that is held is given back by the system."""
        if self._waiter is None:
            self._lock_file.close()
            self._queue_file.close()

    def forget_after_fork(self) -> None:
        """Drop what came from the parent, without touching the parent's lock.

        A descriptor that lives on in a child would keep the parent's lock after its death.
        """
        self._mutex = FairMutex()
        self._waiter = None
        self._lock_file.close()
        self._queue_file.close()


class _SpentError(Exception):
    """The request was granted after its caller had given up, and given back."""


class _Waiter:
    """A blocked request in a thread of its own, which can be abandoned and adopted."""

    def __init__(self, block: Callable[[], None], give_back: Callable[[], None]) -> None:
        self._condition = threading.Condition()
        self._give_back = give_back
        self._granted = False
        self._abandoned = False
        self._spent = False
        self._error: OSError | None = None
        thread = threading.Thread(
            target=self._run, args=(block,), name="realmemory-lock", daemon=True
        )
        thread.start()

    def _run(self, block: Callable[[], None]) -> None:
        error: OSError | None = None
        try:
            block()
        except OSError as caught:
            error = caught
        with self._condition:
            self._error = error
            self._granted = True
            if self._abandoned:
                self._drop()
            self._condition.notify_all()

    def _drop(self) -> None:
        self._spent = True
        if self._error is None:
            self._give_back()

    def claim(self, timeout: float) -> bool:
        """Return whether the request was granted within ``timeout`` seconds, else abandon it.

        Raises:
            _SpentError: It was granted while abandoned, and given back.
        """
        with self._condition:
            if self._spent:
                raise _SpentError
            self._abandoned = False
            try:
                self._condition.wait_for(lambda: self._granted, max(0.0, timeout))
            except BaseException:
                self._abandoned = True
                if self._granted:
                    self._drop()
                raise
            if not self._granted:
                self._abandoned = True
            elif self._error is not None:
                self._spent = True
                raise self._error
            return self._granted


@lru_cache(maxsize=1)
def _name(pid: int, command: str) -> bytes:
    note = f"process {pid} ({Path(command).name or 'python'})"
    return note.encode(errors="replace")[:_HOLDER_BYTES].ljust(_HOLDER_BYTES)


class _LockFile:
    """One file that exists to be locked; opened late, and again when it was removed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def lock(self, *, wait: bool) -> bool:
        while True:
            fd = self._open()
            if not os_lock.lock(fd, wait=wait):
                return False
            if self._is_current(fd):
                return True
            self.close()

    def unlock(self) -> None:
        if self._fd is not None:
            os_lock.unlock(self._fd)

    def _open(self) -> int:
        if self._fd is None:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._fd = os.open(self.path, flags, 0o600)
        return self._fd

    def _is_current(self, fd: int) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(fd), there)

    def name_holder(self) -> None:
        """Leave pid and command for whoever waits in vain."""
        if self._fd is None or sys.platform == "win32":
            return
        line = _name(os.getpid(), sys.argv[0] if sys.argv else "")
        # Written only when it changes: an unneeded write would join the next sync.
        if os.pread(self._fd, _HOLDER_BYTES, 0) != line:
            os.pwrite(self._fd, line, 0)

    def holder(self) -> str:
        try:
            return self.path.read_text(errors="replace").strip()
        except OSError:
            return ""

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
