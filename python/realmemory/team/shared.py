"""Asking what others share: quoted with its author, never written to.

Two things can be asked. The owner of a memory names the team's shared folder in ``team.json``
beside it, which `realmemory team init` writes; then its local copy answers. Or they name a whole
memory that somebody else fills, in ``team.json`` (``{"store": "/mnt/team/memory"}``) or in
``REALMEMORY_TEAM_PATH``; then that one answers. Nothing is shared by default.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.clock import SystemClock
from realmemory.errors import NotFoundError, RealMemoryError, StoreError
from realmemory.scopes import scope_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.clock import Clock
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.hippocampus import Hippocampus
    from realmemory.keys import Key
    from realmemory.team.folder import Stamp
    from realmemory.team.known import KnownTeam
    from realmemory.types import RecalledMemory, RecallPacket

PATH_VARIABLE = "REALMEMORY_TEAM_PATH"
_OVERSAMPLE = 8
_MOST = 50


def shared_folder(directory: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the memory of somebody else that an owner named, or ``None``: by default none is.

    Raises:
        ConfigurationError: ``team.json`` is there and cannot be read.
    """
    environ = os.environ if environ is None else environ
    stated = environ.get(PATH_VARIABLE, "").strip()
    if stated:
        return str(Path(stated).expanduser())
    from realmemory.team.settings import load  # noqa: PLC0415 - a server reads it once

    store = load(directory).store
    return None if store is None else str(store)


def what_is_shared(directory: str, namespace: str | None = None) -> SharedMemory | None:
    """Return what can be asked of others beside a memory: the team's copy, else a shared memory.

    Args:
        directory: Folder of the memory.
        namespace: The separate memory inside; its own ``team.json`` is looked at first.

    Raises:
        ConfigurationError: ``team.json`` is there and cannot be read.
    """
    own = str(Path(directory, namespace)) if namespace else directory
    if not os.environ.get(PATH_VARIABLE, "").strip():
        from realmemory.team.settings import load  # noqa: PLC0415 - a server reads it once

        if load(own).folder is not None:
            return TeamCopy(Path(own))
    folder = shared_folder(own) or shared_folder(directory)
    return None if folder is None else SharedMemory(Path(folder))


class SharedMemory:
    """A memory of others, opened at the first question and never written to.

    Args:
        folder: Where it lies.
        embedder: Encodes the question; by default the one that it was written with.
        clock: Where time comes from.
        key: Opens it where it is encrypted; by default what is known beside it.
    """

    def __init__(
        self,
        folder: Path,
        embedder: EmbeddingProvider | None = None,
        clock: Clock | None = None,
        key: Key | None = None,
    ) -> None:
        self._key = key
        self._folder = Path(folder)
        self._embedder = embedder
        self._clock = clock or SystemClock()
        self._lock = threading.Lock()
        self._memory: Hippocampus | None = None

    def recall(
        self, query: str, *, k: int, author: str | None, project: str | None
    ) -> tuple[RecallPacket, list[RecalledMemory]]:
        """Return the packet and those of its hits that ``author`` wrote, at most ``k``.

        Args:
            query: The question.
            k: Most hits.
            author: Only what they wrote.
            project: Only this project and ``global``; everything shared when None.

        Raises:
            RealMemoryError: The folder cannot be read; the message says why.
            NotFoundError: ``unknown_author``; the team's copy holds nobody of that name.
        """
        wanted = min(_MOST, k * _OVERSAMPLE if author else k)
        packet = self._recalled(query, k=wanted, project=project)
        items = [
            item
            for item in packet.items
            if author is None or scope_key(item.author or "?") == scope_key(author)
        ]
        return packet, items[:k]

    def age_s(self) -> int:
        """Return how old what answers is, seconds: since the shared memory last changed."""
        files = [self._folder / name for name in ("memory.db", "memory.db-wal")]
        changed = max((file.stat().st_mtime for file in files if file.exists()), default=0.0)
        return max(0, int(self._clock.now() - changed))

    def close(self) -> None:
        """Let go of the folder."""
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _recalled(
        self, query: str, *, k: int, project: str | None, tags: Sequence[str] = ()
    ) -> RecallPacket:
        memory = self._opened()
        try:
            return memory.recall(
                query, k=k, scope=project, all_scopes=project is None, tags=list(tags)
            )
        except StoreError as error:
            if error.code != "store_replaced":
                raise
        # It was made anew since the last question.
        self.close()
        return self._opened().recall(
            query, k=k, scope=project, all_scopes=project is None, tags=list(tags)
        )

    def _opened(self) -> Hippocampus:
        from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy
        from realmemory.store.sealing import is_sealed  # noqa: PLC0415 - brings the database

        with self._lock:
            if self._memory is None:
                if not (self._folder / "memory.db").exists():
                    raise self._absent()
                self._memory = Hippocampus.open(
                    self._folder,
                    read_only=True,
                    embedder=self._embedder,
                    clock=self._clock,
                    # A key in the environment is for the own memory; a folder may do without one.
                    key=self._key if is_sealed(self._folder / "memory.db") else "",
                )
            return self._memory

    def _absent(self) -> RealMemoryError:
        return RealMemoryError(
            f"the team's folder {self._folder} holds no memory at the moment. Go on "
            "without it, or ask who shares it.",
            code="team_unreachable",
        )


