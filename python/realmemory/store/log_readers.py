"""Who keeps the write-ahead log from being emptied, and for how long.

A reader on an old snapshot needs the log, and nothing in the file tells when it began. So the first
writer that finds the log held leaves the time beside the store, and the one that empties it takes
that note away. Who reads is asked of the system: SQLite locks a byte of the shared index for it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from realmemory.store.paths import StorePaths

_LOCKS = Path("/proc/locks")
# https://www.sqlite.org/walformat.html, "WAL Locks": one byte for each of the five read marks.
_READ_MARKS = range(123, 128)
_COMMAND = 60


class LogHold(NamedTuple):
    """Since when the log could not be emptied, and the processes that read at this moment."""

    since: float
    readers: tuple[str, ...]


def note(paths: StorePaths, now: float, *, emptied: bool) -> None:
    """Remember whether the log could be emptied; ``now`` is the time of the attempt."""
    with suppress(OSError):
        if emptied:
            paths.held.unlink(missing_ok=True)
        else:
            with paths.held.open("x", encoding="ascii") as file:
                file.write(repr(now))


def hold(paths: StorePaths) -> LogHold | None:
    """Return who holds the log, ``None`` when the last attempt emptied it."""
    try:
        since = float(paths.held.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return LogHold(since, tuple(_named(pid) for pid in _reading(paths.shm) if pid != os.getpid()))


def _reading(shared_index: Path) -> list[int]:
    """Return the processes with a lock on a read mark, where the system tells."""
    try:
        found = shared_index.stat()
        lines = _LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    file = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    pids = set()
    for line in lines:
        # 7: POSIX  ADVISORY  READ 4711 fd:01:1234567 124 124
        words = line.split()
        if words[1] == "POSIX" and words[5] == file and int(words[6]) in _READ_MARKS:
            pids.add(int(words[4]))
    return sorted(pids)


def _named(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        words = []
    return f"process {pid} ({' '.join(words).strip()[:_COMMAND]})"
