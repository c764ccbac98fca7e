"""Reading what can still be read from a damaged database, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_GAPS = 200_000
"""Unreadable rows of one table after which the rest is given up."""

# Vectors that are kept for a way back are left out: `reembed` makes them anew.
ROWID_TABLES = (
    "scopes",
    "spaces",
    "traces",
    "variants",
    "eligibility",
    "usage",
    "events",
    "audit",
    "tombstones",
)
KEYED_TABLES = {
    "meta": "key",
    "passages": "trace_id, ordinal",
    "links": "src, dst, type",
    "publications": "id",
}
_UNREADABLE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.FullError)


@dataclass(slots=True)
class Salvage:
    """The rows of one table; ``gaps`` counts what could not be read, where that is known.

    Args:
        connection: Reads the damaged file.
        table: One of ours.
        columns: Its columns, from the schema and not from the damaged file.
    """

    connection: apsw.Connection
    table: str
    columns: tuple[str, ...]
    gaps: int = field(default=0, init=False)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield every row that can be read."""
        if self.table in KEYED_TABLES:
            yield from self._by_key(KEYED_TABLES[self.table])
            return
        last = self._last_rowid()
        ranges = [(1, last)] if last else []
        while ranges and self.gaps < _MOST_GAPS:
            low, high = ranges.pop()
            found = self._range(low, high)
            if found is not None:
                yield from found
            elif low == high:
                self.gaps += 1
            else:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)]

    def _last_rowid(self) -> int:
        """Return the largest rowid; a damaged right edge is passed by asking the sequence."""
        largest = 0
        for sql, values in (
            (f"SELECT max(rowid) FROM {self.table}", ()),
            ("SELECT seq FROM sqlite_sequence WHERE name = ?", (self.table,)),
        ):
            try:
                found = self.connection.execute(sql, values).fetchone()
            except apsw.Error:
                continue
            if found is not None and isinstance(found[0], int):
                largest = max(largest, found[0])
        return largest

    def _range(self, low: int, high: int) -> list[tuple[Any, ...]] | None:
        names = ", ".join(f'"{name}"' for name in self.columns)
        try:
            return list(
                self.connection.execute(
                    f"SELECT {names} FROM {self.table} WHERE rowid BETWEEN ? AND ?", (low, high)
                )
            )
        except _UNREADABLE:
            return None
        except UnicodeDecodeError:
            return self._as_bytes(low) if low == high else None

    def _as_bytes(self, rowid: int) -> list[tuple[Any, ...]]:
        """Read one row whose text is not UTF-8 any more, with marks in place of the bad bytes."""
        row: list[Any] = []
        for name in self.columns:
            fields: list[Any] = self.connection.execute(
                f'SELECT iif(typeof("{name}") = \'text\', CAST("{name}" AS BLOB), "{name}"), '
                f'typeof("{name}") FROM {self.table} WHERE rowid = ?',
                (rowid,),
            ).fetchall()
            value, kind = fields[0]
            unreadable = kind == "text" and isinstance(value, bytes)
            row.append(bytes(value).decode(errors="replace") if unreadable else value)
        return [tuple(row)]

    def _by_key(self, key: str) -> Iterator[tuple[Any, ...]]:
        """Read from both ends towards the damage."""
        names = ", ".join(f'"{name}"' for name in self.columns)
        seen: set[tuple[Any, ...]] = set()
        backwards = ", ".join(f"{name} DESC" for name in key.split(", "))
        for order in (key, backwards):
            try:
                for row in self.connection.execute(
                    f"SELECT {names} FROM {self.table} ORDER BY {order}"
                ):
                    if row not in seen:
                        seen.add(row)
                        yield row
            except (*_UNREADABLE, UnicodeDecodeError):
                self.gaps += 1
                continue
            return
