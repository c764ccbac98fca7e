"""Usage: how often a trace was shown and used, counted lazily beside the traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Usage
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session


class UsageCounts:
    """The counters of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int]) -> dict[int, Usage]:
        """Return the counters by trace, for those that were ever shown or used."""
        rows = self._session.all(
            """
            SELECT trace_id, recalled, used, last_recalled_at, last_used_at FROM usage
            WHERE trace_id IN (SELECT value FROM json_each(?))
            """,
            (id_list(ids),),
        )
        return {row[0]: Usage(*row) for row in rows}

    def idle(self, before: float, shown: int) -> tuple[int, int]:
        """Count active memories, turns aside, that were written before a time and were of no use.

        Args:
            before: Younger ones had no chance yet; epoch seconds.
            shown: How often one must have been shown to have had its chance.

        Returns:
            How many never were in an answer, and how many were at least ``shown`` times without
            ever being used.
        """
        row = self._session.one(
            """
            SELECT
              count(*) FILTER (WHERE coalesce(u.recalled, 0) = 0 AND coalesce(u.used, 0) = 0),
              count(*) FILTER (WHERE u.recalled >= ?2 AND u.used = 0)
            FROM traces t LEFT JOIN usage u ON u.trace_id = t.id
            WHERE t.status = 'active' AND t.kind <> 'turn' AND t.created_at < ?1
            """,
            (before, shown),
        )
        return (0, 0) if row is None else (int(row[0]), int(row[1]))

    def totals(self) -> tuple[int, int]:
        """Return how often traces were shown and used altogether."""
        row = self._session.one("SELECT total(recalled), total(used) FROM usage")
        return (0, 0) if row is None else (int(row[0]), int(row[1]))


class UsageWrites(UsageCounts):
    """The counters of one write transaction."""

    def recalled(self, ids: Iterable[int], at: float) -> None:
        """Count that traces were shown."""
        self._count(ids, at, recalled=1, used=0)

    def used(self, ids: Iterable[int], at: float) -> None:
        """Count that traces were used."""
        self._count(ids, at, recalled=0, used=1)

    def _count(self, ids: Iterable[int], at: float, *, recalled: int, used: int) -> None:
        self._session.run_many(
            """
            INSERT INTO usage (trace_id, recalled, used, last_recalled_at, last_used_at)
            SELECT ?1, ?2, ?3, iif(?2, ?4, NULL), iif(?3, ?4, NULL)
            WHERE EXISTS (SELECT 1 FROM traces WHERE id = ?1)
            ON CONFLICT (trace_id) DO UPDATE SET
              recalled = recalled + excluded.recalled,
              used = used + excluded.used,
              last_recalled_at = coalesce(excluded.last_recalled_at, last_recalled_at),
              last_used_at = coalesce(excluded.last_used_at, last_used_at)
            """,
            [(trace_id, recalled, used, float(at)) for trace_id in ids],
        )
