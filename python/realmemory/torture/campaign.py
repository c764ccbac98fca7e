"""Rounds of abuse: victims live on one store, are killed, and the store is compared with its word.

The parent has everything imported and nothing open; victims and inspectors are its forks, so that
a round costs a tenth of a second instead of the starts of two interpreters.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.clock import DAY
from realmemory.errors import InvalidInputError
from realmemory.torture import victims
from realmemory.torture.inspection import inspect
from realmemory.torture.ledger import Attempt, Ledger
from realmemory.torture.workload import Life, live, open_memory

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDS_A_STORE = 25
"""Rounds after which a fresh store is begun, so that an inspection stays cheap."""
_PATIENCE = 60.0
_YEAR = 365 * DAY
_SHIFTS = (-400 * DAY, -_YEAR, -2 * DAY, 2 * DAY, 2 * _YEAR, 50 * _YEAR)
_LIVES = {"daily": 12, "sleeping": 3, "erasing": 2, "talking": 2, "writing": 1}
_FAULTS = {"none": 8, "full": 1, "clock": 1}


@dataclass(slots=True)
class Verdict:
    """What a run did and found; without findings every promise was kept.

    ``kept`` is the folder of the store that broke a promise.
    """

    seed: int
    rounds: int = 0
    kills: int = 0
    acknowledged: int = 0
    unknown: int = 0
    refused: int = 0
    inspections: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)
    elapsed_s: float = 0.0
    findings: list[str] = field(default_factory=list)
    kept: Path | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def add(self, ledger: Ledger) -> None:
        """Count what one store went through."""
        self.acknowledged += ledger.acknowledged
        self.unknown += ledger.unknown
        self.refused += ledger.refusals
        self.operations.update(ledger.operations)


def torture(
    *,
    rounds: int = 300,
    processes: int = 1,
    seconds: float | None = None,
    seed: int = 1,
    progress: Callable[[Verdict], object] = lambda _: None,
) -> Verdict:
    """Kill processes at random moments until the rounds or the seconds are over.

    Args:
        rounds: Most rounds; each kills every process once and then inspects the store.
        processes: Most processes that use the store at once.
        seconds: Longest time to begin another round in.
        seed: Of all choices; the moments of the kills depend on the machine as well.
        progress: Told after each round.

    Raises:
        InvalidInputError: The system cannot fork processes.
    """
    if not hasattr(os, "fork"):
        raise InvalidInputError(
            "this test forks processes, which this system cannot; nothing was done",
            code="unsupported",
        )
    started = time.monotonic()
    verdict = Verdict(seed)
    source = random.Random(seed)  # noqa: S311 - choices, no secrets
    folder = Path(tempfile.mkdtemp(prefix="realmemory-torture-", dir=_memory_disk()))

    def going_on() -> bool:
        late = seconds is not None and time.monotonic() - started > seconds
        return verdict.ok and verdict.rounds < rounds and not late

    try:
        _warm_up(folder / "warm-up")
        while going_on():
            trial = _Trial(folder / f"store-{verdict.rounds:06d}", source, processes, verdict)
            while going_on() and trial.rounds < _ROUNDS_A_STORE:
                trial.round()
                verdict.elapsed_s = time.monotonic() - started
                progress(verdict)
            trial.end()
    finally:
        if verdict.ok:
            shutil.rmtree(folder, ignore_errors=True)
    verdict.elapsed_s = time.monotonic() - started
    return verdict


def _warm_up(folder: Path) -> None:
    """Do everything once, so that no fork has to import or to compile anything."""
    for plan in _LIVES:
        live(Life(folder, seed="0", name=f"w{plan}", plan=plan, steps=12), lambda _: None)
    inspect(folder, Ledger(), thorough=True)


def _memory_disk() -> str | None:
    """Return a folder that lives in memory: a killed process loses nothing that it wrote there."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - mkdtemp makes the name


class _Trial:
    """The rounds of one store."""

    def __init__(
        self, folder: Path, source: random.Random, processes: int, verdict: Verdict
    ) -> None:
        self._folder = folder
        self._random = source
        self._processes = processes
        self._verdict = verdict
        self._ledger = Ledger()
        self.rounds = 0
        self._in_fork(lambda _: open_memory(folder).close())

    def round(self) -> None:
        """Let the victims live, kill them, and inspect what they leave."""
        lives = self._lives()
        running = [
            victims.start(
                partial(live, life),
                after=self._random.randint(1, 14),
                delay=self._random.random() ** 2 * (0.15 if life.plan == "sleeping" else 0.02),
            )
            for life in lives
        ]
        self._verdict.findings += victims.watch(running, patience=_PATIENCE)
        self._verdict.kills += sum(victim.killed for victim in running)
        for victim in running:
            self._take_down(victim)
        self.rounds += 1
        self._verdict.rounds += 1
        self._inspect(thorough=False)

    def end(self) -> None:
        """Look at everything once more and forget the store, unless it broke a promise."""
        self._verdict.add(self._ledger)
        if self._verdict.ok:
            self._inspect(thorough=True)
        if self._verdict.ok:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _lives(self) -> list[Life]:
        count = self._random.randint(1, self._processes)
        fault = self._random.choices(list(_FAULTS), list(_FAULTS.values()))[0]
        self._verdict.faults[fault] += 1
        own = self._ledger.usable()
        return [
            Life(
                self._folder,
                seed=f"{self._verdict.seed}-{self._verdict.rounds}-{number}",
                name=f"r{self._verdict.rounds}p{number}",
                plan=self._random.choices(list(_LIVES), list(_LIVES.values()))[0],
                own=tuple(own[number::count]),
                clock_shift=self._random.choice(_SHIFTS) if fault == "clock" else 0.0,
                room=self._random.randrange(200_000) if fault == "full" else None,
            )
            for number in range(count)
        ]

    def _take_down(self, victim: victims.Victim) -> None:
        pending: Attempt | None = None
        for line in victim.lines:
            if not line.startswith(b'["crash"'):
                pending = self._ledger.note(pending, line)
        self._ledger.lose(pending)

    def _inspect(self, *, thorough: bool) -> None:
        def work(report: Callable[[bytes], object]) -> None:
            found = inspect(self._folder, self._ledger, thorough=thorough)
            report(json.dumps(found[:20]).encode() + b"\n")

        said = self._in_fork(work)
        self._verdict.inspections += 1
        if said:
            self._verdict.findings += json.loads(said[0])
        if self._verdict.findings:
            self._verdict.kept = self._folder

    def _in_fork(self, work: Callable[[Callable[[bytes], object]], object]) -> list[bytes]:
        """Do something in a process of its own, so that the parent opens nothing."""
        child = victims.start(work, after=1_000_000_000, delay=0.0)
        faults = victims.watch([child], patience=_PATIENCE)
        self._verdict.findings += faults
        return [] if faults else child.lines
