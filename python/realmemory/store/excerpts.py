"""Reading the beginnings of texts, with their time: what a re-ranker looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session


class Excerpt(NamedTuple):
    """The beginning of a text and when it was observed, epoch seconds."""

    text: str
    observed_at: float


class Excerpts:
    """The texts of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int], chars: int) -> dict[int, Excerpt]:
        """Return the first characters of the traces that exist, by id."""
        rows = self._session.all(
            """
            SELECT id, CAST(substr(text, 1, ?) AS BLOB), observed_at FROM traces
            WHERE id IN (SELECT value FROM json_each(?))
            """,
            (chars, id_list(ids)),
        )
        return {int(row[0]): Excerpt(row[1].decode(errors="replace"), row[2]) for row in rows}
