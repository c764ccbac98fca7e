"""What this reader knows of the others: ``seen.json`` beside the local copy.

It outlives the copy, for it remembers what was taken back: an old file that turns up again brings
nothing back.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory import strict_json
from realmemory.errors import InvalidInputError
from realmemory.late import late_logger
from realmemory.store.directory import write_atomically
from realmemory.store.failures import translated
from realmemory.team.folder import Stamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION = 1
_logger = late_logger(__name__)


class Seen(NamedTuple):
    """The newest that was seen of one memory; without a digest it was taken back."""

    revision: int
    digest: str

    @property
    def standing(self) -> bool:
        """Whether it is to be read."""
        return bool(self.digest)


@dataclass(slots=True)
class KnownAuthor:
    """One of the others, as far as their file was read.

    Attributes:
        author: Their name, as it was first seen.
        author_id: The id of their file.
        stamp: The file that was read; nothing was where it has to be read again.
        read_at: When, epoch seconds.
        gone: The file is not there any more; what was read of it stays.
        problem: Why nothing of the file could be read, a code.
        refused: How many of its lines were not taken, by code.
        held_back: How many were taken and are kept out of recall, for they give orders.
        items: What was seen, by uid.
    """

    author: str
    author_id: str
    stamp: Stamp = field(default_factory=Stamp)
    read_at: float = 0.0
    gone: bool = False
    problem: str = ""
    refused: dict[str, int] = field(default_factory=dict)
    held_back: int = 0
    items: dict[str, Seen] = field(default_factory=dict)

    @property
    def standing(self) -> int:
        """How many of their memories are to be read."""
        return sum(item.standing for item in self.items.values())


@dataclass(slots=True)
class KnownTeam:
    """Everything that is known of the others.

    Attributes:
        synced_at: When the folder was last looked through; None for never.
        authors: The others, by id.
        strange: Files that are nobody's, by name, with the code that says why.
    """

    synced_at: float | None = None
    authors: dict[str, KnownAuthor] = field(default_factory=dict)
    strange: dict[str, str] = field(default_factory=dict)


def read_known(path: Path) -> KnownTeam:
    """Return what is known; nothing where the file is missing, or damaged."""
    try:
        stated = strict_json.parse(path.read_bytes())
        if stated["version"] == _VERSION:
            return KnownTeam(
                stated["synced_at"],
                {key: _author(item) for key, item in stated["authors"].items()},
                dict(stated["strange"]),
            )
    except FileNotFoundError:
        pass
    except (OSError, InvalidInputError, KeyError, TypeError, AttributeError) as error:
        _logger.warning("%s cannot be read (%s): every file is read anew", path, error)
    return KnownTeam()


def write_known(path: Path, team: KnownTeam) -> None:
    """Replace what is known by a whole new file."""
    content = json.dumps({"version": _VERSION, **asdict(team)}, separators=(",", ":"))
    with translated(path):
        write_atomically(path, content.encode(), durable=True)


def _author(stated: Mapping[str, Any]) -> KnownAuthor:
    items = {uid: Seen(*item) for uid, item in stated["items"].items()}
    return KnownAuthor(**{**stated, "stamp": Stamp(*stated["stamp"]), "items": items})
