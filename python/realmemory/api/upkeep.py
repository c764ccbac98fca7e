"""What a daemon does for the memory while nobody asks: take in notes, and sleep."""

from __future__ import annotations

import logging
import time

from realmemory.agents import hook_state, spool
from realmemory.agents.sleep import take_in
from realmemory.errors import RealMemoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from realmemory.api.direct import DirectBackend

_log = logging.getLogger(__name__)

QUIET_S = 30.0
NOTES_EVERY_S = 5.0


class Upkeep:
    """Runs the housekeeping of one memory, never beside a request if it can wait.

    Args:
        backend: Holds the memory.
        directory: Where hooks leave their notes.
        namespace: The memory below it.
    """

    def __init__(self, backend: DirectBackend, directory: str, namespace: str | None) -> None:
        self._backend = backend
        self._directory = directory
        self._namespace = namespace
        self._looked = 0.0
        self._rev = -1

    def when_due(self, idle_s: float) -> None:
        """Do what is due; failures are logged and tried again later."""
        now = time.monotonic()
        memory = self._backend.memory
        if memory is None or now - self._looked < NOTES_EVERY_S:
            return
        self._looked = now
        try:
            if spool.pending_notes(self._directory) or spool.pending_errors(self._directory):
                take_in(memory, self._directory, self._namespace)
            if idle_s < QUIET_S:
                return
            rev = int(memory.stats()["rev"])
            if rev != self._rev and hook_state.may_sleep(self._directory):
                memory.consolidate()
                self._rev = int(memory.stats()["rev"])
        except RealMemoryError as error:
            _log.warning("housekeeping failed and is tried again later: %s", error)
