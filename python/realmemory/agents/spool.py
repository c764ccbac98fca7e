"""Notes and failures that a hook leaves for somebody with more time: one small file each.

A hook has milliseconds and may meet a locked or full store, so it never writes to it. The sleep
hook, a server or the daemon take the files in. Beside an encrypted memory notes are encrypted too.
"""

from __future__ import annotations

import json
import os
import time

from realmemory.agents.files import replace_file
from realmemory.places import SEAL, names_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from realmemory.hippocampus import Hippocampus
    from realmemory.keys import Key

_FOLDER = "inbox"
_NOTES_KEPT = 1_000
_ERRORS_KEPT = 100
_SEALED = ".sealed"


def leave_note(directory: str, note: dict[str, Any]) -> None:
    """Keep something to be remembered; refuse quietly when nobody took the last thousand.

    Raises:
        StoreRefusedError: ``encrypted``; the memory is, and its key is not at hand.
    """
    _leave(directory, "note", note, _NOTES_KEPT, _key(directory, str(note.get("namespace") or "")))


def leave_error(directory: str, host: str, event: str, message: str) -> None:
    """Keep a failure of a hook, without any text of the user."""
    content = {"ts": time.time(), "host": host, "event": event, "message": message[:300]}
    _leave(directory, "error", content, _ERRORS_KEPT)


def pending_errors(directory: str) -> int:
    """Return how many failures nobody took in yet."""
    return sum(name.startswith("error-") for name in _names(directory))


def pending_notes(directory: str) -> int:
    """Return how many notes nobody took in yet."""
    return sum(name.startswith("note-") for name in _names(directory))


def take_in_pending(memory: Hippocampus, directory: str, namespace: str | None) -> None:
    """Remember the notes that hooks left, if any; where that fails they wait for the next time."""
    if not pending_notes(directory):
        return
    from realmemory.agents.sleep import take_in  # noqa: PLC0415 - rarely needed, not in a hook
    from realmemory.errors import RealMemoryError  # noqa: PLC0415 - as above

    try:
        take_in(memory, directory, namespace)
    except RealMemoryError as error:
        import logging  # noqa: PLC0415 - as above

        logging.getLogger(__name__).warning("notes of hooks wait: %s", error.message)


def taken(directory: str, namespace: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(kind, content)`` of each file, oldest first, and delete it afterwards.

    A file whose consumer raises stays for the next time, as does a note for another namespace;
    one that cannot be parsed goes.
    """
    for name in sorted(_names(directory), key=lambda item: item.partition("-")[2]):
        path = os.path.join(directory, _FOLDER, name)
        try:
            written = _read(path, directory, namespace)
            if written is None:
                continue  # encrypted for another memory, or with another key
            content = json.loads(written)
        except FileNotFoundError:
            continue  # another process was faster
        except (OSError, ValueError):
            content = None
        if isinstance(content, dict) and content.get("namespace", namespace) != namespace:
            continue
        if isinstance(content, dict):
            yield name.partition("-")[0], content
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue


def _read(path: str, directory: str, namespace: str) -> str | bytes | None:
    if not path.endswith(_SEALED):
        with open(path, "rb") as file:
            return file.read()
    from realmemory.store.sealed_text import read  # noqa: PLC0415 - few memories are encrypted

    key = _key(directory, namespace)
    return None if key is None else read(path, key)


def _key(directory: str, namespace: str) -> Key | None:
    """Return the key of the memory that a note is for, ``None`` if it is not encrypted."""
    store = os.path.join(directory, namespace) if namespace else directory
    if not names_key() and not os.path.exists(os.path.join(store, SEAL)):
        return None
    from realmemory.store.sealing import key_for  # noqa: PLC0415 - few memories are encrypted

    return key_for(store)


def _leave(
    directory: str, kind: str, content: dict[str, Any], most: int, key: Key | None = None
) -> None:
    if sum(name.startswith(kind) for name in _names(directory)) >= most:
        return
    folder = os.path.join(directory, _FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{kind}-{time.time_ns()}-{os.getpid()}")
    encoded = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    if key is None:
        replace_file(f"{path}.json", encoded)
        return
    from realmemory.store.sealed_text import write  # noqa: PLC0415 - few memories are encrypted

    write(f"{path}{_SEALED}", encoded.decode(), key)


def _names(directory: str) -> list[str]:
    try:
        names = os.listdir(os.path.join(directory, _FOLDER))
    except OSError:
        return []
    return [name for name in names if name.startswith(("note-", "error-"))]
