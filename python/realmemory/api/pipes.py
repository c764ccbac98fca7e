"""The two pipes of a stdio server: lines come in by one thread, whole lines go out.

Both are taken from the process before anything else is imported: what a library prints goes to
standard error, and a child that reads standard input finds it empty.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading

from realmemory.api.messages import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Self

_WAITING = 1_000


class Inbox:
    """Lines of standard input, in order; whoever holds it may hand it on without losing one.

    Args:
        outbox: Where a request is refused that no protocol library would answer.
    """

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self._again: list[str] = []
        self._file = _taken(0, os.O_RDONLY, "rb")
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def get(self) -> str | None:
        """Return the next line, ``""`` after :meth:`wake`, or ``None`` at the end."""
        return self._again.pop(0) if self._again else self._lines.get()

    def wake(self) -> None:
        """Let a waiting :meth:`get` return."""
        self._lines.put("")

    def put_back(self, lines: list[str]) -> None:
        """Have these lines come first; only for who reads."""
        self._again[:0] = lines

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        import asyncio  # noqa: PLC0415 - a relay never needs it

        line: str | None = ""
        while line == "":
            line = await asyncio.to_thread(self.get)
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        for given in self._file:
            line = given.decode("utf-8", "replace")
            refused = refusal(line)
            if refused is not None:
                self._outbox.say(json.dumps(refused))
            elif line.strip():
                self._lines.put(line)
        self._lines.put(None)


class Outbox:
    """Lines of standard output; safe to use from any thread."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = _taken(1, os.O_WRONLY, "wb")
        self._lock = threading.Lock()
        self._said: set[int | str] = set()

    def say(self, line: str) -> None:
        """Write one message."""
        with self._lock:
            self._file.write(line.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
            self._file.flush()

    def answered(self, number: int | str) -> None:
        """Keep back the next answer to this request: it was given already."""
        self._said.add(number)

    async def write(self, line: str) -> None:
        """Write one message, as an asynchronous file does."""
        if self._said:
            number = json.loads(line).get("id")
            if number in self._said:
                self._said.discard(number)
                return
        import asyncio  # noqa: PLC0415 - a relay never needs it

        await asyncio.to_thread(self.say, line)

    async def flush(self) -> None:
        """Do nothing: each message is flushed."""


def _taken(number: int, flags: int, mode: str) -> BinaryIO:
    """Return a private copy of a standard stream, and put another in its place."""
    private = os.dup(number)
    if number == 1:
        os.dup2(2, 1)
    else:
        nothing = os.open(os.devnull, flags)
        os.dup2(nothing, number)
        os.close(nothing)
    return os.fdopen(private, mode)  # type: ignore[return-value]
