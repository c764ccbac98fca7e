"""The life of one victim: it uses a memory in every way and says what was acknowledged."""

from __future__ import annotations

import os
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.encoding.hashing import HashingEmbedder
from realmemory.errors import RealMemoryError, StoreFullError
from realmemory.hippocampus import Hippocampus
from realmemory.torture.ledger import Attempt, acknowledgement, refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIM = 64
_SHARED_TEXTS = 40
_PLACES = ("Riga", "Oslo", "Porto", "Gdansk", "Малага", "Лион", "東京", "Θήβα")
_DAILY = {
    "add": 10,
    "say": 6,
    "shared": 3,
    "many": 2,
    "revise": 4,
    "forget": 2,
    "restore": 1,
    "erase": 1,
    "talk": 2,
    "teach": 2,
    "recall": 3,
    "sleep": 1,
    "undo": 1,
    "reopen": 1,
}
PLANS: dict[str, dict[str, int]] = {
    "daily": _DAILY,
    "sleeping": {**_DAILY, "sleep": 30},
    "erasing": {**_DAILY, "erase": 12, "forget": 12, "restore": 8},
    "talking": {**_DAILY, "talk": 30},
    "writing": {"add": 1, "say": 1, "shared": 1, "many": 1},
}
"""Weights of the operations of one life, by name."""


@dataclass(frozen=True, slots=True)
class Life:
    """What one victim does until it is killed.

    Args:
        folder: The store.
        seed: Of its choices.
        name: Goes into its texts; unique in the run.
        plan: One of :data:`PLANS`.
        own: Traces that only this process changes.
        clock_shift: Seconds by which its clock is wrong.
        room: Bytes that its files may grow by before the disk is "full"; None for no limit.
        steps: Operations after which it leaves by itself.
    """

    folder: Path
    seed: str
    name: str
    plan: str = "daily"
    own: tuple[int, ...] = ()
    clock_shift: float = 0.0
    room: int | None = None
    steps: int = 1_000_000


class ShiftedClock:
    """The clock of a machine whose date is wrong."""

    def __init__(self, shift: float) -> None:
        self._shift = shift

    def now(self) -> float:
        """Return the wrong time."""
        return time.time() + self._shift


def open_memory(folder: Path, shift: float = 0.0) -> Hippocampus:
    """Open the memory under test, which no key in the environment is for."""
    return Hippocampus.open(
        folder, embedder=HashingEmbedder(dim=DIM), clock=ShiftedClock(shift), key=""
    )


def live(life: Life, report: Callable[[bytes], object]) -> None:
    """Use the memory until killed, reporting each attempt before and each success after it."""
    _Victim(life, report).run()


