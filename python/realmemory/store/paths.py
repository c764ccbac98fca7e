"""The names of everything in the folder of a store."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

from realmemory.places import SEAL, names_key

if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.keys import Key


@dataclass(frozen=True)
class StorePaths:
    """The files of the store in ``directory``, and the key to them where they are encrypted."""

    directory: Path
    key: Key | None = field(default=None, repr=False)

    @classmethod
    def unlocked(cls, directory: Path, key: Key | str | None = None) -> Self:
        """Return the files of a store with what opens them; see :func:`sealing.key_for`.

        Raises:
            StoreRefusedError: ``encrypted``; a key is missing, or given for a store without one.
            ConfigurationError: What is given or named as a key is none.
        """
        directory = directory.absolute()
        if key is None and not names_key() and not os.path.exists(directory / SEAL):  # noqa: PTH110 - of a name that is too long it says no
            return cls(directory)
        from realmemory.store.sealing import key_for  # noqa: PLC0415 - most stores are not encrypted

        return cls(directory, key_for(str(directory), key))

    def are_unused(self) -> bool:
        """Return whether nothing says that there is or was a store; a file in place of it does.

        An empty database without a mark and a log is what a process leaves that was killed before
        it had made one.
        """
        if self.directory.exists() and not self.directory.is_dir():
            return False
        made = self.database.exists() and self.database.stat().st_size > 0
        return not (made or self.mark.exists() or self.wal.exists())

    @cached_property
    def database(self) -> Path:
        """The truth."""
        return self.directory / "memory.db"

    @cached_property
    def wal(self) -> Path:
        """The write-ahead log, part of the truth."""
        return self.directory / "memory.db-wal"

    @cached_property
    def shm(self) -> Path:
        """The shared index of the write-ahead log; rebuilt when missing."""
        return self.directory / "memory.db-shm"

    @cached_property
    def lock(self) -> Path:
        """The file whose lock every writer takes."""
        return self.directory / "write.lock"

    @cached_property
    def mark(self) -> Path:
        """Which store this is and the rev it had reached, to notice a lost or foreign file."""
        return self.directory / "store.mark"

    @cached_property
    def seal(self) -> Path:
        """Which key opens an encrypted store; missing beside any other."""
        return self.directory / SEAL

    @cached_property
    def held(self) -> Path:
        """Since when a reader keeps the log from being emptied; there only while one does."""
        return self.directory / "log.held"

    @cached_property
    def backups(self) -> Path:
        """The folder of the backups."""
        return self.directory / "backups"

    @cached_property
    def index(self) -> Path:
        """The folder of derived files."""
        return self.directory / "index"
