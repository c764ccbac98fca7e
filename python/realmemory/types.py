"""The values that the library takes and returns: frozen, slotted, with no behaviour beyond them.

Times are epoch seconds (UTC); retention, confidence and cosine lie in [0, 1] unless said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from realmemory import scopes

if TYPE_CHECKING:
    from collections.abc import Mapping


GLOBAL_SCOPE = scopes.GLOBAL_SCOPE
"""The scope that every project sees."""


class Kind(StrEnum):
    """What sort of memory a trace is; decides its time constant."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    TURN = "turn"


class Status(StrEnum):
    """Where a trace is in its life."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"


class Origin(StrEnum):
    """Where a text came from; decides how far it is trusted."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    IMPORT = "import"
    PEER = "peer"


class DecisionAction(StrEnum):
    """What the novelty gate decided."""

    CREATE = "create"
    LINK = "link"
    REINFORCE = "reinforce"


class Source(StrEnum):
    """The channel that brought a hit."""

    DIRECT = "direct"
    KEYWORD = "keyword"
    ASSOCIATED = "associated"
    ARCHIVE = "archive"


class Grouping(StrEnum):
    """How hits are gathered by session, and what a session is worth."""

    SESSION = "session"
    """Its hits together, of which the best count most."""
    SESSION_MEAN = "session_mean"
    """The mean of its best three hits."""


class AbstainReason(StrEnum):
    """Why a packet is empty."""

    NOTHING_MATCHED = "nothing_matched"
    BELOW_FLOOR = "below_floor"
    FLAT_NOISE = "flat_noise"
    ONLY_ARCHIVED = "only_archived"
    ONLY_OTHER_SCOPE = "only_other_scope"
    OTHER_SPEAKER = "other_speaker"


@dataclass(frozen=True, slots=True)
class Trace:
    """One remembered item, as the store holds it.

    ``fades_at`` is when it falls below the floor of recall unless it is used; None for never.
    """

    id: int
    uid: str
    text: str
    kind: Kind
    status: Status
    scope: str
    author: str
    origin: Origin
    created_at: float
    updated_at: float
    observed_at: float
    valid_from: float
    valid_to: float | None
    superseded_by: int | None
    session_id: str | None
    turn_index: int | None
    speaker: str | None
    role: str | None
    importance: float
    pinned: bool
    expires_at: float | None
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    base_strength: float
    reinforced_count: int
    last_reinforced_at: float
    space_id: int | None
    rev: int
    fades_at: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class NearbyTurn:
    """A turn that stands near a hit in the same session."""

    memory_id: int
    turn_index: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """One hit of a recall.

    ``score`` is what the hits are ordered by; ``confidence`` is the probability that the hit is
    relevant (in the ``classic`` preset the two are equal). ``span`` is the range of characters of
    a long text that answers best; None for a short one. ``around`` are the turns beside it, in
    order, as many as the ``window`` that was asked for.
    """

    memory_id: int
    text: str
    kind: Kind
    cosine: float
    confidence: float
    retention: float
    source: Source
    created_at: float
    updated_at: float
    meta: Mapping[str, Any]
    scope: str
    author: str
    score: float = 0.0
    status: Status = Status.ACTIVE
    origin: Origin = Origin.USER
    observed_at: float = 0.0
    valid_from: float = 0.0
    valid_to: float | None = None
    superseded_by: int | None = None
    tags: tuple[str, ...] = ()
    conflicts_with: tuple[int, ...] = ()
    span: tuple[int, int] | None = None
    session_id: str | None = None
    turn_index: int | None = None
    around: tuple[NearbyTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionHits:
    """What one session has to say, best first; a memory outside any session is its own group."""

    session_id: str | None
    score: float
    items: tuple[RecalledMemory, ...]


@dataclass(frozen=True, slots=True)
class RecallPacket:
    """The answer of a recall; empty and ``abstained`` when nothing is trustworthy.

    ``sessions`` is filled when the answer was grouped; ``items`` then holds the best of each.
    ``detail`` says in words why it is empty or doubtful, ``nearest`` what would have answered but
    for the reason.
    """

    query: str
    items: tuple[RecalledMemory, ...]
    abstained: bool
    latency_ms: float
    reason: AbstainReason | None = None
    degraded: str | None = None
    explanation: Mapping[str, Any] | None = None
    sessions: tuple[SessionHits, ...] = ()
    detail: str | None = None
    nearest: RecalledMemory | None = None
