"""Import and export by file: finds the format, keeps the counts, writes whole files or none."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, StoreRefusedError
from realmemory.interop import chats, foreign, legacy, markdown
from realmemory.interop.imported import bring_in
from realmemory.interop.native_export import export_lines
from realmemory.interop.native_import import import_lines
from realmemory.interop.outcome import ImportReport, Rejects
from realmemory.places import refuse_inside
from realmemory.store.failures import written_beside
from realmemory.store.foreign_rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from realmemory.hippocampus import Hippocampus
    from realmemory.interop.imported import Record
    from realmemory.types import Trace

NATIVE = "realmemory"
LEGACY = "realmemory-0.9"
_STREAMS: dict[str, Callable[[IO[bytes]], Iterator[Record]]] = {
    "mem0": foreign.read_mem0,
    "mcp": foreign.read_mcp,
    "trw": foreign.read_trw,
    "claude-mem": foreign.read_claude_mem,
    "chatgpt": chats.read_chatgpt,
    "claude": chats.read_claude,
}
_PATHS: dict[str, Callable[[Path], Iterator[Record]]] = {
    "claude-mem-db": foreign.read_claude_mem_database,
    "notes": markdown.read_notes,
    "instructions": markdown.read_instructions,
}
FORMATS = (NATIVE, LEGACY, *_STREAMS, *_PATHS)
"""Every format that can be imported."""

# What the first kilobytes of each format hold; the first that fits wins.
_MARKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (NATIVE, ('"format":"realmemory"',)),
    ("chatgpt", ('"mapping"',)),
    ("claude", ('"chat_messages"',)),
    ("claude", ('"conversations_memory"',)),
    ("claude-mem", ('"observations":[{', '"memory_session_id"')),
    ("claude-mem", ('"observations":[', '"summaries"')),
    ("mcp", ('"type":"entity"',)),
    ("mcp", ('"type":"relation"',)),
    ("trw", ('"vector_clock"',)),
    ("trw", ('"namespace"', '"content"')),
    ("mem0", ('"memory":',)),
    ("mem0", ('"content"', '"user_id"')),
)


def import_file(
    memory: Hippocampus,
    path: Path,
    *,
    format: str | None = None,  # noqa: A002 - what the option is called
    scope: str | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Bring a file, or a folder of notes, into the memory.

    Args:
        memory: Where to.
        path: What to read.
        format: One of :data:`FORMATS`; found out by default.
        scope: Scope of everything that is new here, instead of what the file says.
        dry_run: Count, and write nothing.

    Raises:
        InvalidInputError: The format is unknown or the file is not what it should be.
    """
    report = ImportReport(format=format or detect(path), dry_run=dry_run)
    if report.format not in FORMATS:
        raise _unknown(path)
    with Rejects(path, report) as rejects:
        try:
            _read(memory, path, report, rejects, scope=scope)
        except InvalidInputError as error:
            raise _unreadable(path, report, error) from error
    return report


def _read(
    memory: Hippocampus, path: Path, report: ImportReport, rejects: Rejects, *, scope: str | None
) -> None:
    if report.format in _PATHS:
        bring_in(memory, _PATHS[report.format](path), report, rejects, scope=scope)
    elif report.format == LEGACY:
        with tempfile.TemporaryFile() as stream:
            stream.writelines(line.encode() + b"\n" for line in legacy.export_lines(path))
            stream.seek(0)
            import_lines(memory.context, stream, report, rejects, scope=scope)
    else:
        with path.open("rb") as stream:
            if report.format == NATIVE:
                import_lines(memory.context, stream, report, rejects, scope=scope)
            else:
                bring_in(memory, _STREAMS[report.format](stream), report, rejects, scope=scope)


