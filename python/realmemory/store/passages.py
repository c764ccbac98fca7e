"""Passages: parts of long texts with vectors of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.store.records import LongText, Passage
from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from realmemory.store.session import Session
    from realmemory.store.trace_writes import TraceWrites

_COLUMNS = 'trace_id, ordinal, "start", "end", embedding'


class Passages:
    """The passages of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def any(self) -> bool:
        """Return whether any text of the store has passages."""
        return self._session.once("passages", self._any)

    def _any(self) -> bool:
        return self._session.one("SELECT 1 FROM passages LIMIT 1") is not None

    def ranges(self, ids: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
        """Return the character ranges of the passages by trace, in order."""
        found: dict[int, list[tuple[int, int]]] = {}
        for row in self._session.all(
            'SELECT trace_id, "start", "end" FROM passages '
            "WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY trace_id, ordinal",
            (id_list(ids),),
        ):
            found.setdefault(row[0], []).append((int(row[1]), int(row[2])))
        return found

    def of(self, ids: Iterable[int]) -> dict[int, list[Passage]]:
        """Return the passages by trace, in order, for the traces that have some."""
        found: dict[int, list[Passage]] = {}
        for row in self._session.all(
            f"SELECT {_COLUMNS} FROM passages "
            "WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY trace_id, ordinal",
            (id_list(ids),),
        ):
            found.setdefault(row[0], []).append(Passage(*row))
        return found

    def missing(self, chars: int, *, after: int, limit: int) -> tuple[list[LongText], int]:
        """Return texts of more than ``chars`` characters without passages, and the last trace.

        Args:
            chars: Characters that need no passage.
            after: Traces up to this id are known to have theirs.
            limit: Most texts, in order of id.
        """
        rows = self._session.all(
            """
            SELECT id, text, CASE kind WHEN 'turn' THEN speaker END FROM traces t
            WHERE id > ? AND length(text) > ?
              AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.trace_id = t.id)
            ORDER BY id LIMIT ?
            """,
            (after, chars, limit),
        )
        last = self._session.one("SELECT coalesce(max(id), 0) FROM traces")
        return [LongText(*row) for row in rows], 0 if last is None else int(last[0])

    def all(self) -> Iterator[Passage]:
        """Yield every passage in order of trace."""
        rows = self._session.stream(f"SELECT {_COLUMNS} FROM passages ORDER BY trace_id, ordinal")
        for trace_id, ordinal, start, end, embedding in rows:
            yield Passage(trace_id, ordinal, start, end, embedding)


_INSERT = f"INSERT INTO passages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"


class PassageWrites(Passages):
    """The passages of one write transaction."""

    def __init__(self, session: Session, traces: TraceWrites) -> None:
        super().__init__(session)
        self._traces = traces

    def replace(self, trace_id: int, passages: Iterable[Passage]) -> int:
        """Store the passages of one trace in place of those it had; return how many."""
        self._session.run("DELETE FROM passages WHERE trace_id = ?", (trace_id,))
        self._traces.mark_content((trace_id,))
        return self.add({trace_id: passages})

    def add(self, passages: Mapping[int, Iterable[Passage]]) -> int:
        """Store the passages of traces that this transaction inserted; return how many."""
        return self._session.run_many(
            _INSERT,
            (
                (trace_id, part.ordinal, part.start, part.end, part.embedding)
                for trace_id, parts in passages.items()
                for part in parts
            ),
        )
