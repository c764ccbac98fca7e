"""Reading the beginnings of texts, with their time: what a re-ranker looks at."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from realmemory.store.session import Session


class Excerpt(NamedTuple):
    """The beginning of a text, when it was observed, epoch seconds, and whether it is to last."""

    text: str
    observed_at: float
    lasting: bool = False


class Excerpts:
    """The texts of one snapshot.

    Ids are joined, for ``IN`` would copy them into a table of its own first.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, ids: Iterable[int], chars: int) -> dict[int, Excerpt]:
        """Return the first characters of the traces that exist, by id."""
        rows = self._session.all(
            """
            SELECT t.id, CAST(substr(t.text, 1, ?) AS BLOB), t.observed_at, t.kind = 'semantic'
            FROM json_each(?) w CROSS JOIN traces t ON t.id = w.value
            """,
            (chars, id_list(ids)),
        )
        return {
            int(row[0]): Excerpt(row[1].decode(errors="replace"), row[2], bool(row[3]))
            for row in rows
        }

    def searched(self, ids: Iterable[int], chars: int) -> dict[int, str]:
        """Return the first characters of what is searched of each trace that exists, by id."""
        rows = self._session.all(
            """
            SELECT t.id, CAST(substr(coalesce(t.index_text, t.text), 1, ?) AS BLOB)
            FROM json_each(?) w CROSS JOIN traces t ON t.id = w.value
            """,
            (chars, id_list(ids)),
        )
        return {int(row[0]): row[1].decode(errors="replace") for row in rows}

    def within(self, ranges: Mapping[int, tuple[int, int]]) -> dict[int, str]:
        """Return the characters of each trace's text from a start to before an end, by id."""
        wanted = [[trace_id, start + 1, end - start] for trace_id, (start, end) in ranges.items()]
        rows = self._session.all(
            """
            SELECT t.id, substr(t.text, w.value ->> 1, w.value ->> 2)
            FROM json_each(?) w JOIN traces t ON t.id = w.value ->> 0
            """,
            (json.dumps(wanted),),
        )
        return {int(row[0]): str(row[1]) for row in rows}
