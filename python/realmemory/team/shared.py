"""A memory that somebody shares as a folder: named explicitly, read only, quoted with its author.

Nothing is shared by default. The owner of a memory names the folder in ``team.json`` beside it
(``{"store": "/mnt/team/memory"}``) or in ``REALMEMORY_TEAM_PATH``; it is filled with
``realmemory export`` and ``realmemory import`` by whoever publishes it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.errors import ConfigurationError, RealMemoryError
from realmemory.scopes import scope_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.hippocampus import Hippocampus
    from realmemory.types import RecalledMemory, RecallPacket

PATH_VARIABLE = "REALMEMORY_TEAM_PATH"
CONFIG = "team.json"
_OVERSAMPLE = 8
_MOST = 50


def shared_folder(directory: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the folder that a memory's owner named, or ``None``: nothing is shared by default.

    Raises:
        ConfigurationError: ``team.json`` is there and cannot be read.
    """
    environ = os.environ if environ is None else environ
    stated = environ.get(PATH_VARIABLE, "").strip()
    if stated:
        return str(Path(stated).expanduser())
    path = Path(directory) / CONFIG
    try:
        loaded = json.loads(path.read_bytes())
        return str(Path(loaded["store"]).expanduser())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} cannot be read ({type(error).__name__}); nothing is shared. It should be "
            '{"store": "FOLDER"}.'
        ) from error


class SharedMemory:
    """The shared folder, opened at the first question and never written to.

    Args:
        folder: Where it lies.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
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
        """
        wanted = min(_MOST, k * _OVERSAMPLE if author else k)
        packet = self._opened().recall(query, k=wanted, scope=project, all_scopes=project is None)
        items = [
            item
            for item in packet.items
            if author is None or scope_key(item.author or "?") == scope_key(author)
        ]
        return packet, items[:k]

    def age_s(self) -> int:
        """Return how long ago the shared folder last changed, seconds."""
        files = [self._folder / name for name in ("memory.db", "memory.db-wal")]
        changed = max((file.stat().st_mtime for file in files if file.exists()), default=0.0)
        return max(0, int(time.time() - changed))

    def close(self) -> None:
        """Let go of the folder."""
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _opened(self) -> Hippocampus:
        from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy

        with self._lock:
            if self._memory is None:
                if not (self._folder / "memory.db").exists():
                    raise RealMemoryError(
                        f"the team's folder {self._folder} holds no memory at the moment. Go on "
                        "without it, or ask who shares it.",
                        code="team_unreachable",
                    )
                self._memory = Hippocampus.open(self._folder, read_only=True)
            return self._memory
