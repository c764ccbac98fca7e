"""``realmemory serve``: one process that holds the memory for all agents of a user."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from realmemory import __version__
from realmemory.agents import daemon as discovery
from realmemory.agents.daemon import DaemonRecord
from realmemory.api.application import build_application
from realmemory.api.connect import opener, shared_memory
from realmemory.api.connection import StrictProtocol
from realmemory.api.direct import DirectBackend
from realmemory.api.grants import GrantBook, new_token, owner_grant
from realmemory.api.guard import HEAD_BYTES, Guard
from realmemory.api.upkeep import Upkeep
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_log = logging.getLogger(__name__)

_DRAIN_S = 5
_WATCH_S = 0.25
_BACKLOG = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonOptions:
    """How a daemon is run.

    Args:
        directory: Directory of the memory.
        namespace: A separate memory below it.
        embedder: As for the stdio server.
        port: Port on the loopback interface; 0 for any free one.
        idle_s: Seconds without a request after which it ends; 0 for never.
        workers: Calls that are worked on at once.
    """

    directory: str
    namespace: str | None = None
    embedder: str | None = None
    port: int = 0
    idle_s: float = 0.0
    workers: int = 8


def run_daemon(options: DaemonOptions, ready: Callable[[int], None] | None = None) -> None:
    """Serve until a signal comes or nobody asks any more.

    Args:
        options: How to serve.
        ready: Called with the port once requests are answered.

    Raises:
        ConfigurationError: Another daemon serves this memory, or the port is taken.
    """
    Path(options.directory).mkdir(mode=0o700, parents=True, exist_ok=True)
    with _only_one(options.directory), _bound(options.port) as listener:
        port = listener.getsockname()[1]
        record = DaemonRecord(os.getpid(), port, new_token(), options.namespace or "")
        backend = DirectBackend(
            opener(options.directory, options.namespace, options.embedder),
            team=shared_memory(options.directory, options.namespace),
        )
        try:
            asyncio.run(_serve(options, listener, record, backend, ready))
        finally:
            discovery.remove_record(options.directory, record.pid)
            backend.close()


async def _serve(
    options: DaemonOptions,
    listener: socket.socket,
    record: DaemonRecord,
    backend: DirectBackend,
    ready: Callable[[int], None] | None,
) -> None:
    book = GrantBook(Path(options.directory))
    owner = owner_grant(record.token)
    application = build_application(backend, version=__version__, workers=options.workers)
    guard = Guard(
        application, lambda token: book.match(token, owner), record.port, workers=options.workers
    )

    def started() -> None:
        discovery.write_record(options.directory, record)
        if ready is not None:
            ready(record.port)

    server = _Server(
        uvicorn.Config(
            guard,
            http=StrictProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=_DRAIN_S,
            h11_max_incomplete_event_size=HEAD_BYTES,
        ),
        started,
    )
    upkeep = Upkeep(backend, options.directory, options.namespace)
    backend.warm()
    watch = asyncio.create_task(_watch(server, guard, upkeep, options.idle_s))
    try:
        await server.serve(sockets=[listener])
    finally:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch


async def _watch(server: _Server, guard: Guard, upkeep: Upkeep, idle_limit: float) -> None:
    """Keep the memory tidy while nobody asks, and end the daemon when that lasts."""
    served, since = -1, time.monotonic()
    while not server.should_exit:
        if guard.served != served:
            served, since = guard.served, time.monotonic()
        idle = time.monotonic() - since
        if idle_limit and idle >= idle_limit:
            _log.info("nobody asked for %.0f s: ending", idle)
            server.should_exit = True
        await asyncio.to_thread(upkeep.when_due, idle)
        await asyncio.sleep(_WATCH_S)


class _Server(uvicorn.Server):
    """Says when it answers; drains on a signal and then returns, so that the record can go."""

    def __init__(self, config: uvicorn.Config, started_up: Callable[[], None]) -> None:
        super().__init__(config)
        self._started_up = started_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer, and say so."""
        await super().startup(sockets)
        self._started_up()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ask for an end at the first signal; do not raise it again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGTERM, signal.SIGINT)
        before = {number: signal.signal(number, self._stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: object) -> None:
        del number, frame
        self.force_exit = self.should_exit
        self.should_exit = True


@contextlib.contextmanager
def _only_one(directory: str) -> Iterator[None]:
    """Hold the lock of the memory's daemon, and reap the record of one that died."""
    handle = os.open(Path(directory) / "daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(handle):
            record = discovery.read_record(directory)
            where = f" as process {record.pid} on port {record.port}" if record else ""
            raise ConfigurationError(
                f"a daemon already serves {directory}{where}; nothing was started.",
                code="already_running",
            )
        stale = discovery.read_record(directory)
        if stale is not None:
            _log.info("reaping the record of process %d", stale.pid)
            discovery.remove_record(directory, stale.pid)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - does not exist on Windows

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        # Else the port of a daemon that ended stays taken for a minute; there it would be shared.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(_BACKLOG)
        except OSError as error:
            raise ConfigurationError(
                f"port {port} cannot be served: {error.strerror}; nothing was started. "
                "Leave the port out to use any free one."
            ) from error
        listener.setblocking(False)
        yield listener
    finally:
        listener.close()
