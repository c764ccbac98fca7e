"""The values that team sharing returns: frozen, slotted, with no behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.types import RecalledMemory, RecallPacket


@dataclass(frozen=True, slots=True)
class Delivery:
    """What publishing or taking back did.

    Attributes:
        ids: The memories that it did something to.
        file: The author's file.
        pending: Why the file does not say so yet; the next sync writes it.
    """

    ids: tuple[int, ...]
    file: str
    pending: str | None = None


@dataclass(frozen=True, slots=True)
class AuthorStatus:
    """One of the others: what is read of them, what was refused by code, and how old it is."""

    author: str
    memories: int
    held_back: int
    refused: Mapping[str, int]
    read_at: float
    gone: bool
    problem: str | None


@dataclass(frozen=True, slots=True)
class PublishedStatus:
    """One own publication; ``withdrawn`` says why the next sync takes it back."""

    memory_id: int
    text: str
    published_at: float
    delivered: bool
    withdrawn: str | None


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """How sharing stands.

    Attributes:
        folder: The shared folder.
        reachable: Whether it is there.
        author: Who publishes here.
        file: The own file.
        projects: Whose memories may be shared.
        published: What is published.
        pending: How many changes the own file does not say yet.
        synced_at: When the folder was last looked through, epoch seconds.
        authors: The others.
        strange: Files of the folder that are nobody's, with the code that says why.
    """

    folder: str
    reachable: bool
    author: str
    file: str
    projects: tuple[str, ...]
    published: tuple[PublishedStatus, ...]
    pending: int
    synced_at: float | None
    authors: tuple[AuthorStatus, ...]
    strange: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did.

    Attributes:
        files_read: Files of others that had changed.
        published: How many own memories stand in the own file.
        withdrawn: Own memories that it took back, with the reason.
        unknown: How many publications of the own file the memory did not know, which were taken
            back: another memory writes the same file, or an older backup was restored.
        restored: The own file was missing or spoilt, and was made anew.
        problem: Why the own file could not be written; what was read is kept.
        authors: The others.
        strange: Files of the folder that are nobody's, with the code that says why.
    """

    files_read: int
    published: int
    withdrawn: Mapping[int, str]
    unknown: int
    restored: bool
    problem: str | None
    authors: tuple[AuthorStatus, ...]
    strange: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """What the others know; ``age_s`` is how long ago their files were last looked through."""

    packet: RecallPacket
    items: tuple[RecalledMemory, ...]
    age_s: int
