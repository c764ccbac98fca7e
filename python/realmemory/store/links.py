"""Links between traces: learned (plastic), stated, conflicting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Link, LinkFeed, LinkType
from realmemory.store.session import Session, id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_COLUMNS = "src, dst, type, weight, updated_at, rev"


class Links:
    """The links of one snapshot.

    Where a few traces are asked for, `+type` keeps the planner from reading every link of the type
    instead, of which there may be a hundred thousand.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int], types: Iterable[LinkType] | None = None) -> list[Link]:
        """Return the links that start or end at one of the traces."""
        rows = self._session.all(
            f"""
            SELECT {_COLUMNS} FROM links
            WHERE src IN (SELECT value FROM json_each(:ids))
            UNION
            SELECT {_COLUMNS} FROM links
            WHERE dst IN (SELECT value FROM json_each(:ids))
            ORDER BY src, dst, type
            """,
            {"ids": id_list(ids)},
        )
        wanted = None if types is None else set(types)
        links = map(_link, rows)
        return [link for link in links if wanted is None or link.type in wanted]

    def outgoing(self, ids: Iterable[int], link_type: LinkType) -> list[Link]:
        """Return the links of a type that start at one of the traces."""
        rows = self._session.all(
            f"SELECT {_COLUMNS} FROM links WHERE src IN (SELECT value FROM json_each(?)) "
            "AND +type = ? ORDER BY src, dst",
            (id_list(ids), link_type),
        )
        return [_link(row) for row in rows]

    def get(self, src: int, dst: int, link_type: LinkType) -> Link | None:
        """Return one link by its ends and type."""
        row = self._session.one(
            f"SELECT {_COLUMNS} FROM links WHERE src = ? AND dst = ? AND type = ?",
            (src, dst, link_type),
        )
        return None if row is None else _link(row)

    def conflicts_of(self, ids: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """Return, by trace, the traces that it contradicts; links are read in both directions."""
        found: dict[int, set[int]] = {}
        for one, other in self._session.all(
            """
            SELECT src, dst FROM links
            WHERE src IN (SELECT value FROM json_each(:ids)) AND +type = :type
            UNION ALL
            SELECT dst, src FROM links
            WHERE dst IN (SELECT value FROM json_each(:ids)) AND +type = :type
            """,
            {"ids": id_list(ids), "type": LinkType.CONFLICT},
        ):
            found.setdefault(one, set()).add(other)
        return {trace_id: tuple(sorted(others)) for trace_id, others in found.items()}

    def any_conflict(self) -> bool:
        """Return whether any two traces contradict each other."""
        return self._session.once("conflicts", self._any_conflict)

    def _any_conflict(self) -> bool:
        row = self._session.one("SELECT 1 FROM links WHERE type = ? LIMIT 1", (LinkType.CONFLICT,))
        return row is not None

    def untouched_since(self, at: float, link_type: LinkType, *, limit: int) -> list[Link]:
        """Return links of a type that were last changed before a time, the oldest first."""
        rows = self._session.all(
            f"SELECT {_COLUMNS} FROM links WHERE type = ? AND updated_at < ? "
            "ORDER BY updated_at, src, dst LIMIT ?",
            (link_type, at, limit),
        )
        return [_link(row) for row in rows]

    def count(self, link_type: LinkType | None = None) -> int:
        """Return how many links there are."""
        row = self._session.one(
            "SELECT count(*) FROM links WHERE :type IS NULL OR type = :type", {"type": link_type}
        )
        return 0 if row is None else int(row[0])

    def changes_since(self, rev: int) -> LinkFeed:
        """Return the links that changed after ``rev``; 0 or below the floor means all."""
        session = self._session
        now, floor = session.all("SELECT rev, floor FROM revision")[0]
        if rev <= 0 or rev < floor or rev > now:
            rows = session.stream(f"SELECT {_COLUMNS} FROM links")
            return LinkFeed(now, True, (), map(_link, rows))
        removed = session.all(
            """
            SELECT trace_id, dst, link_type FROM tombstones
            WHERE rev > ? AND dst IS NOT NULL ORDER BY seq
            """,
            (rev,),
        )
        rows = session.feed(
            f"SELECT {_COLUMNS} FROM links WHERE rev > ? ORDER BY rev, src, dst",
            (rev,),
        )
        gone = tuple((int(src), int(dst), LinkType(kind)) for src, dst, kind in removed)
        return LinkFeed(now, False, gone, map(_link, rows))


class LinkWrites(Links):
    """The links of one write transaction."""

    def put(self, links: Iterable[Link], *, max_out_degree: int | None = None) -> int:
        """Store links, replacing those with the same ends and type; return how many.

        Ends that do not exist and links of a trace to itself are left out.

        Args:
            links: Their ``rev`` is ignored.
            max_out_degree: Most links of one type that a trace keeps; the weakest go first.
        """
        wanted = [link for link in links if link.src != link.dst]
        if not wanted:
            return 0
        rev = self._session.bump()
        stored = self._session.run_many(
            """
            INSERT INTO links (src, dst, type, weight, updated_at, rev)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE EXISTS (SELECT 1 FROM traces WHERE id = ?1)
              AND EXISTS (SELECT 1 FROM traces WHERE id = ?2)
            ON CONFLICT (src, dst, type) DO UPDATE
            SET weight = excluded.weight, updated_at = excluded.updated_at, rev = excluded.rev
            """,
            [
                (link.src, link.dst, link.type, float(link.weight), float(link.updated_at), rev)
                for link in wanted
            ],
        )
        crowded = {(link.src, link.type) for link in wanted}
        if max_out_degree is not None:
            for src, link_type in sorted(crowded):
                self._bound(src, link_type, max_out_degree)
        return stored

    def connect(self, src: int, dst: int, link_type: LinkType, weight: float = 1.0) -> int:
        """Store one link as of now."""
        now = self._session.clock.now()
        return self.put((Link(src, dst, link_type, weight, now),))

    def remove(self, ends: Iterable[tuple[int, int, LinkType]]) -> int:
        """Delete links, leaving tombstones; return how many there were."""
        session = self._session
        removed = 0
        for src, dst, link_type in ends:
            gone = session.run(
                "DELETE FROM links WHERE src = ? AND dst = ? AND type = ?", (src, dst, link_type)
            )
            if gone:
                session.run(
                    """
                    INSERT INTO tombstones (rev, trace_id, dst, link_type, deleted_at)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                    (session.bump(), src, dst, link_type, float(session.clock.now())),
                )
            removed += gone
        return removed

    def _bound(self, src: int, link_type: LinkType, most: int) -> None:
        rows = self._session.all(
            """
            SELECT src, dst, type FROM links WHERE src = ? AND type = ?
            ORDER BY weight DESC, dst LIMIT -1 OFFSET ?
            """,
            (src, link_type, most),
        )
        self.remove((row[0], row[1], LinkType(row[2])) for row in rows)


def _link(row: Sequence[Any]) -> Link:
    src, dst, kind, weight, updated_at, rev = row
    return Link(src, dst, LinkType(kind), weight, updated_at, rev)
