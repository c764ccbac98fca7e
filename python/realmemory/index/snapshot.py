"""Snapshots of the engine's index: when to write one, where, and when old ones go.

A generation is one immutable file ``index/<number>.index``; the pointer ``index/current`` names
the newest and is the only file that is ever replaced. Nothing here is needed for an answer: a
missing, damaged, foreign or outdated snapshot means that the index is built from the store.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from realmemory.core.memory_index import ANALYSIS_VERSION, MemoryIndex
from realmemory.index import generations
from realmemory.late import late_logger

_log = late_logger(__name__)

_MIN_CHANGES = 1_000
"""Changed rows below which catching up is cheaper than writing a snapshot."""
_CHANGED_SHARE = 0.1
"""Share of the rows that must have changed since the last snapshot."""


def worth_saving(changed: int, rows: int) -> bool:
    """Return whether so many rows have changed that the next process should not catch them up."""
    return changed >= max(_MIN_CHANGES, rows * _CHANGED_SHARE)


class SnapshotFolder:
    """The snapshots of one store and one embedding space.

    Args:
        folder: ``index/`` of the store; made when the first snapshot is written.
        store_id: Which store.
        space_id: The space whose vectors the index holds.
        dim: Its dimension.
    """

    def __init__(self, folder: Path, *, store_id: str, space_id: int, dim: int) -> None:
        self._folder = folder
        self._dim = dim
        self._identity = generations.identity(store_id, space_id, dim, ANALYSIS_VERSION)

    def load(self) -> tuple[MemoryIndex, int] | None:
        """Map the newest snapshot; return the index and the revision that it stands for."""
        path = generations.newest(str(self._folder))
        if path is None:
            return None
        try:
            return MemoryIndex.open(Path(path), identity=self._identity, dim=self._dim)
        except OSError as error:
            _log.info("the index is rebuilt, its snapshot cannot be used: %s", error)
            return None

    def save(self, engine: MemoryIndex, rev: int) -> bool:
        """Write the next generation and return whether that worked; a full disk is no error."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            target = self._folder / f"{self._newest() + 1}{generations.SUFFIX}"
            temporary = self._folder / f"{target.name}.{os.getpid()}.tmp"
            temporary.unlink(missing_ok=True)
            try:
                engine.save(temporary, identity=self._identity, rev=rev)
                # A link fails where a rename would replace the file of a faster process.
                os.link(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)
            self._point_at(target.name)
        except OSError as error:
            _log.info("no snapshot of the index was written: %s", error)
            return False
        self.collect()
        return True

    def collect(self) -> None:
        """Delete all generations but the newest, and what killed writers left behind.

        Processes that have an old generation mapped keep it until they close it, or, on Windows,
        keep it from being deleted until a later call.
        """
        newest = self._newest()
        for path in self._files():
            number = generations.number_of(path.name)
            if (number is not None and number < newest) or _abandoned(path.name):
                with suppress(OSError):
                    path.unlink()

    def discard(self) -> None:
        """Delete every snapshot, because it may hold what was erased from the store."""
        for path in self._files():
            with suppress(OSError):
                path.unlink()

    def _files(self) -> list[Path]:
        try:
            return sorted(self._folder.iterdir())
        except OSError:
            return []

    def _newest(self) -> int:
        return max((generations.number_of(path.name) or 0 for path in self._files()), default=0)

    def _point_at(self, name: str) -> None:
        temporary = self._folder / f"{generations.POINTER}.{os.getpid()}.tmp"
        temporary.touch(mode=0o600)
        temporary.write_text(name, encoding="ascii")
        temporary.replace(self._folder / generations.POINTER)


def _abandoned(name: str) -> bool:
    """Whether this is a file that a process began to write that lives no longer."""
    parts = name.rsplit(".", 2)
    if len(parts) != 3 or parts[2] != "tmp" or not parts[1].isdecimal():
        return False
    try:
        os.kill(int(parts[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