class _Victim:
    def __init__(self, life: Life, report: Callable[[bytes], object]) -> None:
        self._life = life
        self._report = report
        self._random = random.Random(life.seed)  # noqa: S311 - choices, no secrets
        self._own = list(life.own)
        self._hidden: list[int] = []
        self._texts = 0
        self._memory = open_memory(life.folder, life.clock_shift)

    def run(self) -> None:
        plan = PLANS[self._life.plan]
        limited = self._life.room is not None and _limit_files(self._life.folder, self._life.room)
        for _ in range(self._life.steps):
            (op,) = self._random.choices(list(plan), list(plan.values()))
            try:
                getattr(self, f"_{op}")()
            except RealMemoryError as error:
                self._report(refusal(error.code))
                if isinstance(error, StoreFullError) and limited:
                    # Somebody made room: it has to go on without being opened again.
                    limited = _lift_limit()
                elif not isinstance(error, StoreFullError):
                    raise
        self._memory.close()

    def _text(self) -> str:
        self._texts += 1
        place = self._random.choice(_PLACES)
        tail = " and it was weighed twice" * self._random.choice((0, 0, 0, 0, 0, 0, 0, 0, 3, 20))
        return f"Parcel {self._life.name}n{self._texts} left for {place}{tail}"

    def _try(self, op: str, ids: tuple[int, ...] = (), texts: tuple[str, ...] = ()) -> None:
        self._report(Attempt(op, ids, texts).line())

    def _ok(self, *effects: tuple[str, int, str | int | None]) -> None:
        self._report(acknowledgement(list(effects)))

    def _pick(self) -> int:
        """Take one of the own traces, or make one."""
        if not self._own:
            self._add()
        return self._own.pop(self._random.randrange(len(self._own)))

    def _add(self) -> None:
        text = self._text()
        self._try("add", texts=(text,))
        memory_id = self._memory.remember(text, force_new=True).memory_id
        self._own.append(memory_id)
        self._ok(("stored", memory_id, text))

    def _say(self) -> None:
        text = self._text()
        self._try("say", texts=(text,))
        self._ok(("stored", self._memory.remember(text).memory_id, text))

    def _shared(self) -> None:
        text = shared_text(self._random.randrange(_SHARED_TEXTS))
        self._try("shared")
        self._ok(("stored", self._memory.remember(text).memory_id, text))

    def _many(self) -> None:
        texts = [self._text() for _ in range(3)]
        self._try("many", texts=tuple(texts))
        results = self._memory.remember_many(texts)
        self._ok(
            *(("stored", item.memory_id, text) for item, text in zip(results, texts, strict=True))
        )

    def _revise(self) -> None:
        old, text = self._pick(), self._text()
        self._try("revise", (old,), (text,))
        new = self._memory.update_fact(old, text).memory_id
        self._own.append(new)
        self._ok(("stored", new, text), ("superseded", old, new))

    def _forget(self) -> None:
        memory_id = self._pick()
        self._try("forget", (memory_id,))
        self._memory.forget(memory_id)
        self._hidden.append(memory_id)
        self._ok(("archived", memory_id, None))

    def _restore(self) -> None:
        if not self._hidden:
            return
        memory_id = self._hidden.pop()
        self._try("restore", (memory_id,))
        self._memory.restore(memory_id)
        self._own.append(memory_id)
        self._ok(("revived", memory_id, None))

    def _erase(self) -> None:
        memory_id = self._pick()
        self._try("erase", (memory_id,))
        self._memory.forget(memory_id, hard=True)
        self._ok(("erased", memory_id, None))

    def _talk(self) -> None:
        texts = [self._text() for _ in range(5)]
        self._try("talk", texts=tuple(texts))
        turns = [{"text": text, "speaker": "Ann"} for text in texts]
        kept = self._memory.store_conversation(turns, session_id=texts[0].split()[1])
        self._ok(*(("stored", one, text) for one, text in zip(kept.ids, texts, strict=True)))

    def _teach(self) -> None:
        one, other = self._pick(), self._pick()
        self._own += [one, other]
        self._try("teach")
        self._memory.link_memories([one, other])
        self._memory.feedback([one, other], self._random.choice((0.5, 1.0, -0.3)))
        self._memory.pin(one)
        self._ok()

    def _recall(self) -> None:
        self._try("recall")
        place = self._random.choice(_PLACES)
        self._memory.recall(f"which parcel left for {place}?", session_id=self._life.name)
        self._ok()

    def _sleep(self) -> None:
        self._try("sleep")
        self._memory.consolidate()
        self._ok()

    def _undo(self) -> None:
        self._try("undo")
        with suppress(RealMemoryError):
            self._memory.undo()
        self._ok()

    def _reopen(self) -> None:
        self._try("reopen")
        self._memory.close()
        self._memory = open_memory(self._life.folder, self._life.clock_shift)
        self._ok()


def shared_text(number: int) -> str:
    """Return a text that all processes write; the gate has to keep it once."""
    return f"Depot number {number} opens at {number % 24} hours"


def _limit_files(folder: Path, room: int) -> bool:
    """Let no file grow further than ``room`` bytes past the largest; return whether it can be."""
    if sys.platform == "win32":
        return False
    import resource  # noqa: PLC0415 - not on every system

    sizes = [entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()]
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes, default=0) + room, hard))
    return True


def _lift_limit() -> bool:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    return False
