"""Names of snapshots: which file is the newest, and what proves that it is of this store.

Hooks look for the snapshot themselves, so this loads little.
"""

from __future__ import annotations

import os

POINTER = "current"
SUFFIX = ".index"
FOLDER = "index"


def identity(store_id: str, space_id: int, dim: int, analysis_version: int) -> bytes:
    """Return the 32 bytes that must agree between a snapshot and the store it is used with."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL

    content = f"{store_id}\n{space_id}\n{dim}\n{analysis_version}"
    return hashlib.sha256(content.encode()).digest()


def newest(folder: str) -> str | None:
    """Return the path of the snapshot that the pointer names, if it names one."""
    try:
        with open(os.path.join(folder, POINTER), encoding="ascii") as file:
            name = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return os.path.join(folder, name) if number_of(name) is not None else None


def number_of(name: str) -> int | None:
    """Return the number of a generation, or ``None`` for any other file."""
    stem = name.removesuffix(SUFFIX)
    return int(stem) if stem != name and stem.isascii() and stem.isdecimal() else None
