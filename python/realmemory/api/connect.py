"""Which backend a server uses: the daemon when one runs, else the memory in this process."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from realmemory.agents.daemon import ask, read_record
from realmemory.agents.spool import take_in_pending
from realmemory.api.backend import Caller
from realmemory.api.direct import DirectBackend
from realmemory.api.remote import DaemonBackend, DaemonGoneError
from realmemory.errors import ConfigurationError
from realmemory.team.shared import what_is_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from realmemory.api.agent import Agent
    from realmemory.api.backend import MemoryBackend
    from realmemory.api.stdio import StdioOptions
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.hippocampus import Hippocampus
    from realmemory.team.shared import SharedMemory

_log = logging.getLogger(__name__)


def connected(options: StdioOptions, agent: Agent) -> tuple[MemoryBackend, Caller]:
    """Return the backend and the caller for a server that one agent started."""
    direct = DirectBackend(
        opener(options.directory, options.namespace, options.embedder),
        glance=keyword_glance(options.directory, options.namespace),
        team=shared_memory(options.directory, options.namespace),
        then=lambda memory: take_in_pending(memory, options.directory, options.namespace),
    )
    backend: MemoryBackend = direct
    if options.daemon:
        backend = SharedBackend(DaemonBackend(options.directory, options.namespace), direct)
    caller = Caller(project=agent.project, session=agent.session, author=agent.author)
    return _Watched(backend, agent), caller


def shared_memory(directory: str, namespace: str | None = None) -> SharedMemory | None:
    """Return what the team shares, where the owner of this memory named it."""
    try:
        return what_is_shared(directory, namespace)
    except ConfigurationError as error:
        # An agent must not lose its own memory over the team's.
        _log.warning("%s", error.message)
        return None


def opener(
    directory: str, namespace: str | None, embedder: str | None = None
) -> Callable[[], Hippocampus]:
    """Return what opens the memory; nothing heavy is imported before it is called."""

    def opened() -> Hippocampus:
        from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy

        chosen = _embedder(embedder)
        return Hippocampus.open(directory, namespace=namespace, embedder=chosen)

    return opened


def _embedder(name: str | None) -> EmbeddingProvider | None:
    if name == "hashing":
        from realmemory.encoding.hashing import HashingEmbedder  # noqa: PLC0415

        return HashingEmbedder()
    if name == "local":
        from realmemory.encoding.local import LocalEmbedder  # noqa: PLC0415

        return LocalEmbedder()
    return None


def keyword_glance(
    directory: str, namespace: str | None
) -> Callable[[str, int, str | None], list[dict[str, Any]]]:
    """Return what answers a recall by keyword alone, from the database and without an index."""

    def find(query: str, k: int, scope: str | None) -> list[dict[str, Any]]:
        from realmemory.agents.glance import keyword_hits  # noqa: PLC0415 - opens the database

        return keyword_hits(directory, namespace, query, k, scope)

    return find


def daemon_state(directory: str) -> tuple[bool | None, str]:
    """Return whether the daemon of a directory answers, and say it in words; ``None`` without one."""
    record = read_record(directory)
    if record is None:
        return None, "none runs"
    try:
        status, _ = ask(record, "/v1/tools/introspect", {}, timeout_s=5.0)
    except DaemonGoneError:
        return False, f"process {record.pid} is on record for port {record.port}, but is gone"
    answers = f"process {record.pid} answers on port {record.port}"
    return status == 200, answers if status == 200 else f"{answers}, with status {status}"


class SharedBackend:
    """Asks the daemon as long as one runs, and this process's own memory otherwise.

    Both work on one store, so changing over at any moment loses nothing.
    """

    def __init__(self, daemon: DaemonBackend, direct: DirectBackend) -> None:
        self._daemon = daemon
        self._direct = direct
        self.tools = direct.tools

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Answer one tool call."""
        if self._daemon.running():
            try:
                return self._daemon.call(tool, arguments, caller)
            except DaemonGoneError:
                # It may have died after the write: asking again reinforces, it never doubles.
                pass
        return self._direct.call(tool, arguments, caller)

    def warm(self) -> None:
        """Load the memory here only when no daemon has it."""
        if not self._daemon.running():
            self._direct.warm()

    def close(self) -> None:
        """Close this process's own memory."""
        self._direct.close()


class _Watched:
    """Lets the agent look at each call before it is answered."""

    def __init__(self, backend: MemoryBackend, agent: Agent) -> None:
        self._backend = backend
        self._agent = agent
        self.tools = backend.tools

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        self._agent.before_call(tool, dict(arguments))
        return self._backend.call(tool, arguments, caller)

    def warm(self) -> None:
        self._backend.warm()

    def close(self) -> None:
        self._backend.close()
