"""Reading the SQLite database of another program, which is left as it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw

from realmemory.errors import StoreRefusedError
from realmemory.store.connection import check_engine, file_uri
from realmemory.store.failures import as_store_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def columns_of(path: Path) -> dict[str, frozenset[str]]:
    """Return the columns of each table.

    Raises:
        StoreError: The file is not a database, or cannot be read.
    """
    with opened(path) as connection:
        names = [
            str(row[0])
            for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        return {
            name: frozenset(
                str(row[0])
                for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
            )
            for name in names
        }


def rows_of(path: Path, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table by name of column, in the order in which they were written.

    Raises:
        StoreRefusedError: There is no such table.
        StoreError: The file is not a database, or cannot be read.
    """
    if table not in columns_of(path):
        raise StoreRefusedError(
            f"{path} has no table {table!r}; nothing was imported.", code="foreign_db"
        )
    quoted = table.replace('"', '""')
    with opened(path) as connection:
        cursor = connection.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid')
        for row in cursor:
            names = [str(item[0]) for item in cursor.get_description()]
            yield dict(zip(names, row, strict=True))


@contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    """Open a database for reading alone; whoever writes to it is not disturbed."""
    check_engine()
    try:
        connection = apsw.Connection(
            f"{file_uri(path.absolute())}?mode=ro",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    except apsw.Error as error:
        raise as_store_error(error, path) from error
    try:
        connection.set_busy_timeout(5_000)
        # Views and triggers of a stranger must not run anything but plain reads.
        connection.pragma("trusted_schema", False)
        yield connection
    except apsw.Error as error:
        raise as_store_error(error, path) from error
    finally:
        connection.close(force=True)
