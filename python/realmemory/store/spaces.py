"""Spaces: which embedders the vectors in the store come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.index_rows import MEANING
from realmemory.store.records import Space
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session

_CURRENT = "current_space"
_NEXT = "next_space"


class Spaces:
    """The spaces of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find(self, marker: str, dim: int) -> int | None:
        """Return the id of a space, or ``None`` when the store has no vector of it."""
        row = self._session.one("SELECT id FROM spaces WHERE marker = ? AND dim = ?", (marker, dim))
        return None if row is None else int(row[0])

    def all(self) -> list[Space]:
        """Return every space, oldest first."""
        rows = self._session.all("SELECT id, marker, dim, created_at FROM spaces ORDER BY id")
        return [Space(*row) for row in rows]

    def current(self) -> Space | None:
        """Return the space that new vectors belong to, or ``None`` in a store without vectors."""
        row = self._session.one(
            """
            SELECT s.id, s.marker, s.dim, s.created_at FROM spaces s
            JOIN meta m ON m.key = ? AND s.id = CAST(m.value AS INTEGER)
            """,
            (_CURRENT,),
        )
        return None if row is None else Space(*row)

    def in_use(self) -> tuple[int | None, int | None]:
        """Return the ids of the current space and of the one that vectors are being moved to."""
        return self._session.once("spaces in use", self._in_use)

    def _in_use(self) -> tuple[int | None, int | None]:
        rows = self._session.all(
            "SELECT key, CAST(value AS INTEGER) FROM meta WHERE key IN (?, ?)", (_CURRENT, _NEXT)
        )
        found: dict[str, int] = dict(rows)
        return found.get(_CURRENT), found.get(_NEXT)

    def counts(self) -> dict[int | None, int]:
        """Return how many traces have a vector of each space; ``None`` counts those without."""
        rows = self._session.all("SELECT space_id, count(*) FROM traces GROUP BY space_id")
        return {row[0]: row[1] for row in rows}

    def vectors(self, ids: Iterable[int]) -> dict[int, tuple[int, bytes]]:
        """Return space and vector by id of the trace, for those that have one."""
        rows = self._session.all(
            """
            SELECT id, space_id, embedding FROM traces
            WHERE id IN (SELECT value FROM json_each(?)) AND embedding IS NOT NULL
            """,
            (id_list(ids),),
        )
        return {row[0]: (row[1], row[2]) for row in rows}

    def missing(self, space_id: int, *, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """Return ids and meanings of traces that have no vector in this space yet."""
        rows = self._session.all(
            f"""
            SELECT id, {MEANING} FROM traces
            WHERE id > ? AND (space_id IS NOT ? OR embedding IS NULL) ORDER BY id LIMIT ?
            """,
            (after, space_id, limit),
        )
        return [(int(row[0]), str(row[1])) for row in rows]


class SpaceWrites(Spaces):
    """The spaces of one write transaction."""

    def id_of(self, marker: str, dim: int) -> int:
        """Return the id of a space, making it when it is new; the first becomes the current."""
        found = self.find(marker, dim)
        if found is not None:
            return found
        session = self._session
        new_id = session.insert(
            "INSERT INTO spaces (marker, dim, created_at) VALUES (?, ?, ?) RETURNING id",
            (marker, dim, float(session.clock.now())),
        )
        if self.current() is None:
            self.set_current(new_id)
        return new_id

    def begin_change(self, space_id: int) -> None:
        """Say that vectors are being moved to a space; :meth:`set_current` ends the change."""
        self._session.bump()
        self._session.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_NEXT, str(space_id))
        )

    def set_current(self, space_id: int) -> None:
        """Make a space the one that new vectors belong to."""
        if self.current() is not None:
            self._session.bump()
        self._session.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_CURRENT, str(space_id))
        )
        self._session.run("DELETE FROM meta WHERE key = ?", (_NEXT,))
