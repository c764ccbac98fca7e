"""What recall leaves behind: counters, journal and co-recall binds, queued in memory.

Recall never opens a write transaction. The queue is bounded; whoever writes next flushes it, and
a kill loses no more than what is in it.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from realmemory.policies import plasticity

if TYPE_CHECKING:
    from realmemory.store.transactions import WriteTx

_CAPACITY = 1_024
_SESSIONS = 32
_RECENT = 4
_WINDOW_S = 1_800.0
_TRAIL = "recall_trail"


class RecallRecord(NamedTuple):
    """One recall as the journal will know it; the query itself is not kept.

    ``hits`` pairs ids with the confidence of the profile, for ``realmemory calibrate``.
    ``beside`` are the others that were shown, whose confidence no profile gave. ``bound`` are the
    hits that answered by themselves: what the graph brought must not feed it.
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
    beside: tuple[tuple[int, float], ...] = ()


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
        trail = _Trail(tx) if any(record.session_id for record in records) else None
        for record in records:
            tx.usage.recalled(record.ids, record.at)
            before = trail.follow(record) if trail else []
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
                    "beside": record.beside,
                },
                ts=record.at,
            )
        if trail:
            trail.save()
        return len(records)


class _Trail:
    """What the latest recalls of each conversation brought, kept in the store.

    A conversation may ask through several processes (a server, hooks, a shell); what one of them
    recalled comes before what the next one recalls.
    """

    def __init__(self, tx: WriteTx) -> None:
        self._tx = tx
        self._steps: dict[str, list[tuple[float, list[int]]]] = json.loads(
            tx.meta.get(_TRAIL) or "{}"
        )

    def follow(self, record: RecallRecord) -> list[tuple[int, float]]:
        """Return what the conversation recalled shortly before, and note this recall."""
        if record.session_id is None:
            return []
        # Last in order: the conversation that was silent for longest is the first to go.
        steps = self._steps.pop(record.session_id, [])
        self._steps[record.session_id] = [
            *steps[1 - _RECENT :],
            (record.at, list(record.bound[: plasticity.CO_RECALLED])),
        ]
        return [
            (trace_id, at)
            for at, ids in steps
            for trace_id in ids
            if 0 <= record.at - at <= _WINDOW_S
        ]

    def save(self) -> None:
        """Keep the latest conversations for the next flush, of whatever process."""
        kept = dict(list(self._steps.items())[-_SESSIONS:])
        self._tx.meta.set(_TRAIL, json.dumps(kept))
