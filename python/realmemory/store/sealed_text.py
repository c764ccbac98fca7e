"""One text in a file of its own, encrypted with the key of a store: what hooks leave beside it."""

from __future__ import annotations

import os

import apsw

from realmemory.errors import StoreError
from realmemory.store.sealing import unlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from realmemory.keys import Key


def write(path: str, text: str, key: Key) -> None:
    """Write a text to a new file, whole or not at all.

    Raises:
        StoreError: It cannot be written.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        connection = apsw.Connection(temporary, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            unlock(connection, key)
            connection.pragma("journal_mode", "OFF")
            connection.execute("CREATE TABLE kept (text TEXT NOT NULL) STRICT")
            connection.execute("INSERT INTO kept VALUES (?)", (text,))
        finally:
            connection.close(force=True)
        os.replace(temporary, path)
    except (apsw.Error, OSError) as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise StoreError(f"{path} cannot be written ({error}); the memory is unharmed") from error


def read(path: str, key: Key) -> str | None:
    """Return the text, ``None`` if the file cannot be read with this key.

    Raises:
        FileNotFoundError: There is no such file.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            unlock(connection, key)
            return str(connection.execute("SELECT text FROM kept").get)
        finally:
            connection.close(force=True)
    except apsw.Error:
        return None
