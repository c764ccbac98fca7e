"""The values that writing and tending take and return: frozen, slotted, with no behaviour.

Apart from :mod:`realmemory.types`, so that a process that only asks does not define them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from realmemory.types import GLOBAL_SCOPE, Kind, Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.types import DecisionAction


@dataclass(frozen=True, slots=True)
class WriteDecision:
    """What the gate saw and decided.

    ``novelty`` is ``1 - best_cosine``; ``target_id`` is set for REINFORCE only; ``reasons`` name
    the differences that kept two similar texts apart.
    """

    action: DecisionAction
    target_id: int | None
    related_ids: tuple[int, ...]
    novelty: float
    best_cosine: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The outcome of one write.

    ``memory_id`` is the trace that now holds the text: a new one, or the one it reinforced.
    ``conflicts`` are traces that state something else about the same matter; a ``quarantined``
    text is stored where no recall sees it until a user confirms it.
    """

    memory_id: int
    decision: WriteDecision
    created: bool
    conflicts: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What one sleep did, or with ``dry_run`` would have done.

    ``run`` names the sleep for ``undo``; ``deferred`` counts faded traces that the cap on one
    run left for one of another day; ``long_texts_cut`` those that got passages they lacked; ``skipped`` says
    why nothing was done.
    """

    edges_committed: int = 0
    edges_pruned: int = 0
    promoted_to_semantic: int = 0
    rewards_applied: int = 0
    journal_pruned: int = 0
    archived_traces: int = 0
    publications_retracted: int = 0
    elapsed_ms: float = 0.0
    backup: str | None = None
    warnings: tuple[str, ...] = ()
    run: str = ""
    deferred: int = 0
    purged_traces: int = 0
    long_texts_cut: int = 0
    dry_run: bool = False
    skipped: str | None = None

    @property
    def forgotten_traces(self) -> int:
        """Traces that this sleep archived; they still answer, and none is deleted."""
        return self.archived_traces


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What the undoing of one sleep brought back."""

    run: str
    restored: tuple[int, ...] = ()
    demoted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """One project, or ``global``: its name, its active traces, and those of any status."""

    name: str
    active: int
    total: int


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """What one ``forget`` touched.

    ``remaining_copies`` names the files that still hold the text after a hard forget,
    ``rewritten_backups`` those that were freed of it. ``log_emptied`` is false while a reader of
    another process holds an old snapshot; the text leaves the log with the next checkpoint.
    ``uncovered`` are the versions that nothing comes after any more: they stay history, and
    ``restore`` makes one current again.
    """

    forgotten: tuple[int, ...]
    already_forgotten: tuple[int, ...] = ()
    hard: bool = False
    remaining_copies: tuple[str, ...] = ()
    rewritten_backups: tuple[str, ...] = ()
    log_emptied: bool = True
    uncovered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One utterance, kept verbatim; ``observed_at`` defaults to the session's."""

    text: str
    speaker: str = ""
    role: str | None = None
    observed_at: float | None = None


@dataclass(frozen=True, slots=True)
class ConversationReport:
    """What became of the turns of one call.

    ``ids`` has one trace for every turn, in order; ``stored`` counts those that were new.
    ``quarantined`` are those that give the agent instructions in another name than the user's: they
    are held back until a user confirms them. ``warnings`` say what was masked or held back.
    """

    session_id: str
    ids: tuple[int, ...]
    stored: int
    quarantined: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One text with everything a caller may say about it."""

    text: str
    kind: str = Kind.EPISODIC
    scope: str = GLOBAL_SCOPE
    meta: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[str] = ()
    when: float | None = None
    force_new: bool = False
    related_ids: Sequence[int] = ()
    origin: str = Origin.USER
    importance: float = 0.0
    expires_at: float | None = None
    session_id: str | None = None
