"""Blocking calls for async programs: they run in threads, whichever loop is running.

A cancelled caller stops waiting; the call itself goes on to its end, so that a write is never
half done, and :meth:`Worker.aclose` waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from realmemory.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_AT_ONCE = 4
"""Calls of one owner that run at once."""


class Worker:
    """Threads for the blocking calls of one owner, usable from asyncio and trio."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="realmemory")
        self._closed = False

    async def run(
        self,
        function: Callable[_Arguments, _Result],
        *arguments: _Arguments.args,
        **named: _Arguments.kwargs,
    ) -> _Result:
        """Call ``function`` in a thread and return what it returns.

        Raises:
            StoreError: The worker is closed (``closed``).
            RuntimeError: No event loop is running.
        """
        if self._closed:
            raise StoreError(
                "the memory is closed; nothing was read or written. Open it again.", code="closed"
            )
        return await _finished(self._pool.submit(partial(function, *arguments, **named)))

    async def aclose(self, last: Callable[[], None]) -> None:
        """Wait for every call that was begun, then make the ``last`` one; harmless if repeated."""
        done: Future[None] = Future()
        self._closed = True

        def drain() -> None:
            try:
                self._pool.shutdown(wait=True)
                last()
            except BaseException as error:  # noqa: BLE001 - handed to the one who waits
                done.set_exception(error)
            else:
                done.set_result(None)

        threading.Thread(target=drain, name="realmemory-close").start()
        await _finished(done)


async def _finished(future: Future[_Result]) -> _Result:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return await _finished_in_trio(future)
    return await asyncio.shield(asyncio.wrap_future(future))


async def _finished_in_trio(future: Future[_Result]) -> _Result:
    trio: Any = sys.modules.get("trio")
    if trio is None:
        raise RuntimeError("no event loop is running: call this from asyncio or trio")
    done = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def wake(_: Future[_Result]) -> None:
        # The loop may be gone when a call outlives it; nobody waits then.
        with contextlib.suppress(trio.RunFinishedError):
            token.run_sync_soon(done.set)

    future.add_done_callback(wake)
    await done.wait()
    return future.result()
