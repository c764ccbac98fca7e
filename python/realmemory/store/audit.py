"""The audit log: who did what, in a chain of hashes that shows a later edit."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from realmemory.store.records import AuditEntry, stored_json
from realmemory.store.session import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from realmemory.store.session import Row, Session

_START = "0" * 64


class AuditLog:
    """The audit log of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def page(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """Return entries with a larger number than ``after``, oldest first."""
        rows = self._session.all(
            "SELECT seq, ts, actor, action, data, hash FROM audit WHERE seq > ? "
            "ORDER BY seq LIMIT ?",
            (after, limit),
        )
        return [_entry(row) for row in rows]

    def first_broken(self) -> int | None:
        """Return the number of the first entry that does not follow from the one before."""
        previous = _START
        for seq, ts, actor, action, data, digest in self._session.stream(
            "SELECT seq, ts, actor, action, data, hash FROM audit ORDER BY seq"
        ):
            previous = _digest(previous, float(str(ts)), str(actor), str(action), str(data))
            if previous != digest:
                return int(str(seq))
        return None


class AuditWrites(AuditLog):
    """The audit log of one write transaction."""

    def append(self, actor: str, action: str, data: Mapping[str, Any]) -> int:
        """Add an entry and return its number; ``data`` must not hold a text of the user."""
        session = self._session
        row = session.one("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1")
        ts, dumped = float(session.clock.now()), dump_json(data)
        digest = _digest(_START if row is None else str(row[0]), ts, actor, action, dumped)
        return session.insert(
            "INSERT INTO audit (ts, actor, action, data, hash) VALUES (?, ?, ?, ?, ?) "
            "RETURNING seq",
            (ts, actor, action, dumped, digest),
        )


def _entry(row: Row) -> AuditEntry:
    seq, ts, actor, action, data, digest = row
    return AuditEntry(seq, ts, actor, action, stored_json(data), digest)


def _digest(previous: str, ts: float, actor: str, action: str, data: str) -> str:
    line = dump_json([previous, ts.hex(), actor, action, data])
    return hashlib.sha256(line.encode()).hexdigest()
