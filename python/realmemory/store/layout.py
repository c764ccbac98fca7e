"""How the rows of each table lie in the file, by a sound schema and not by the damaged one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory.store.row_hash import TRACE_FIELDS, VARIANT_FIELDS, row_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from realmemory.store.pages import Value

    Row = tuple[Any, ...]
    Key = tuple[Any, ...]

_HASHED = {"traces": TRACE_FIELDS, "variants": VARIANT_FIELDS}
_TYPES: dict[str, type | tuple[type, ...]] = {
    "INTEGER": int,
    "REAL": (int, float),
    "TEXT": str,
    "BLOB": bytes,
}


class Index(NamedTuple):
    """One index of a table: the columns that it repeats, and where the key of the row stands."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]
    is_partial: bool


class Table(NamedTuple):
    """One table. ``rowid`` is the column that stands for the rowid, ``None`` if it has none."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    required: tuple[bool, ...]
    key: tuple[int, ...]
    rowid: int | None
    indexes: tuple[Index, ...]
    hashed: tuple[int, ...]

    def row(self, rowid: int, values: Sequence[Value]) -> Row | None:
        """Return the values as a row of this table, ``None`` if they cannot be one."""
        if len(values) != len(self.columns):
            return None
        row = list(values)
        for place, kind in enumerate(self.types):
            if place == self.rowid:
                # The file has a gap there. Other tables of texts have none: statistics, for one.
                if row[place] is not None:
                    return None
                row[place] = rowid
            elif row[place] is None:
                if self.required[place]:
                    return None
            elif not isinstance(row[place], _TYPES[kind]):
                return None
            elif kind == "REAL":
                row[place] = float(row[place] or 0)
        return tuple(row)

    def key_of(self, row: Row) -> Key:
        """Return what tells this row from every other."""
        return tuple(row[place] for place in self.key)

    def is_sealed(self, row: Row) -> bool:
        """Return whether the row matches its hash; a row of a table without hashes does."""
        if not self.hashed:
            return True
        stored = row[self.columns.index("row_hash")]
        return bool(row_hash(*(row[place] for place in self.hashed)) == stored)


def table(schema: apsw.Connection, name: str) -> Table:
    """Describe one of our tables as it is in a fresh store."""
    infos = list(schema.execute(f"PRAGMA table_info({name})"))
    columns = tuple(str(info[1]) for info in infos)
    types = tuple(str(info[2]) for info in infos)
    keyed = sorted((int(info[5]), int(info[0])) for info in infos if info[5])
    key = tuple(place for _, place in keyed)
    has_rowid = len(key) == 1 and types[key[0]] == "INTEGER"
    return Table(
        name,
        columns,
        types,
        tuple(bool(info[3] or info[5]) for info in infos),
        key,
        key[0] if has_rowid else None,
        _indexes(schema, name, columns, key),
        tuple(columns.index(column) for column in _HASHED.get(name, ())),
    )


def _indexes(
    schema: apsw.Connection, table_name: str, columns: tuple[str, ...], key: tuple[int, ...]
) -> tuple[Index, ...]:
    found = []
    for _, name, _, origin, partial in schema.execute(f"PRAGMA index_list({table_name})"):
        if origin == "pk":
            continue
        # By number of the column; the rowid has -1 and is the key itself.
        numbers = [int(info[1]) for info in schema.execute(f"PRAGMA index_xinfo({name})")]
        places = [key[0] if number < 0 else number for number in numbers]
        where = tuple(len(places) - 1 - places[::-1].index(place) for place in key)
        repeated = tuple(columns[place] for place in places)
        found.append(Index(str(name), repeated, where, bool(partial)))
    return tuple(sorted(found))