class TeamCopy(SharedMemory):
    """The local copy of what the others publish.

    Args:
        directory: Folder of the own store.
        embedder: As for a shared memory.
        clock: As for a shared memory.
        key: As for a shared memory.
    """

    def __init__(
        self,
        directory: Path,
        embedder: EmbeddingProvider | None = None,
        clock: Clock | None = None,
        key: Key | None = None,
    ) -> None:
        from realmemory.team.local_copy import CopyPlace  # noqa: PLC0415 - brings the import

        self._place = CopyPlace(directory)
        super().__init__(self._place.copy, embedder, clock, key)
        self._stamp: Stamp | None = None
        self._known: KnownTeam

    def recall(
        self, query: str, *, k: int, author: str | None, project: str | None
    ) -> tuple[RecallPacket, list[RecalledMemory]]:
        """As of any shared memory; who the author is, is known before the search."""
        packet = self._recalled(query, k=k, project=project, tags=self._tags(author))
        return packet, list(packet.items)

    def age_s(self) -> int:
        """Return how long ago the team's folder was last looked through, seconds."""
        synced_at = self._team().synced_at
        return max(0, int(self._clock.now() - (synced_at or 0.0)))

    def _tags(self, author: str | None) -> list[str]:
        from realmemory.team.local_copy import author_tag  # noqa: PLC0415 - see above

        if author is None:
            return []
        known = {scope_key(item.author): item for item in self._team().authors.values()}
        found = known.get(scope_key(author.strip()))
        if found is None:
            names = ", ".join(sorted(item.author for item in known.values())) or "nobody"
            raise NotFoundError(
                f"nothing was read of {author[:80]!r}; nothing was searched. The others are: "
                f"{names[:500]}.",
                code="unknown_author",
            )
        return [author_tag(found.author_id)]

    def _team(self) -> KnownTeam:
        """Return what is known of the others, read again where that has changed."""
        from realmemory.team.folder import stamp_of  # noqa: PLC0415 - see above
        from realmemory.team.known import read_known  # noqa: PLC0415

        stamp = stamp_of(self._place.seen)
        if not stamp.size or stamp != self._stamp:
            # In this order, for another thread may look in between.
            self._known = read_known(self._place.seen)
            self._stamp = stamp
        return self._known

    def _absent(self) -> RealMemoryError:
        return RealMemoryError(
            "nothing of the team was read yet. Go on without it; `realmemory team sync` reads it.",
            code="team_unreachable",
        )
