"""Whom the tools speak to: a memory in this process, or a daemon that holds one for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.api.tools import Tool


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a tool is called.

    ``project`` is the detected one. ``reach`` and ``writes`` limit what may be read and written,
    as keys of scopes; ``None`` is everything. ``author`` is who writes, when that is not the user
    of this machine.
    """

    project: str | None = None
    session: str | None = None
    reach: frozenset[str] | None = None
    writes: frozenset[str] | None = None
    author: str = ""


class MemoryBackend(Protocol):
    """Anything that can answer a tool call."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that it answers; the same for its whole life."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Return the structured result of a tool.

        Args:
            tool: Its name; the caller has looked it up.
            arguments: As :func:`realmemory.api.arguments.checked` returns them.
            caller: Who asks.

        Raises:
            RealMemoryError: The call cannot be answered; the message says what to do next.
        """
        ...

    def warm(self) -> None:
        """Start to load what the first call will need, without waiting for it."""
        ...

    def close(self) -> None:
        """Let go of everything. Harmless when repeated."""
        ...
