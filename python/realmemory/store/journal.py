"""The journal: what happened, without the texts of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Event, stored_json
from realmemory.store.session import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from realmemory.store.session import Session


class Journal:
    """The events of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def page(
        self,
        *,
        after: int = 0,
        before: int | None = None,
        types: Iterable[str] | None = None,
        newest_first: bool = False,
        limit: int = 100,
    ) -> list[Event]:
        """Return events with ``after < seq < before`` in order of their number."""
        order = "DESC" if newest_first else "ASC"
        rows = self._session.all(
            f"""
            SELECT ts, type, data, seq FROM events
            WHERE seq > :after AND (:before IS NULL OR seq < :before)
              AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))
            ORDER BY seq {order} LIMIT :limit
            """,
            {
                "after": after,
                "before": before,
                "types": None if types is None else dump_json(list(types)),
                "limit": limit,
            },
        )
        return [Event(ts, kind, stored_json(data), seq) for ts, kind, data, seq in rows]

    def counts(self) -> dict[str, int]:
        """Return how many events there are of each type."""
        rows = self._session.all("SELECT type, count(*) FROM events GROUP BY type ORDER BY type")
        return {str(row[0]): int(row[1]) for row in rows}


class JournalWrites(Journal):
    """The events of one write transaction."""

    def append(self, type: str, data: Mapping[str, Any], ts: float | None = None) -> int:  # noqa: A002 - the column's name
        """Add an event and return its number; ``data`` must not hold a text of the user."""
        session = self._session
        at = float(session.clock.now() if ts is None else ts)
        return session.insert(
            "INSERT INTO events (ts, type, data) VALUES (?, ?, ?) RETURNING seq",
            (at, type, dump_json(data)),
        )

    def append_many(self, events: Iterable[Event]) -> None:
        """Add events in order; their ``seq`` is ignored."""
        self._session.run_many(
            "INSERT INTO events (ts, type, data) VALUES (?, ?, ?)",
            [(float(event.ts), event.type, dump_json(event.data)) for event in events],
        )

    def rotate(self, keep: int) -> int:
        """Drop all but the newest ``keep`` events and return how many went."""
        return self._session.run(
            "DELETE FROM events WHERE seq <= (SELECT seq FROM events ORDER BY seq DESC "
            "LIMIT 1 OFFSET ?)",
            (keep,),
        )
