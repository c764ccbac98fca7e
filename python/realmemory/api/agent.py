"""The agent that started a stdio server: which project it works in, and for whom it writes."""

from __future__ import annotations

import os
import threading

from realmemory.agents.project import claim, detect_project
from realmemory.agents.registry import ProjectRegistry
from realmemory.api.relay import quoted_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from realmemory.agents.project import Project
    from realmemory.api.stdio import StdioOptions

PROJECT_HEADER = "RealMemory-Project"
SESSION_HEADER = "RealMemory-Session"
AUTHOR_HEADER = "RealMemory-Author"


class Agent:
    """One agent for the life of its server.

    Args:
        found: The project that was detected, if any.
        registry: Where a project is tied to its repository.
        author: Who writes; empty for the user of this machine.
    """

    def __init__(self, found: Project | None, registry: ProjectRegistry, author: str) -> None:
        self.project = found.name if found else None
        self.author = author
        self.session = os.urandom(16).hex()
        self._found = found
        self._registry = registry
        self._lock = threading.Lock()

    @classmethod
    def of(cls, options: StdioOptions) -> Self:
        """Return the agent that a server with these options was started by."""
        registry = ProjectRegistry(options.directory)
        found = detect_project(options.project, registry=registry)
        return cls(found, registry, options.author)

    def headers(self) -> dict[str, str]:
        """Return what the daemon is told about this agent."""
        stated = {
            PROJECT_HEADER: self.project,
            SESSION_HEADER: self.session,
            AUTHOR_HEADER: self.author,
        }
        return {name: quoted_header(value) for name, value in stated.items() if value}

    def before(self, message: dict[str, Any]) -> None:
        """Look at a request that is passed on."""
        params = message.get("params")
        if message.get("method") == "tools/call" and isinstance(params, dict):
            arguments = params.get("arguments")
            self.before_call(params.get("name"), arguments if isinstance(arguments, dict) else {})

    def before_call(self, tool: object, arguments: dict[str, Any]) -> None:
        """Tie the project to its repository at the first write to it, and not before."""
        if tool != "memorize" or arguments.get("project") is not None:
            return
        with self._lock:
            found, self._found = self._found, None
        if found is not None:
            claim(found, self._registry)
