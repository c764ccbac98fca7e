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


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One recall as the journal will know it; the query itself is not kept."""

    at: float
    ids: tuple[int, ...]
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
            tx.eligibility.add(plasticity.co_recall_binds(record.ids, at=record.at))
            tx.journal.append(
                "recall",
                {
                    "k": record.k,
                    "items": len(record.ids),
                    "abstained": record.abstained,
                    "reason": record.reason,
                    "latency_ms": record.latency_ms,
                    "top_confidence": record.top_confidence,
                },
                ts=record.at,
            )
        return len(records)
