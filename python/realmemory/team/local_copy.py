"""The local copy of what the others publish: a memory of its own, derived, and made anew at will.

It lies in the folder ``team`` beside the own database and is never mixed with it. A publication is
a memory of its author with the origin ``peer``, in the scope of its project; its uid there is
``<author's id>/<uid>/<revision>``.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager, suppress
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory.errors import (
    ConfigurationError,
    NotFoundError,
    StoreCorruptError,
    StoreRefusedError,
)
from realmemory.hippocampus import Hippocampus
from realmemory.interop.native_export import FORMAT, VERSION
from realmemory.interop.native_import import import_lines
from realmemory.interop.outcome import ImportReport, Rejects
from realmemory.late import late_logger
from realmemory.store.directory import make_private, write_atomically
from realmemory.store.failures import translated
from realmemory.store.lock import WriteLock
from realmemory.types import Origin, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from realmemory.errors import RealMemoryError
    from realmemory.flows.context import MemoryContext
    from realmemory.team.author_file import Publication
    from realmemory.team.known import KnownAuthor

_LOCK_WAIT_S = 60.0
_PAGE = 500
_logger = late_logger(__name__)


class CopyPlace:
    """Where the copy and what belongs to it lie.

    Args:
        memory: Folder of the own store.
    """

    def __init__(self, memory: Path) -> None:
        self.folder = memory / "team"
        self.copy = self.folder / "copy"
        self.seen = self.folder / "seen.json"
        self.erasing = self.folder / "erasing.json"

    @contextmanager
    def locked(self, what: str) -> Iterator[None]:
        """Hold one of the two locks, so that publishing never waits for reading.

        Args:
            what: ``sending``, of who writes the own file, or ``reading``, of who changes the copy.

        Raises:
            StoreBusyError: Another process holds it for too long.
        """
        with translated(self.folder):
            make_private(self.folder)
        lock = WriteLock(self.folder, what)
        lock.acquire(_LOCK_WAIT_S)
        try:
            yield
        finally:
            lock.release()
            lock.close()

    def is_there(self) -> bool:
        """Return whether there is a copy."""
        return (self.copy / "memory.db").is_file()

    def drop(self) -> None:
        """Delete the copy; what was taken back stays known."""
        with translated(self.copy):
            if self.copy.exists():
                shutil.rmtree(self.copy)
            self.erasing.unlink(missing_ok=True)


def opened_copy(place: CopyPlace, own: MemoryContext) -> tuple[Hippocampus, bool]:
    """Open the copy for writing, and say whether it is a new one.

    One of another embedder, of other vectors, that is damaged, or that is not encrypted as the own
    memory is, is dropped and made anew.
    """
    fresh = not place.is_there()
    try:
        return _open(place, own), fresh
    except (ConfigurationError, StoreCorruptError, StoreRefusedError) as error:
        _logger.warning("the copy of what the team shares is made anew: %s", error)
        place.drop()
        return _open(place, own), True


def _open(place: CopyPlace, own: MemoryContext) -> Hippocampus:
    """Open the copy with the embedder and the constants of the own memory, as they are now."""
    copy = Hippocampus.open(
        place.copy,
        config=None if place.is_there() else own.config,
        embedder=own.embedder.provider,
        clock=own.clock,
        key=own.store.paths.key or "",
    )
    wanted = asdict(own.config)
    changes = {name: wanted[name] for name, held in asdict(copy.config).items()
               if held != wanted[name]}  # fmt: skip
    try:
        if changes:
            copy.reconfigure(**changes)
    except ConfigurationError:
        copy.close()
        raise
    return copy


class _Refused(Rejects):
    """What the import would not take, by code; nothing is written beside anybody's file."""

    def __init__(self, report: ImportReport) -> None:
        super().__init__(Path("publications"), report)
        self.codes: dict[str, int] = {}

    def add(self, line: int, error: RealMemoryError, row: object) -> None:
        """Count a row by its code."""
        del line, row
        self.codes[error.code] = self.codes.get(error.code, 0) + 1


