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


class _Read(NamedTuple):
    """The beginnings of a text, and of what is searched in its place if anything is."""

    text: str
    indexed: str | None
    observed_at: float
    lasting: bool


_KEPT = 1_500
"""Characters of a text that are kept: the stages of a recall look at the same texts."""


class Excerpts:
    """The texts of one snapshot; each is read once.

    Ids are joined, for ``IN`` would copy them into a table of its own first.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[int, _Read | None] = {}

    def of(self, ids: Iterable[int], chars: int) -> dict[int, Excerpt]:
        """Return the first characters of the traces that exist, by id."""
        return {
            trace_id: Excerpt(read.text[:chars], read.observed_at, read.lasting)
            for trace_id, read in self._read(ids, chars)
        }

    def searched(self, ids: Iterable[int], chars: int) -> dict[int, str]:
        """Return the first characters of what is searched of each trace that exists, by id."""
        return {
            trace_id: (read.text if read.indexed is None else read.indexed)[:chars]
            for trace_id, read in self._read(ids, chars)
        }

    def _read(self, ids: Iterable[int], chars: int) -> list[tuple[int, _Read]]:
        wanted = sorted(set(ids))
        if chars > _KEPT:
            found = self._rows(wanted, chars)
            return [*found.items()]
        known = self._known
        missing = [trace_id for trace_id in wanted if trace_id not in known]
        if missing:
            known.update(dict.fromkeys(missing))
            known.update(self._rows(missing, _KEPT))
        return [(trace_id, read) for trace_id in wanted if (read := known[trace_id]) is not None]

    def _rows(self, ids: Iterable[int], chars: int) -> dict[int, _Read]:
        rows = self._session.all(
            """
            SELECT t.id, CAST(substr(t.text, 1, ?1) AS BLOB),
              CAST(substr(t.index_text, 1, ?1) AS BLOB), t.observed_at, t.kind = 'semantic'
            FROM json_each(?2) w CROSS JOIN traces t ON t.id = w.value
            """,
            (chars, id_list(ids)),
        )
        return {
            row[0]: _Read(
                row[1].decode(errors="replace"),
                None if row[2] is None else row[2].decode(errors="replace"),
                row[3],
                bool(row[4]),
            )
            for row in rows
        }

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
