"""Publications: which traces were shared with a team, and which were taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import Publication
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session

_COLUMNS = "id, trace_id, project, author, published_at, content_hash, revoked_at, synced_at"


class Publications:
    """The publications of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int]) -> list[Publication]:
        """Return the publications of some traces, revoked ones included."""
        rows = self._session.all(
            f"SELECT {_COLUMNS} FROM publications "
            "WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY published_at, id",
            (id_list(ids),),
        )
        return [Publication(*row) for row in rows]

    def unsynced(self, limit: int = 100) -> list[Publication]:
        """Return what the team does not know yet, oldest first."""
        rows = self._session.all(
            f"SELECT {_COLUMNS} FROM publications WHERE synced_at IS NULL "
            "ORDER BY published_at, id LIMIT ?",
            (limit,),
        )
        return [Publication(*row) for row in rows]


class PublicationWrites(Publications):
    """The publications of one write transaction."""

    def put(self, publication: Publication) -> None:
        """Store one publication, replacing the one with its id."""
        self._session.run(
            f"INSERT OR REPLACE INTO publications ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                publication.id,
                publication.trace_id,
                publication.project,
                publication.author,
                float(publication.published_at),
                publication.content_hash,
                publication.revoked_at,
                publication.synced_at,
            ),
        )

    def revoke(self, ids: Iterable[int], at: float) -> int:
        """Take the publications of traces back, to be told to the team; return how many."""
        return self._session.run(
            """
            UPDATE publications SET revoked_at = :at, synced_at = NULL
            WHERE revoked_at IS NULL AND trace_id IN (SELECT value FROM json_each(:ids))
            """,
            {"at": float(at), "ids": id_list(ids)},
        )

    def mark_synced(self, publication_ids: Iterable[str], at: float) -> None:
        """Note that the team knows the present state."""
        for publication_id in publication_ids:
            self._session.run(
                "UPDATE publications SET synced_at = ? WHERE id = ?", (float(at), publication_id)
            )
