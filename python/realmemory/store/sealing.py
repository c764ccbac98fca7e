"""Encryption of the database file: which key opens it, and how a connection is given one.

Pages are encrypted and authenticated by SQLite3 Multiple Ciphers, in the file and in its log. The
first 16 bytes are random and the next 8 in the clear (https://utelle.github.io/SQLite3MultipleCiphers),
so that an encrypted file can be told from any other without a key. Hooks import this module.
"""

from __future__ import annotations

import json
import os

import apsw

from realmemory import keys
from realmemory.errors import ConfigurationError, StoreCorruptError, StoreRefusedError
from realmemory.places import FILE_VARIABLE, KEY_VARIABLE, SEAL
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from realmemory.errors import StoreError
    from realmemory.keys import Key
    from realmemory.store.paths import StorePaths

CIPHER = "aegis"
"""AEGIS-256: reading costs a fifth of what ChaCha20-Poly1305 costs, where the processor knows AES."""
RESERVED = 64
"""Bytes of each page that the cipher takes for its nonce and its tag."""
_PLAIN = b"SQLite format 3\x00"
_CLEAR = slice(16, 24)
_FRACTIONS = b"\x40\x20\x20"
"""What every SQLite file says of its pages from byte 21 on, an encrypted one as well."""


class Seal(NamedTuple):
    """What stands beside an encrypted store: the identities of its keys, and their file.

    ``moving``: it is being encrypted, decrypted or given another key, and may be either yet.
    """

    keys: tuple[str, ...]
    file: str
    moving: bool


def unlock(connection: apsw.Connection, key: Key) -> None:
    """Give a connection its key, before anything else is done with it."""
    connection.pragma("cipher", CIPHER)
    connection.pragma("key", f"raw:{key.hex()}")


def uri_parameters(key: Key | None) -> str:
    """Return the part of an address that makes a new file encrypted with a key, or plain."""
    return "key=" if key is None else f"cipher={CIPHER}&key=raw:{key.hex()}"


def is_sealed(path: str | os.PathLike[str]) -> bool | None:
    """Return whether a file is an encrypted database; ``None`` if it is neither that nor a plain one.

    Looked at through SQLite's own file layer, which keeps the locks of this process.
    """
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
    try:
        if not os.path.getsize(path):
            return None
        file = apsw.VFSFile("", os.path.abspath(path), flags)
        try:
            head = file.xRead(_CLEAR.stop, 0)
        finally:
            file.xClose()
    except (OSError, apsw.Error):
        return None
    if head.startswith(_PLAIN):
        return False
    page = int.from_bytes(head[16:18], "big")
    return True if head[21:24] == _FRACTIONS and page in {4096, 8192, 1} else None


def key_for(directory: str, given: Key | str | None = None) -> Key | None:
    """Return the key to the store in a folder, ``None`` if it has or needs none.

    Args:
        directory: The folder of the store, which may not exist yet.
        given: A key or its digits; the empty text for none. By default the one that the environment
            names, else the one in the file with which the store was encrypted.

    Raises:
        StoreRefusedError: ``encrypted``; a key is missing, or given for a store without one.
        ConfigurationError: ``invalid_key`` or ``unsafe_key``.
    """
    path = os.path.join(directory, "memory.db")
    named = keys.stated(given)
    for key in named:
        refuse_beside(key.source, directory)
    sealed, seal = is_sealed(path), read_seal(directory)
    if sealed is False:
        if named:
            raise _without(path)
        if seal is not None and not seal.moving:
            raise _opened_by_others(path)
        return None
    candidates = named or (() if given == "" else remembered(seal))
    if not candidates:
        if sealed:
            raise missing(path, seal)
        return None
    if len(candidates) > 1 and sealed:
        return _fitting(path, candidates, seal)
    return candidates[0]


def _fitting(path: str, candidates: tuple[Key, ...], seal: Seal | None) -> Key:
    if seal is not None and len(seal.keys) == 1:
        named = [key for key in candidates if key.identity == seal.keys[0]]
        if named:
            return named[0]
    return next((key for key in candidates if opens(path, key)), candidates[0])


def remembered(seal: Seal | None) -> tuple[Key, ...]:
    """Return the keys in the file with which a store was encrypted, as far as it is there."""
    if seal is None:
        return ()
    return keys.read(seal.file) if seal.file and os.path.exists(seal.file) else ()


