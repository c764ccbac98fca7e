"""What was replaced by what: the chains of supersession, and when each of their versions held."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from realmemory.store.records import Link, LinkType, Version
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
        return following(self.versions([trace_id]), trace_id)

    def outlasting(self, trace_id: int, when: float) -> list[int]:
        """Return what a trace had come to stand for and what was to hold after a time."""
        rows = self._session.all(
            """
            WITH RECURSIVE before (id) AS (
              SELECT id FROM traces WHERE superseded_by = :id AND valid_to > :when UNION
              SELECT t.id
              FROM before b CROSS JOIN traces t ON t.superseded_by = b.id AND t.valid_to > :when
            )
            SELECT id FROM before ORDER BY id
            """,
            {"id": trace_id, "when": when},
        )
        return [int(row[0]) for row in rows]

    def stood_in(self, ids: Iterable[int]) -> list[Link]:
        """Return the ties of what was made current again to one of these, however many between."""
        rows = self._session.all(
            """
            WITH RECURSIVE before (id) AS (
              SELECT value FROM json_each(:ids) UNION
              SELECT t.id FROM before b CROSS JOIN traces t ON t.superseded_by = b.id UNION
              SELECT l.src FROM before b CROSS JOIN links l ON l.dst = b.id AND +l.type = :type
            )
            SELECT l.src, l.dst, l.weight, l.updated_at, l.rev
            FROM before b CROSS JOIN links l ON l.dst = b.id AND +l.type = :type ORDER BY 1, 2
            """,
            {"ids": id_list(ids), "type": LinkType.RESTORED},
        )
        return [Link(src, dst, LinkType.RESTORED, *rest) for src, dst, *rest in rows]

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
        wanted = list(ids)
        versions = self.versions(wanted)
        lasts = {start: [start, *following(versions, start)][-1] for start in wanted}
        return {
            start: last
            for start, last in lasts.items()
            if last in versions and versions[last].successor is None
        }


def following(versions: Mapping[int, Version], first: int) -> list[int]:
    """Return what came to stand for a version, one after the other.

    A chain that was damaged into a ring ends, too.
    """
    found: dict[int, None] = {}
    version = versions.get(first)
    while version is not None and version.successor is not None and version.successor not in found:
        found[version.successor] = None
        version = versions.get(version.successor)
    return list(found)
