"""The rows that the store takes and returns where the public types do not fit.

Times are epoch seconds (UTC). Embeddings are little-endian f32 bytes, or ``None`` until encoded.
Most rows are named tuples, which cost a starting process far less to define than dataclasses.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

from realmemory.errors import StoreCorruptError
from realmemory.types import Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


_Member = TypeVar("_Member", Kind, Status, Origin)


class _Members(dict[str, _Member], Generic[_Member]):
    """Members by what the database holds; what is none of them was damaged."""

    def __missing__(self, stored: object) -> NoReturn:
        raise damaged(f"{stored!r:.40}")


# Values of the database as members: to look one up costs a fifth of a call, and an index that is
# built anew reads every row.
KINDS = _Members({kind.value: kind for kind in Kind})
STATUSES = _Members({status.value: status for status in Status})
ORIGINS = _Members({origin.value: origin for origin in Origin})
_NOTHING: Mapping[str, Any] = {}


def stored_json(text: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Return what a column of JSON holds.

    Raises:
        StoreCorruptError: It holds none.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError) as error:
        raise damaged(f"{text!r:.40}") from error


def damaged(what: str) -> StoreCorruptError:
    """Return the error of a row that holds what realMemory never wrote."""
    return StoreCorruptError(
        f"a row of the database holds {what}, which was never written there; nothing was changed. "
        "Run `realmemory verify`, then `realmemory repair`."
    )


class Durability(StrEnum):
    """What a commit promises when the power fails right after it."""

    FULL = "full"
    """The commit is on the disk."""
    LAZY = "lazy"
    """The commit may be lost, never torn; for counters and the journal only."""


class LinkType(StrEnum):
    """Why two traces are linked."""

    PLASTIC = "plastic"
    """Learned by use; weight decays, out-degree is bounded."""
    RELATED = "related"
    """Stated by a caller."""
    CONFLICT = "conflict"
    """The two state different things about the same matter, and nobody has resolved it."""
    RESOLVED = "resolved"
    """A conflict that was resolved as "both true"."""
    PART = "part"
    """The source was made from the target (a merge, a summary, a turn of one session)."""
    RESTORED = "restored"
    """The source was made current again once the target, which had replaced it, was forgotten; the
    weight is the time when it had ended."""


class NewTrace(NamedTuple):
    """A trace to insert; the store adds id, uid, hashes and rev.

    ``terms`` are the analysed terms of ``index_text or text``, joined by spaces. Times default to
    ``created_at``, and that to the store's clock.
    """

    text: str
    terms: str
    scope: str
    kind: Kind = Kind.EPISODIC
    status: Status = Status.ACTIVE
    author: str = ""
    origin: Origin = Origin.USER
    index_text: str | None = None
    uid: str | None = None
    created_at: float | None = None
    observed_at: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    expires_at: float | None = None
    session_id: str | None = None
    turn_index: int | None = None
    speaker: str | None = None
    role: str | None = None
    importance: float = 0.0
    pinned: bool = False
    tags: tuple[str, ...] = ()
    meta: Mapping[str, Any] = _NOTHING
    base_strength: float = 0.5
    reinforced_count: int = 0
    reinforced_days: int = 0
    last_reinforced_at: float | None = None
    space_id: int | None = None
    embedding: bytes | None = None


class IndexRow(NamedTuple):
    """What the engine's index needs to know about one trace.

    ``text`` is everything a keyword may find: the indexed text, then each kept wording on a line
    of its own. ``content_rev`` is the rev at which text, wordings or vector last changed, so a
    reader that is past it only has attributes to update. ``forgotten`` says that it is in the archive
    because somebody asked for it.
    """

    id: int
    scope_id: int
    kind: Kind
    status: Status
    pinned: bool
    base_strength: float
    last_reinforced_at: float
    valid_from: float
    valid_to: float | None
    expires_at: float | None
    observed_at: float
    space_id: int | None
    embedding: bytes | None
    text: str
    content_rev: int
    rev: int
    forgotten: bool = False

    @property
    def findable(self) -> bool:
        """Whether some question may be answered with it."""
        return self.status is not Status.QUARANTINED and not self.forgotten


class ChangeFeed(NamedTuple):
    """What happened after a rev.

    ``needs_rebuild`` means that the tombstones do not reach back that far: forget everything and
    apply ``rows`` to an empty index (``rows`` then holds all traces). ``removed`` are ids that are
    gone. ``rows`` is read lazily and must be consumed while the view is open; it may hold traces
    of any status.
    """

    rev: int
    needs_rebuild: bool
    removed: tuple[int, ...]
    rows: Iterator[IndexRow]


class Dynamics(NamedTuple):
    """The strength of one trace, as reinforcement and decay see it.

    ``reinforced_days`` counts the days on which it was reinforced, its evidence over time.
    """

    id: int
    base_strength: float
    reinforced_count: int
    last_reinforced_at: float
    reinforced_days: int = 0


class TraceState(NamedTuple):
    """One trace without its text and vector: what sleep walks over."""

    id: int
    scope_id: int
    kind: Kind
    status: Status
    pinned: bool
    importance: float
    created_at: float
    base_strength: float
    reinforced_count: int
    reinforced_days: int
    last_reinforced_at: float
    valid_to: float | None
    expires_at: float | None
    rev: int


class Version(NamedTuple):
    """From when to when a wording of a fact held, and what replaced it; ``end`` may be infinite."""

    begin: float
    end: float
    successor: int | None


class TurnPlace(NamedTuple):
    """Where a conversation turn stands, whether it ends in a question, and its characters."""

    id: int
    session: str
    turn_index: int
    speaker: str
    role: str | None = None
    asks: bool = False
    length: int = 0


class StoredTurn(NamedTuple):
    """What a session holds at one index: the newest trace, and of all that it held the rest."""

    id: int
    said: frozenset[bytes] = frozenset()
    speakers: frozenset[str] = frozenset()
    times: frozenset[float] = frozenset()


class Variant(NamedTuple):
    """Another wording of a trace that was merged into it."""

    id: int
    trace_id: int
    text: str
    author: str
    origin: Origin
    session_id: str | None
    created_at: float
    meta: Mapping[str, Any]
    rev: int


class Scope(NamedTuple):
    """One scope with the traces in it, by status."""

    id: int
    name: str
    key: str
    counts: Mapping[Status, int]

    @property
    def total(self) -> int:
        """Traces of any status."""
        return sum(self.counts.values())


class Space(NamedTuple):
    """The identity of an embedder whose vectors are in the store."""

    id: int
    marker: str
    dim: int
    created_at: float


class Link(NamedTuple):
    """A directed edge between two traces.

    ``weight`` is the value at ``updated_at``; a plastic edge has decayed since.
    """

    src: int
    dst: int
    type: LinkType
    weight: float
    updated_at: float
    rev: int = 0


class LinkFeed(NamedTuple):
    """Edges that changed after a rev, and those that are gone.

    ``needs_rebuild`` as in :class:`ChangeFeed`.
    """

    rev: int
    needs_rebuild: bool
    removed: tuple[tuple[int, int, LinkType], ...]
    rows: Iterator[Link]


class Eligibility(NamedTuple):
    """A bind that happened but is not yet committed; ``strength`` is signed."""

    src: int
    dst: int
    strength: float
    created_at: float
    cause: str = ""
    id: int = 0


class Usage(NamedTuple):
    """How often a trace was shown and used; lazily counted."""

    trace_id: int
    recalled: int
    used: int
    last_recalled_at: float | None
    last_used_at: float | None


class Event(NamedTuple):
    """One line of the journal; ``data`` never holds a text of the user."""

    ts: float
    type: str
    data: Mapping[str, Any]
    seq: int = 0


class AuditEntry(NamedTuple):
    """One line of the audit log; ``hash`` covers the line and the hash before it."""

    seq: int
    ts: float
    actor: str
    action: str
    data: Mapping[str, Any]
    hash: str


class Passage(NamedTuple):
    """A part of a long text with a vector of its own; ``start`` and ``end`` count characters."""

    trace_id: int
    ordinal: int
    start: int
    end: int
    embedding: bytes | None


class TraceCount(NamedTuple):
    """How many traces share a scope, a kind and a status."""

    scope: str
    kind: Kind
    status: Status
    traces: int


class LongText(NamedTuple):
    """A text that needs passages; ``speaker`` is who said it, for a turn of a conversation."""

    trace_id: int
    text: str
    speaker: str | None


class TextHit(NamedTuple):
    """One row of a full-text search; ``rank`` is bm25, larger is better."""

    id: int
    rank: float


class Tombstone(NamedTuple):
    """What is left of a deleted trace."""

    id: int
    uid: str
    rev: int
    deleted_at: float


class BackupInfo(NamedTuple):
    """One backup file."""

    path: Path
    sequence: int
    created_at: float
    rev: int
    size: int


class WalState(NamedTuple):
    """The write-ahead log: its size and whether the last checkpoint could empty it."""

    size: int
    emptied: bool


class EraseReceipt(NamedTuple):
    """What a hard delete removed, and where copies remain.

    ``wal_emptied`` is false while a reader holds an old snapshot; the text leaves the log with
    the next checkpoint.
    """

    deleted: tuple[int, ...]
    remaining_copies: tuple[str, ...]
    rewritten_backups: tuple[str, ...]
    wal_emptied: bool
