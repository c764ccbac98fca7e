"""Publications: what of this memory a team may read, without the texts.

One row an author and memory; its id is ``<author's id>/<uid of the memory>@<revision>``. A row
without ``synced_at`` says something that the author's file may not say yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Row, Session

TEAM_FILE = "team.file"
"""Name of the fact that says where the author's file is."""

_COLUMNS = "id, trace_id, project, published_at, content_hash, revoked_at, synced_at"
# The first character behind the one that ends a uid: what lies between is one memory.
_BEHIND = chr(ord("@") + 1)


class PublicationRow(NamedTuple):
    """One memory that was published; ``revoked_at`` is set once it is taken back.

    ``author_id`` names the file that it stands in, ``revision`` grows with every change of what
    that file says of it, and ``digest`` is the hash of that, empty once it was taken back. Times
    are epoch seconds.
    """

    author_id: str
    uid: str
    revision: int
    trace_id: int
    project: str
    published_at: float
    digest: str = ""
    revoked_at: float | None = None
    synced_at: float | None = None

    @property
    def standing(self) -> bool:
        """Whether others are still to read it."""
        return self.revoked_at is None


class Publications:
    """The publications of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_author(self, author_id: str) -> dict[str, PublicationRow]:
        """Return what stands in one author's file, or did, by uid."""
        rows = self._session.all(
            f"SELECT {_COLUMNS} FROM publications WHERE author = ? ORDER BY id", (author_id,)
        )
        return {row.uid: row for row in map(_publication, rows)}

    def file_with(self, trace_ids: Iterable[int]) -> str | None:
        """Return the author's file if it may hold the text of one of these memories."""
        row = self._session.one(
            """
            SELECT (SELECT value FROM meta WHERE key = ?) FROM publications
            WHERE trace_id IN (SELECT value FROM json_each(?))
              AND (revoked_at IS NULL OR synced_at IS NULL) LIMIT 1
            """,
            (TEAM_FILE, id_list(trace_ids)),
        )
        return None if row is None or row[0] is None else str(row[0])


class PublicationWrites(Publications):
    """The publications of one write transaction."""

    def drop_digests(self, trace_ids: Iterable[int]) -> None:
        """Forget the hashes of what memories said; whoever writes the file takes them back."""
        self._session.run(
            "UPDATE publications SET content_hash = '' "
            "WHERE trace_id IN (SELECT value FROM json_each(?))",
            (id_list(trace_ids),),
        )

    def put(self, rows: Iterable[PublicationRow]) -> None:
        """Write rows, each in place of what was known of the same author and memory."""
        for row in rows:
            whose = f"{row.author_id}/{row.uid}"
            self._session.run(
                "DELETE FROM publications WHERE id >= ? AND id < ?",
                (f"{whose}@", f"{whose}{_BEHIND}"),
            )
            self._session.run(
                f"INSERT INTO publications ({_COLUMNS}, author) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (f"{whose}@{row.revision}", *row[3:], row.author_id),
            )

    def synced(self, author_id: str, at: float) -> None:
        """Note that the author's file says everything that is known here."""
        self._session.run(
            "UPDATE publications SET synced_at = ? WHERE author = ? AND synced_at IS NULL",
            (at, author_id),
        )


def _publication(row: Row) -> PublicationRow:
    author_id, _, rest = str(row[0]).partition("/")
    uid, _, revision = rest.rpartition("@")
    return PublicationRow(author_id, uid, int(revision), *row[1:])
