"""Reading the others: each file that changed, line by line, into the local copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.team.folder import (
    MAX_FILES,
    AuthorFile,
    Stamp,
    author_files,
    parsed,
    reachable,
    read_bytes,
    stamp_of,
)
from realmemory.team.identity import file_name, name_key
from realmemory.team.intake import weighed
from realmemory.team.known import KnownAuthor, KnownTeam
from realmemory.team.local_copy import brought_up_to_date, finish_erasing, opened_copy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.flows.context import MemoryContext
    from realmemory.hippocampus import Hippocampus
    from realmemory.team.author_file import Header
    from realmemory.team.local_copy import CopyPlace
    from realmemory.team.settings import TeamSettings

# A line that is refused for its time may be taken when that has come.
_FOR_NOW = "future_time"


class Found(NamedTuple):
    """One file that has to be read."""

    path: Path
    file: AuthorFile
    stamp: Stamp


def read_others(
    own: MemoryContext, settings: TeamSettings, place: CopyPlace, known: KnownTeam
) -> int:
    """Bring the copy up to date with the folder; the caller holds the lock.

    Args:
        own: The own memory, which is not changed.
        settings: Which folder it is.
        place: Where the copy is.
        known: What is known of the others; changed to what is known now.

    Returns:
        How many files were read.

    Raises:
        RealMemoryError: ``team_unreachable``; the folder is not there.
    """
    folder = reachable(settings.folder or place.folder / "nowhere")
    copy, fresh = opened_copy(place, own)
    with copy:
        finish_erasing(copy, place)
        if fresh:
            for author in known.authors.values():
                author.stamp = Stamp()
        count = 0
        # One after the other: of each file, which may be large, only what is known of it stays.
        for item in _changed(own, settings, folder, known):
            _take(copy, place, known, item, own.clock.now())
            count += 1
    known.synced_at = own.clock.now()
    return count


def _changed(
    own: MemoryContext, settings: TeamSettings, folder: Path, known: KnownTeam
) -> Iterator[Found]:
    """Yield the files that have to be read, and note what is strange and what is gone."""
    names = {file_name(item.author, item.author_id): item for item in known.authors.values()}
    known.strange = {}
    present: set[str] = set()
    for path in _files_of_others(settings, folder, known):
        author = names.get(path.name)
        if author is not None:
            present.add(author.author_id)
            if author.stamp.size and author.stamp == stamp_of(path):
                continue
        try:
            item = _read(own, settings, path, known)
        except FileNotFoundError:
            present.discard(author.author_id if author is not None else "")
        except RealMemoryError as error:
            if author is None:
                known.strange[path.name] = error.code
            else:
                author.problem, author.stamp = error.code, Stamp()
        else:
            present.add(item.file.header.author_id)
            yield item
    for author in known.authors.values():
        author.gone = author.author_id not in present


def _files_of_others(settings: TeamSettings, folder: Path, known: KnownTeam) -> list[Path]:
    files = author_files(folder)
    if len(files) > MAX_FILES:
        known.strange[files.pop().name] = "too_many"
    mine = file_name(settings.author, settings.author_id)
    return [path for path in files if path.name != mine]


def _read(own: MemoryContext, settings: TeamSettings, path: Path, known: KnownTeam) -> Found:
    """Return a file that says whose it is, and is nobody else's.

    Raises:
        RealMemoryError: It cannot be used; the code says why.
    """
    content, stamp = read_bytes(path)
    most, now = own.config.max_text_bytes, own.clock.now()
    file = parsed(content, path.name, most=most, now=now)
    header = file.header
    if header.author_id == settings.author_id:
        raise InvalidInputError(f"{path.name} has your own id", code="foreign_author")
    before = known.authors.get(header.author_id)
    if before is None:
        _refuse_taken(settings, header, known)
        before = known.authors[header.author_id] = KnownAuthor(*header)
    elif before.author != header.author:
        raise InvalidInputError(f"{path.name} was that of another", code="foreign_author")
    return Found(path, file, stamp)


def _refuse_taken(settings: TeamSettings, header: Header, known: KnownTeam) -> None:
    """Refuse an author whose name a reader would take for another's, or for one's own."""
    names = [settings.author, *(item.author for item in known.authors.values())]
    if name_key(header.author) in map(name_key, names):
        raise InvalidInputError(
            f"somebody else is called {header.author!r} already", code="author_taken"
        )


def _take(copy: Hippocampus, place: CopyPlace, known: KnownTeam, found: Found, now: float) -> None:
    author = known.authors[found.file.header.author_id]
    intake = weighed(found.file, author.items)
    author.items, author.refused = intake.seen, intake.refused
    for code, count in brought_up_to_date(copy, place, author, intake.standing).items():
        author.refused[code] = author.refused.get(code, 0) + count
    author.problem, author.read_at = "", now
    author.stamp = Stamp() if _FOR_NOW in author.refused else found.stamp
