"""The tools over a daemon that another process runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from realmemory import errors
from realmemory.agents.daemon import DaemonGoneError, ask, read_record
from realmemory.api.tools import TOOLS
from realmemory.errors import RealMemoryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.agents.daemon import DaemonRecord
    from realmemory.api.backend import Caller

__all__ = ["DaemonBackend", "DaemonGoneError"]

_ANSWER_S = 60.0
_KINDS: dict[str, type[RealMemoryError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, RealMemoryError)
}


class DaemonBackend:
    """Sends each call to the daemon of a directory, when one runs.

    Args:
        directory: Directory of the memory.
        namespace: The memory below it; a daemon of another one is not used.
    """

    def __init__(self, directory: str, namespace: str | None = None) -> None:
        self._directory = directory
        self._namespace = namespace or ""
        self.tools = TOOLS

    def running(self) -> bool:
        """Whether a daemon says that it serves this memory."""
        return self._record() is not None

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Answer one tool call.

        Raises:
            DaemonGoneError: Nobody answered; the caller may use the store itself.
            RealMemoryError: What the daemon's memory raised.
        """
        record = self._record()
        if record is None:
            raise DaemonGoneError("no daemon runs")
        body = {
            "arguments": dict(arguments),
            "project": caller.project,
            "session": caller.session,
            "author": caller.author or None,
        }
        status, answer = ask(record, f"/v1/tools/{tool}", body, timeout_s=_ANSWER_S)
        if status in (401, 403, 404):
            # Another process got the port of a daemon that died: not ours to talk to.
            raise DaemonGoneError(f"the daemon refuses with status {status}")
        if "result" in answer:
            result: dict[str, Any] = answer["result"]
            return result
        raise raised(answer.get("error") or {})

    def warm(self) -> None:
        """Do nothing: the daemon has loaded what it needs."""

    def close(self) -> None:
        """Do nothing: the daemon belongs to everybody."""

    def _record(self) -> DaemonRecord | None:
        record = read_record(self._directory)
        return record if record and record.namespace == self._namespace else None


def raised(error: Mapping[str, Any]) -> RealMemoryError:
    """Return the error that a daemon told, as its own kind."""
    kind = _KINDS.get(str(error.get("kind")), RealMemoryError)
    return kind(str(error.get("message", "the daemon failed")), code=str(error.get("code", "")))