def finish_erasing(copy: Hippocampus, place: CopyPlace) -> None:
    """Erase what a process that was killed had begun to erase: deleted rows may leave their bytes."""
    try:
        ids = json.loads(place.erasing.read_bytes())
    except (OSError, ValueError):
        return
    _erase(copy, place, ids)


def _erase(copy: Hippocampus, place: CopyPlace, ids: list[int]) -> None:
    with translated(place.erasing):
        write_atomically(place.erasing, json.dumps(ids).encode(), durable=True)
    with suppress(NotFoundError):
        copy.forget(ids, hard=True)
    with translated(place.erasing):
        place.erasing.unlink(missing_ok=True)


def brought_up_to_date(
    copy: Hippocampus,
    place: CopyPlace,
    author: KnownAuthor,
    standing: Mapping[str, Publication],
) -> dict[str, int]:
    """Make the copy say of an author what is known, and return what could not be taken, by code.

    Args:
        copy: The local copy.
        place: Where it lies.
        author: What is known; ``held_back`` is counted anew.
        standing: What their file says, by uid.
    """
    held = _rows(copy, author)
    kept = {_uid(author, uid, seen.revision) for uid, seen in author.items.items() if seen.standing}
    stale = [trace_id for uid, (trace_id, _) in held.items() if uid not in kept]
    if stale:
        _erase(copy, place, stale)
    fresh = [
        _record(author, entry)
        for entry in standing.values()
        if _uid(author, entry.uid, entry.revision) not in held
    ]
    codes = _imported(copy, fresh) if fresh else {}
    author.held_back = sum(
        status is Status.QUARANTINED for _, status in _rows(copy, author).values()
    )
    return codes


def _rows(copy: Hippocampus, author: KnownAuthor) -> dict[str, tuple[int, Status]]:
    """Return the id and the status of everything that the copy holds of an author, by uid."""
    found: dict[str, tuple[int, Status]] = {}
    last = None
    with copy.context.store.read() as view:
        while page := view.traces.page(author=author.author, after=last, limit=_PAGE):
            found.update((trace.uid, (trace.id, trace.status)) for trace in page)
            last = page[-1].id
    return {uid: row for uid, row in found.items() if uid.startswith(f"{author.author_id}/")}


def _uid(author: KnownAuthor, uid: str, revision: int) -> str:
    return f"{author.author_id}/{uid}/{revision}"


def _imported(copy: Hippocampus, records: list[dict[str, object]]) -> dict[str, int]:
    header = {"format": FORMAT, "version": VERSION}
    lines = [json.dumps(line, ensure_ascii=False).encode() for line in [header, *records]]
    report = ImportReport(format=FORMAT)
    with _Refused(report) as refused:
        import_lines(copy.context, BytesIO(b"\n".join(lines)), report, refused, join=False)
    # Only a copy whose seen.json was lost has buried what an old file says.
    buried = report.skipped.get("deleted_here", 0)
    return {**refused.codes, **({"replayed": buried} if buried else {})}


def _record(author: KnownAuthor, entry: Publication) -> dict[str, object]:
    """Return a publication as a line of an export."""
    return {
        "type": "memory",
        "uid": _uid(author, entry.uid, entry.revision),
        "text": entry.text,
        "kind": str(entry.kind),
        "status": str(Status.ACTIVE),
        "scope": entry.project,
        "author": author.author,
        "origin": str(Origin.PEER),
        "created_at": entry.published_at,
        "updated_at": entry.published_at,
        "observed_at": entry.when,
        "valid_from": entry.when,
        "valid_to": None,
        "superseded_by": None,
        "session_id": None,
        "turn_index": None,
        "speaker": None,
        "role": None,
        "importance": 0.0,
        "pinned": False,
        "expires_at": entry.until,
        "tags": [author_tag(author.author_id)],
        "meta": {"published_at": entry.published_at},
        "base_strength": 1.0,
        "reinforced_count": 0,
        "last_reinforced_at": entry.published_at,
    }


def author_tag(author_id: str) -> str:
    """Return the tag that every memory of an author carries in the copy."""
    return f"author:{author_id}"
