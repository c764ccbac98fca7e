"""What recall leaves behind: counters, journal and co-recall binds, queued in memory.

Recall never opens a write transaction. The queue is bounded; whoever writes next flushes it, and
a kill loses no more than what is in it.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from realmemory.policies import plasticity

if TYPE_CHECKING:
    from realmemory.store.transactions import WriteTx

_CAPACITY = 1_024
_SESSIONS = 64
_RECENT = 4
_WINDOW_S = 1_800.0


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One recall as the journal will know it; the query itself is not kept.

    ``hits`` pairs ids with the confidence of the profile, for ``realmemory calibrate``.
    ``bound`` are the hits that answered by themselves: what the graph brought must not feed it.
    """

    at: float
    ids: tuple[int, ...]
    bound: tuple[int, ...]
    hits: tuple[tuple[int, float], ...]
    k: int
    latency_ms: float
    top_confidence: float
    abstained: bool
    reason: str | None
    session_id: str | None


class PendingEvents:
    """A bounded, thread-safe queue of recalls that are not in the database yet."""

    def __init__(self) -> None:
        self._records: deque[RecallRecord] = deque(maxlen=_CAPACITY)
        self._lock = threading.Lock()
        self._sessions: dict[str, deque[RecallRecord]] = {}

    def __len__(self) -> int:
        return len(self._records)

    def add(self, record: RecallRecord) -> None:
        """Queue one recall; the oldest goes when the queue is full."""
        with self._lock:
            self._records.append(record)

    def flush(self, tx: WriteTx) -> int:
        """Write the queued recalls in the caller's transaction and return their number."""
        with self._lock:
            records = list(self._records)
            self._records.clear()
        for record in records:
            tx.usage.recalled(record.ids, record.at)
            before = self._remembered(record)
            tx.eligibility.add(plasticity.recall_binds(record.bound, before, at=record.at))
            tx.journal.append(
                "recall",
                {
                    "k": record.k,
                    "items": len(record.ids),
                    "abstained": record.abstained,
                    "reason": record.reason,
                    "latency_ms": record.latency_ms,
                    "top_confidence": record.top_confidence,
                    "hits": record.hits,
                },
                ts=record.at,
            )
        return len(records)

    def _remembered(self, record: RecallRecord) -> list[tuple[int, float]]:
        """Return what the session recalled shortly before, and remember this recall for it."""
        if record.session_id is None:
            return []
        with self._lock:
            if record.session_id not in self._sessions:
                while len(self._sessions) >= _SESSIONS:
                    self._sessions.pop(next(iter(self._sessions)))
                self._sessions[record.session_id] = deque(maxlen=_RECENT)
            recent = self._sessions[record.session_id]
            before = [
                (trace_id, earlier.at)
                for earlier in recent
                for trace_id in earlier.bound
                if 0 <= record.at - earlier.at <= _WINDOW_S
            ]
            recent.append(record)
        return before
