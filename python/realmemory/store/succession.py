"""Which trace stands today for one that was superseded."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from realmemory.store.records import Version
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session


class Succession:
    """The chains of supersession of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def replaced_by(self, ids: Iterable[int]) -> list[int]:
        """Return what is, or will be, history because of one of these, in order of the ids.

        What lies in the archive is passed over: before it stands what it had replaced itself.
        """
        rows = self._session.all(
            """
            WITH RECURSIVE before (id, status) AS (
              SELECT id, status FROM traces
              WHERE superseded_by IN (SELECT value FROM json_each(?))
              UNION
              SELECT t.id, t.status
              FROM before b CROSS JOIN traces t ON t.superseded_by = b.id
              WHERE b.status = 'archived'
            )
            SELECT id FROM before WHERE status IN ('superseded', 'active') ORDER BY id
            """,
            (id_list(ids),),
        )
        return [int(row[0]) for row in rows]

    def after(self, trace_id: int) -> list[int]:
        """Return what came to stand for a trace, one after the other."""
        rows = self._session.all(
            """
            WITH RECURSIVE chain (id) AS (
              SELECT ? UNION
              SELECT t.superseded_by
              FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
              WHERE t.superseded_by IS NOT NULL
            )
            SELECT c.id, t.superseded_by FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
            """,
            (trace_id,),
        )
        successors: dict[int, int | None] = dict(rows)
        later = []
        while (successor := successors.pop(trace_id, None)) is not None:
            # Taken out, so that a damaged chain that bites its tail ends, too.
            trace_id = int(successor)
            later.append(trace_id)
        return later

    def versions(self, ids: Iterable[int]) -> dict[int, Version]:
        """Return when traces, and all that came to stand for them, held."""
        rows = self._session.all(
            """
            WITH RECURSIVE chain (id) AS (
              SELECT value FROM json_each(?) UNION
              SELECT t.superseded_by
              FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
              WHERE t.superseded_by IS NOT NULL
            )
            SELECT t.id, t.valid_from, t.valid_to, t.superseded_by
            FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
            """,
            (id_list(ids),),
        )
        return {
            int(row[0]): Version(row[1], inf if row[2] is None else row[2], row[3]) for row in rows
        }

    def ended(self, now: float) -> list[int]:
        """Return what is live although its announced successor holds by now."""
        rows = self._session.all(
            "SELECT id FROM traces WHERE superseded_by IS NOT NULL AND status = 'active' "
            "AND valid_to <= ? ORDER BY id",
            (now,),
        )
        return [int(row[0]) for row in rows]

    def ends(self, ids: Iterable[int]) -> dict[int, int]:
        """Return the last of the chain that each trace began or is part of, where it ends."""
        rows = self._session.all(
            """
            WITH RECURSIVE chain (start, id) AS (
              SELECT id, id FROM traces WHERE id IN (SELECT value FROM json_each(?))
              UNION
              SELECT c.start, t.superseded_by
              FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
              WHERE t.superseded_by IS NOT NULL
            )
            SELECT c.start, c.id FROM chain c CROSS JOIN traces t NOT INDEXED ON t.id = c.id
            WHERE t.superseded_by IS NULL
            """,
            (id_list(ids),),
        )
        return {int(start): int(end) for start, end in rows}
