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
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from io import TextIOWrapper

    from realmemory.api.backend import Caller, MemoryBackend

_CLOSE_S = 0.8
_WATCH_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioOptions:
    """What a stdio server was started with.

    Args:
        directory: Directory of the memory.
        namespace: A separate memory below it.
        project: Scope to use instead of the detected one.
        embedder: ``local`` or ``hashing`` for a new memory; its own for an existing one.
        daemon: Use a running daemon when there is one.
    """

    directory: str
    namespace: str | None = None
    project: str | None = None
    embedder: str | None = None
    daemon: bool = True


def serve(options: StdioOptions) -> NoReturn:
    """Serve until the pipe closes, a signal comes or the parent dies; never return."""
    parent = os.getppid()
    wire = _take_stdout()
    stop = _Leaver()
    _watch_parent(parent, stop)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop())
    try:
        _run(options, wire, stop)
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


def _take_stdout() -> TextIOWrapper:
    """Keep the pipe to ourselves and send whatever is printed to standard error."""
    sys.stdout.flush()
    private = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(private, "w", encoding="utf-8", newline="\n")


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


def _run(options: StdioOptions, wire: TextIOWrapper, stop: _Leaver) -> None:
    import anyio  # noqa: PLC0415 - the pipe had to be taken before anything is imported
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    from realmemory import __version__  # noqa: PLC0415
    from realmemory.api.connect import connected  # noqa: PLC0415
    from realmemory.api.server import build_server  # noqa: PLC0415

    backend, caller = connected(options)
    stop.backend = backend

    def who(context: object) -> Caller:
        del context  # one agent, one caller
        return caller

    async def main() -> None:
        server = build_server(backend, who, version=__version__)
        async with stdio_server(stdout=anyio.wrap_file(wire)) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
