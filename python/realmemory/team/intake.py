"""What of an author's file is taken: each line is weighed against what was seen before."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.safety import Family, screen
from realmemory.team.author_file import MAX_ENTRIES, Publication
from realmemory.team.known import Seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.team.author_file import Entry
    from realmemory.team.folder import AuthorFile

MAX_SEEN = 5 * MAX_ENTRIES
"""Most memories of one author that are remembered, those taken back included."""
NEVER_PUBLISHED = "never_published"
"""Code of a retraction of what was never seen."""
_REFUSED = {Family.SECRET: "secret_found", Family.PERSONAL: "personal_data"}


class Intake(NamedTuple):
    """What becomes of one file.

    Attributes:
        standing: What is to be read of it, by uid.
        seen: What is known of the author from now on, by uid.
        refused: How many lines were not taken, by code.
    """

    standing: dict[str, Publication]
    seen: dict[str, Seen]
    refused: dict[str, int]


def weighed(file: AuthorFile, before: Mapping[str, Seen]) -> Intake:
    """Return what of a file is taken.

    What stood in the file before and is neither there nor taken back stays known: a file that was
    cut short, or is an old one, takes nothing away.

    Args:
        file: The file.
        before: What was seen of its author, by uid.
    """
    intake = Intake({}, dict(before), {})
    for refusal in file.refused:
        _count(intake, refusal.code)
    for entry in file.entries:
        code = _problem(entry, before.get(entry.uid), first=not before)
        if code is None and entry.uid not in before and len(intake.seen) >= MAX_SEEN:
            code = "too_many"
        if code is not None:
            _count(intake, code)
        if isinstance(entry, Publication) and code is None:
            intake.standing[entry.uid] = entry
            intake.seen[entry.uid] = Seen(entry.revision, entry.digest)
        elif not isinstance(entry, Publication) and code in {None, NEVER_PUBLISHED}:
            intake.seen[entry.uid] = Seen(entry.revision, "")
    return intake


def _problem(entry: Entry, seen: Seen | None, *, first: bool) -> str | None:
    """Return the code that says why an entry is not taken, if it is not.

    A retraction of what this reader never saw is nothing strange in the first file of an author.
    Later it is told, and remembered all the same: it may have been published between two looks.
    """
    if isinstance(entry, Publication):
        if seen is not None and (code := _repeated(entry, seen)):
            return code
        return _unsafe(entry.text) or _unsafe(entry.project)
    if seen is None:
        return None if first else NEVER_PUBLISHED
    return "older_revision" if entry.revision < seen.revision else None


def _repeated(entry: Publication, seen: Seen) -> str | None:
    if not seen.standing:
        return "replayed" if entry.revision <= seen.revision else None
    if entry.revision < seen.revision:
        return "older_revision"
    if entry.revision == seen.revision and entry.digest != seen.digest:
        return "changed_content"
    return None


def _unsafe(text: str) -> str | None:
    """Return the code of what may not be shared; orders are taken, and held back as imports are."""
    found = {finding.family for finding in screen(text).findings}
    return next((code for family, code in _REFUSED.items() if family in found), None)


def _count(intake: Intake, code: str) -> None:
    intake.refused[code] = intake.refused.get(code, 0) + 1