def _unreadable(path: Path, report: ImportReport, error: InvalidInputError) -> InvalidInputError:
    """Say of which file it is, as what it was read, and what became of the records before."""
    cause = error.message.partition("; nothing was")[0]
    taken = report.imported + report.updated
    done = (
        f"the {taken} records before that were" if taken and not report.dry_run else "nothing was"
    )
    return InvalidInputError(
        f"{path.name} cannot be read as {report.format}: {cause}; {done} imported. Mend the file, "
        "or name another format with --format; the same import again takes what is missing.",
        code=error.code,
    )


def detect(path: Path) -> str:
    """Return the format of a file or folder.

    Raises:
        InvalidInputError: ``unknown_format``, or ``not_found`` for a missing file.
    """
    if path.is_dir():
        return "notes"
    if not path.is_file():
        raise InvalidInputError(f"there is no file {path}; nothing was imported", code="not_found")
    if path.suffix.lower() == ".db":
        # By name first: a database is opened by SQLite and by nothing else.
        return _database_kind(path)
    if path.suffix.lower() == ".md":
        return "instructions"
    with path.open("rb") as stream:
        head = stream.read(64 * 1024).decode("utf-8", "replace")
    dense = "".join(head.split())
    for name, marks in _MARKS:
        if all(mark in dense for mark in marks):
            return name
    raise _unknown(path)


def _database_kind(path: Path) -> str:
    tables = columns_of(path)
    if {"observations", "session_summaries"} <= tables.keys():
        return "claude-mem-db"
    if "base_strength" in tables.get("memories", ()):
        return LEGACY
    raise StoreRefusedError(
        f"{path} is not a database of realMemory 0.8 or 0.9, nor of claude-mem; nothing was "
        "imported. A memory of this version is copied with `realmemory export`.",
        code="foreign_db",
    )


def export_file(memory: Hippocampus, path: Path, *, vectors: bool = False) -> int:
    """Write an export in our own format and return its number of lines.

    The file is private, and appears whole under its name or not at all; a symbolic link stays one.
    What is no file, such as a pipe or a device, is written to as it is.

    Raises:
        InvalidInputError: ``missing_folder``; the folder of the file does not exist.
            ``inside_memory``; it is the memory's own.
        StoreFullError: There is no room for it; nothing of it is left.
    """
    path = path.absolute()
    refuse_inside(path, memory.path)
    if not path.parent.is_dir():
        raise InvalidInputError(
            f"there is no folder {path.parent} to write {path.name} to; nothing was written. Make "
            "it, or name another file.",
            code="missing_folder",
        )
    lines = export_lines(memory.context, vectors=vectors)
    with written_beside(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            with path.open("wb") as stream:
                return _write(stream, lines)
        return _export(Path(os.path.realpath(path)), lines)


def _export(path: Path, lines: Iterable[str]) -> int:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            count = _write(file, lines)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
    return count


def _write(stream: IO[bytes], lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        stream.write(line.encode() + b"\n")
        count += 1
    return count


def export_pages(memory: Hippocampus, folder: Path) -> list[Path]:
    """Write one Markdown page for every scope with live memories, and return their paths."""
    refuse_inside(folder, memory.path)
    with written_beside(folder):
        folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, scope in enumerate(_scopes(memory), 1):
        traces = _traces(memory, scope)
        name = "".join(char if char.isalnum() else "-" for char in scope)[:60] or "scope"
        target = folder / f"{number:03d}-{name}.md"
        with written_beside(target):
            target.write_text(markdown.page(scope, traces), encoding="utf-8")
        written.append(target)
    return written


def _scopes(memory: Hippocampus) -> list[str]:
    counts: dict[str, int] = memory.stats()["scopes"]
    return sorted(name for name, count in counts.items() if count)


def _traces(memory: Hippocampus, scope: str) -> list[Trace]:
    traces: list[Trace] = []
    after = None
    while page := memory.list(scope=scope, limit=500, after=after):
        traces += [trace for trace in page if trace.scope == scope]
        after = page[-1].id
    return sorted(traces, key=lambda trace: trace.id)


def _unknown(path: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{path.name} is in none of the formats {', '.join(FORMATS)}; nothing was imported. Name "
        "one with --format.",
        code="unknown_format",
    )
