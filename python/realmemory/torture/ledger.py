"""What a memory has promised: the book of everything it acknowledged before it was killed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Attempt:
    """A call that was begun; when its process dies, each of its effects may or may not be there."""

    op: str
    ids: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    def line(self) -> bytes:
        """Return it as one line of a report."""
        return _line(["try", self.op, self.ids, self.texts])


@dataclass(slots=True)
class Ledger:
    """Acknowledged effects of all processes on one store.

    ``texts`` maps an id to every wording that was acknowledged for it. ``loose`` ids were touched
    by a call whose outcome nobody knows: their text stands, their status may be either.
    ``common`` ids hold texts that every process writes, so that no process may change them.
    ``possible`` texts were tried and may be there, ``refused`` ones must not be.
    """

    texts: dict[int, set[str]] = field(default_factory=dict)
    successors: dict[int, int] = field(default_factory=dict)
    common: set[int] = field(default_factory=set)
    archived: set[int] = field(default_factory=set)
    erased: set[int] = field(default_factory=set)
    loose: set[int] = field(default_factory=set)
    perhaps_erased: set[int] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    operations: dict[str, int] = field(default_factory=dict)
    acknowledged: int = 0
    unknown: int = 0
    refusals: int = 0

    def usable(self) -> list[int]:
        """Return the ids whose state is known and which can still be changed."""
        settled = self.erased | self.loose | self.common | self.archived | self.successors.keys()
        return sorted(self.texts.keys() - settled)

    def note(self, pending: Attempt | None, line: bytes) -> Attempt | None:
        """Take one line of a process and return the attempt that is open after it."""
        what, *rest = json.loads(line)
        if what == "try":
            op, ids, texts = rest
            return Attempt(op, tuple(ids), tuple(texts))
        if what == "ok" and pending is not None:
            self._acknowledge(pending, rest[0])
        elif pending is not None:
            self._turn_down(pending, rest[0])
        return None

    def _acknowledge(self, attempt: Attempt, effects: list[list[Any]]) -> None:
        self.acknowledged += 1
        self.operations[attempt.op] = self.operations.get(attempt.op, 0) + 1
        for mark, memory_id, value in effects:
            if mark == "stored":
                self.texts.setdefault(memory_id, set()).add(value)
                if attempt.op == "shared":
                    self.common.add(memory_id)
            elif mark == "superseded":
                self.successors[memory_id] = value
            elif mark == "archived":
                self.archived.add(memory_id)
            elif mark == "revived":
                self.archived.discard(memory_id)
            else:
                self.erased.add(memory_id)

    def _turn_down(self, attempt: Attempt, code: str) -> None:
        self.refusals += 1
        if code in {"unknown_outcome", "erase_unfinished"}:
            self.lose(attempt)
        else:
            self.refused.update(attempt.texts)

    def lose(self, attempt: Attempt | None) -> None:
        """Note that nobody will ever learn how an attempt ended."""
        if attempt is None:
            return
        self.unknown += 1
        self.possible.update(attempt.texts)
        self.loose.update(attempt.ids)
        if attempt.op == "erase":
            self.perhaps_erased.update(attempt.ids)


def acknowledgement(effects: list[tuple[str, int, str | int | None]]) -> bytes:
    """Return the line that says that a call succeeded, and what it did."""
    return _line(["ok", effects])


def refusal(code: str) -> bytes:
    """Return the line that says that a call was refused."""
    return _line(["refused", code])


def _line(value: list[Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