def opens(path: str | os.PathLike[str], key: Key | None) -> bool:
    """Return whether a database file, without its log, can be read with a key."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(_address(path), flags=flags)
    except apsw.Error:
        return False
    try:
        if key is not None:
            unlock(connection, key)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        return False
    else:
        return True
    finally:
        connection.close(force=True)


def _address(path: str | os.PathLike[str]) -> str:
    from pathlib import Path  # noqa: PLC0415 - only while a key is being changed

    from realmemory.store.connection import file_uri  # noqa: PLC0415 - as above

    return f"{file_uri(Path(path).absolute())}?immutable=1"


def refuse_beside(source: str, directory: str) -> None:
    """Refuse a key that is kept in the folder that it opens.

    Raises:
        ConfigurationError: ``unsafe_key``.
    """
    if not source:
        return
    place, within = (os.path.normcase(os.path.realpath(each)) for each in (source, directory))
    if place.startswith(os.path.join(within, "")):
        raise ConfigurationError(
            f"the key file {source} lies in the folder of the memory that it opens, so that whoever "
            "has the folder has the key; nothing was read or written. Keep it elsewhere.",
            code="unsafe_key",
        )


def read_seal(directory: str) -> Seal | None:
    """Return what stands beside an encrypted store; a missing or unreadable file is none."""
    try:
        with open(os.path.join(directory, SEAL), "rb") as file:
            data = json.loads(file.read())
        return Seal(
            tuple(str(each) for each in data["keys"]), str(data["file"]), bool(data["moving"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_seal(paths: StorePaths, *kept: Key | None, moving: bool = False) -> None:
    """Remember which keys may open the store, and where the first is kept.

    Args:
        paths: The store.
        *kept: The key, or the new one and the old one; ``None`` stands for none.
        moving: The store is on its way from one to the other.
    """
    from realmemory.store import directory  # noqa: PLC0415 - nothing that a hook does

    named = [key for key in kept if key is not None]
    identities = [key.identity for key in named]
    before = read_seal(str(paths.directory))
    known = before.file if before is not None and before.keys[:1] == tuple(identities[:1]) else ""
    content = {
        "keys": identities,
        "file": next((key.source for key in named if key.source), known),
        "moving": moving,
    }
    directory.write_atomically(paths.seal, json.dumps(content).encode(), durable=True)


def keep_keys(path: Path, kept: tuple[Key, ...]) -> tuple[Key, ...]:
    """Write a key file, whole or not at all, and return the keys as they are read from it.

    Raises:
        StoreError: It cannot be written; what was there before is unharmed.
    """
    from realmemory.store import directory, failures  # noqa: PLC0415 - nothing that a hook does

    with failures.written_beside(path):
        directory.make_private(path.parent)
        directory.write_atomically(path, keys.written(kept), durable=True)
    return keys.read(str(path))


def check_key(paths: StorePaths) -> None:
    """Refuse a store whose key is missing or another one, whatever state its pages are in.

    Raises:
        StoreRefusedError: ``encrypted``.
    """
    if paths.key is None:
        if is_sealed(paths.database):
            raise missing(paths.database, read_seal(str(paths.directory)))
        return
    seal = read_seal(str(paths.directory))
    if seal is not None and paths.key.identity in seal.keys:
        return
    if not opens(paths.database, paths.key):
        raise unopened(paths.database, str(paths.directory), paths.key)


def missing(path: str | os.PathLike[str], seal: Seal | None) -> StoreRefusedError:
    """Return the error of an encrypted store for which there is no key."""
    kept = f" Its key was kept in {seal.file}." if seal is not None and seal.file else ""
    return StoreRefusedError(
        f"{os.fspath(path)} is encrypted, and no key was given; it was left as it is.{kept} Name "
        f"the file of its key in {FILE_VARIABLE}, or give the key in {KEY_VARIABLE}.",
        code="encrypted",
    )


def _without(path: str) -> StoreRefusedError:
    return StoreRefusedError(
        f"{path} is not encrypted, but a key was given; it was left as it is. Encrypt it with "
        f"`realmemory encrypt`, or open it without a key (unset {KEY_VARIABLE} and "
        f"{FILE_VARIABLE}).",
        code="encrypted",
    )


def _opened_by_others(path: str) -> StoreRefusedError:
    beside = os.path.join(os.path.dirname(path), SEAL)
    return StoreRefusedError(
        f"{path} is not encrypted, but {beside} says that it should be: somebody may have put "
        "another file in its place; both were left as they are. Restore a backup with `realmemory "
        f"backup restore`; if you put it there on purpose, delete {beside}.",
        code="encrypted",
    )


def unopened(path: str | os.PathLike[str], directory: str, key: Key | None) -> StoreError:
    """Return the error of an encrypted file that cannot be read with the key that was given."""
    seal = read_seal(directory)
    if key is None:
        return missing(path, seal)
    known = () if seal is None else seal.keys
    if known == (key.identity,):
        return StoreCorruptError(
            f"the first page of {os.fspath(path)} is damaged: its key is the right one, and does "
            "not open it; it was left as it is. Save what the file still holds with `realmemory "
            "repair`, or restore a backup with `realmemory backup restore`."
        )
    doubt = "" if known else ", or its first page is damaged"
    return StoreRefusedError(
        f"{os.fspath(path)} is encrypted with another key than the one given ({key.identity})"
        f"{doubt}; it was left as it is. Give the key that it was encrypted with.",
        code="encrypted",
    )
