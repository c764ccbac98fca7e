"""The MCP server as a child process of a coding agent.

The agent's patience is short and its pipe is holy: standard output carries the protocol and
nothing else from the first instruction, the handshake is answered before anything heavy is
loaded, and the process goes when its parent or its pipe does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

from realmemory.api.agent import Agent
from realmemory.api.pipes import Inbox, Outbox
from realmemory.api.relay import Relay, daemon_of
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    import anyio

    from realmemory.agents.daemon import DaemonRecord
    from realmemory.api.backend import Caller, MemoryBackend

_CLOSE_S = 0.8
_WATCH_S = 0.5
_WRONG_USE = 2
"""As every other command leaves that cannot be run as it was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioOptions:
    """What a stdio server was started with.

    Args:
        directory: Directory of the memory.
        namespace: A separate memory below it.
        project: Scope to use instead of the detected one.
        embedder: ``local`` or ``hashing`` for a new memory; its own for an existing one.
        daemon: Use a running daemon when there is one.
        author: Who writes, when several people share a memory.
    """

    directory: str
    namespace: str | None = None
    project: str | None = None
    embedder: str | None = None
    daemon: bool = True
    author: str = ""


def serve(options: StdioOptions) -> NoReturn:
    """Serve until the pipe closes, a signal comes or the parent dies; never return."""
    parent = os.getppid()
    outbox = Outbox()
    inbox = Inbox(outbox)
    stop = _Leaver()
    _watch_parent(parent, stop)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop())
    try:
        agent = Agent.of(options)
        if not (options.daemon and _relayed(options, agent, inbox, outbox)):
            _run(options, agent, inbox, outbox, stop)
    except ConfigurationError as error:
        print(f"realmemory mcp: {error} [{error.code}]", file=sys.stderr)  # noqa: T201
        stop(_WRONG_USE)
    except Exception as error:  # noqa: BLE001 - the boundary of the process
        print(f"realmemory mcp: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
        stop(1)
    stop()


class _Leaver:
    """Ends the process: closes the memory if that is quick, and goes in any case."""

    def __init__(self) -> None:
        self.backend: MemoryBackend | None = None
        self._once = threading.Lock()

    def __call__(self, status: int = 0) -> NoReturn:
        if self._once.acquire(blocking=False) and self.backend is not None:
            # In a thread: a signal may have come in the middle of a call that holds a lock.
            closing = threading.Thread(target=self.backend.close, daemon=True)
            closing.start()
            closing.join(_CLOSE_S)
        # The thread that reads standard input cannot be woken; do not wait for it.
        os._exit(status)


def _watch_parent(parent: int, stop: _Leaver) -> None:
    def wait() -> None:
        if sys.platform == "win32":
            _wait_for_windows_process(parent)
        else:
            pause = threading.Event()
            while os.getppid() == parent:
                pause.wait(_WATCH_S)
        stop()

    if parent > 1 or sys.platform == "win32":
        threading.Thread(target=wait, name="parent", daemon=True).start()


def _wait_for_windows_process(pid: int) -> None:
    """Return when the process has ended; the parent's id does not change there."""
    import ctypes  # noqa: PLC0415 - only Windows takes this way

    synchronize, infinite = 0x00100000, 0xFFFFFFFF
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 - exists on Windows only
    handle = kernel.OpenProcess(synchronize, False, pid)
    if handle:
        kernel.WaitForSingleObject(handle, infinite)


def _relayed(options: StdioOptions, agent: Agent, inbox: Inbox, outbox: Outbox) -> bool:
    """Let the daemon answer while there is one; return whether the agent is done."""

    def find() -> DaemonRecord | None:
        return daemon_of(options.directory, options.namespace)

    if find() is None:
        return False
    return Relay(inbox, outbox, find, agent.headers(), agent.before).run()


def _run(options: StdioOptions, agent: Agent, inbox: Inbox, outbox: Outbox, stop: _Leaver) -> None:
    try:
        import anyio  # noqa: PLC0415 - the pipes had to be taken before anything is imported
        from mcp.server.stdio import stdio_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the MCP server needs {error.name}, which is not installed. "
            "Run `pip install 'realmemory[mcp]'`.",
            code="missing_extra",
        ) from error

    from realmemory import __version__  # noqa: PLC0415
    from realmemory.api.connect import connected  # noqa: PLC0415
    from realmemory.api.server import build_server  # noqa: PLC0415

    backend, caller = connected(options, agent)
    stop.backend = backend

    def who(context: object) -> Caller:
        del context  # one agent, one caller
        return caller

    async def main() -> None:
        server = build_server(backend, who, version=__version__)
        # The library wants asynchronous files; all it does with them is what these two can.
        lines = cast("anyio.AsyncFile[str]", inbox)
        answers = cast("anyio.AsyncFile[str]", outbox)
        async with stdio_server(stdin=lines, stdout=answers) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
