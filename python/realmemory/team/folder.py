"""The shared folder: a file an author, carried by whatever the team uses; nobody here is trusted."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.interop.lines import read_lines
from realmemory.store.directory import write_atomically
from realmemory.store.failures import written_beside
from realmemory.team.author_file import (
    MAX_ENTRIES,
    MAX_FILE,
    MAX_LINE,
    Entry,
    Header,
    read_entry,
    read_header,
)
from realmemory.team.identity import SUFFIX, file_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MAX_FILES = 1_000
"""Most authors of one folder."""
_SETTLED_S = 2.0
"""A file that is younger when it is read may change again without another time stamp."""
_PUBLIC = 0o666
"""Others are to read it; the umask of the author has its say."""


class Refusal(NamedTuple):
    """One line that is not taken, and why."""

    line: int
    code: str
    message: str


class AuthorFile(NamedTuple):
    """What one file says, line by line, with what of it cannot be used."""

    header: Header
    entries: list[Entry]
    refused: list[Refusal]


class Stamp(NamedTuple):
    """By what a file is known not to have changed; all zero for one that is too young to tell."""

    size: int = 0
    modified_ns: int = 0
    inode: int = 0


def reachable(folder: Path) -> Path:
    """Return the folder if it is there.

    Raises:
        RealMemoryError: ``team_unreachable``.
    """
    if folder.is_dir():
        return folder
    raise RealMemoryError(
        f"the team's folder {folder} is not there at the moment; your memory and what was read "
        "before are unharmed. Mount or clone it, or name another one with `realmemory team init`.",
        code="team_unreachable",
    )


def author_files(folder: Path) -> list[Path]:
    """Return what may be authors' files, by name; one more than :data:`MAX_FILES` at most."""
    with written_beside(folder):
        names = sorted(
            entry.name
            for entry in os.scandir(folder)
            if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
        )
    return [folder / name for name in names[: MAX_FILES + 1]]


def read_bytes(path: Path) -> tuple[bytes, Stamp]:
    """Return the content of a file as it is at one moment, and its stamp.

    Links are not followed, and what is no file (a pipe would never end) is not opened.

    Raises:
        InvalidInputError: ``not_a_file``, ``unreadable`` or ``file_too_large``.
        FileNotFoundError: It is not there.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InvalidInputError(f"{path.name} is no plain file", code="not_a_file")
        with os.fdopen(os.open(path, flags), "rb") as stream:
            found = os.fstat(stream.fileno())
            content = stream.read(MAX_FILE + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InvalidInputError(
            f"{path.name} cannot be read: {error.strerror}", code="unreadable"
        ) from error
    if len(content) > MAX_FILE:
        raise InvalidInputError(
            f"{path.name} is larger than {MAX_FILE // 2**20} MiB", code="file_too_large"
        )
    return content, _stamp(found)


def stamp_of(path: Path) -> Stamp:
    """Return the stamp of a file as it is now; that of none where there is no file."""
    try:
        return _stamp(path.lstat())
    except OSError:
        return Stamp()


def _stamp(found: os.stat_result) -> Stamp:
    if abs(time.time() - found.st_mtime) < _SETTLED_S:
        return Stamp()
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def parsed(content: bytes, name: str | None, *, most: int, now: float) -> AuthorFile:
    """Return what a file says.

    Args:
        content: The file.
        name: Its name, which has to be that of its author; None to let it be any.
        most: Longest text, UTF-8 bytes.
        now: Epoch seconds.

    Raises:
        RealMemoryError: Nothing of it can be used; the code says why.
    """
    lines = read_lines(BytesIO(content), MAX_LINE)
    _, first = next(lines, (0, b""))
    if isinstance(first, InvalidInputError):
        raise first
    header = read_header(first)
    if name is not None and name != file_name(*header):
        raise InvalidInputError(
            f"{name} says that it is {file_name(*header)}: a copy, or somebody else's",
            code="foreign_author",
        )
    entries: dict[str, Entry] = {}
    refused: list[Refusal] = []
    for number, line in lines:
        try:
            if isinstance(line, InvalidInputError):
                raise line
            _refuse_full(entries)
            _add(entries, read_entry(line, most=most, now=now))
        except InvalidInputError as error:
            refused.append(Refusal(number, error.code, error.message))
    return AuthorFile(header, list(entries.values()), refused)


def _refuse_full(entries: Mapping[str, Entry]) -> None:
    if len(entries) >= MAX_ENTRIES:
        raise InvalidInputError("the file holds too many", code="too_many")


def _add(entries: dict[str, Entry], entry: Entry) -> None:
    if entry.uid in entries:
        raise InvalidInputError("the memory stands there twice", code="duplicate_uid")
    entries[entry.uid] = entry


def headers(folder: Path) -> Iterator[Header]:
    """Yield whose files there are, of those that say so."""
    for path in author_files(folder):
        try:
            content, _ = read_bytes(path)
            yield read_header(content[:MAX_LINE].partition(b"\n")[0])
        except (FileNotFoundError, RealMemoryError):
            continue


def write_file(path: Path, content: bytes) -> None:
    """Replace an author's own file by a whole new one.

    Raises:
        StoreError: It cannot be written; the old one is unharmed.
    """
    with written_beside(path):
        for leftover in path.parent.glob(f".{path.name}.*.tmp"):
            # Only this author writes here, and holds the lock: whoever left it was killed.
            with suppress(FileNotFoundError):
                leftover.unlink()
        write_atomically(path, content, durable=True, mode=_PUBLIC)
