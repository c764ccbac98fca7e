"""Forked processes that report through a pipe and are killed from outside."""

from __future__ import annotations

import json
import os
import select
import signal
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHUNK = 1 << 16


@dataclass(slots=True)
class Victim:
    """One child process and what it has said so far.

    Args:
        pid: Its process.
        pipe: The reading end of its reports.
        after: Attempts after which it is to be killed.
        delay: Seconds from that attempt to the kill.
    """

    pid: int
    pipe: int
    after: int
    delay: float
    lines: list[bytes] = field(default_factory=list)
    status: int = 0
    killed: bool = False
    _rest: bytes = b""
    _attempts: int = 0
    _deadline: float | None = None

    def read(self) -> bool:
        """Take what it has said; return whether more can come."""
        chunk = os.read(self.pipe, _CHUNK)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        self.lines += whole
        self._attempts += sum(line.startswith(b'["try"') for line in whole)
        if self._deadline is None and self._attempts >= self.after:
            self._deadline = time.monotonic() + self.delay
        return bool(chunk)

    def wait_at_most(self) -> float | None:
        """Return the seconds until the kill, None while its attempt has not come."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def kill(self) -> None:
        """End it as a power switch would."""
        if not self.killed:
            os.kill(self.pid, signal.SIGKILL)
            self.killed = True

    def bury(self) -> None:
        """Collect its exit status."""
        os.close(self.pipe)
        _, self.status = os.waitpid(self.pid, 0)

    def complaint(self) -> str | None:
        """Return why it ended otherwise than by our hand or in peace."""
        if os.WIFSIGNALED(self.status):
            name = signal.Signals(os.WTERMSIG(self.status)).name
            return None if self.killed and name == "SIGKILL" else f"a process died of {name}"
        if os.WEXITSTATUS(self.status) == 0:
            return None
        return f"a process failed: {self.lines[-1].decode() if self.lines else 'without a word'}"


def start(
    work: Callable[[Callable[[bytes], object]], object], *, after: int, delay: float
) -> Victim:
    """Fork a process that does ``work``, which is given the function to report with."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(work, writing)
    os.close(writing)
    return Victim(pid, reading, after, delay)


def _child(work: Callable[[Callable[[bytes], object]], object], pipe: int) -> NoReturn:
    code = 1
    try:
        work(lambda line: os.write(pipe, line))
        code = 0
    except BaseException:  # noqa: BLE001 - the end of a forked process: nothing may climb higher
        os.write(pipe, json.dumps(["crash", traceback.format_exc()]).encode() + b"\n")
    finally:
        os._exit(code)


def watch(victims: Sequence[Victim], *, patience: float) -> list[str]:
    """Read all reports, kill each victim at its moment, and return what went wrong.

    Args:
        victims: Running processes.
        patience: Seconds without any report after which the rest count as hung.
    """
    open_ones = {victim.pipe: victim for victim in victims}
    found = []
    heard = time.monotonic()
    while open_ones:
        waits = [wait for item in open_ones.values() if (wait := item.wait_at_most()) is not None]
        ready, _, _ = select.select(list(open_ones), [], [], min([*waits, patience]))
        for pipe in ready:
            heard = time.monotonic()
            if not open_ones[pipe].read():
                open_ones.pop(pipe).bury()
        hung = time.monotonic() - heard > patience
        if hung:
            found.append(f"{len(open_ones)} processes said nothing for {patience:g} s")
        for victim in open_ones.values():
            if hung or victim.wait_at_most() == 0.0:
                victim.kill()
    return found + [said for item in victims if (said := item.complaint()) is not None]
