"""The part of the facade that its owner uses: sleep, settings, projects and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from realmemory import flows
from realmemory.types import Status

if TYPE_CHECKING:
    from realmemory.config import MemoryConfig
    from realmemory.flows.context import MemoryContext
    from realmemory.outcomes import ConsolidationReport, ProjectSummary, UndoReport


class Upkeep:
    """What keeps a memory in order, whatever it is used for.

    Args:
        context: The open memory.
    """

    def __init__(self, context: MemoryContext) -> None:
        self._context = context

    def consolidate(self, *, dry_run: bool = False, if_due: bool = False) -> ConsolidationReport:
        """Sleep: back up, commit plasticity, promote, archive what faded, tidy up.

        Args:
            dry_run: Report what would be done and change nothing.
            if_due: Do nothing when the last sleep was a moment ago.
        """
        return flows.sleep.consolidate(self._context, dry_run=dry_run, if_due=if_due)

    def reconfigure(self, **changes: float | str) -> MemoryConfig:
        """Change constants of the memory for good and return those now in force.

        Args:
            **changes: Fields of :class:`MemoryConfig` by name; the others stay.

        Raises:
            ConfigurationError: Unknown name or a broken rule; nothing was changed.
        """
        self._context = flows.reconfigure.reconfigure(self._context, changes)
        return self._context.config

    def undo(self, run: str | None = None) -> UndoReport:
        """Take back what a sleep archived and promoted; None means the last that moved anything.

        Raises:
            NotFoundError: No such sleep is in the journal; nothing was changed.
        """
        return flows.undo.undo(self._context, run)

    def projects(self) -> tuple[ProjectSummary, ...]:
        """Return what each scope holds, in order of name; ``list`` pages through one."""
        return flows.projects.projects(self._context)

    def rename_project(self, old: str, new: str) -> str:
        """Give a project another name and return it as it is spelt from now on.

        The folders that it is recognised by follow with
        :meth:`realmemory.agents.registry.ProjectRegistry.rename`.

        Raises:
            NotFoundError: Nothing is known about ``old``; the message names the nearest.
            InvalidInputError: ``new`` cannot be used or is taken; nothing was changed.
        """
        return flows.projects.rename_project(self._context, old, new)

    def merge_projects(self, source: str, target: str) -> int:
        """Give all traces of one project to another; return how many moved.

        Interrupted, it goes on where it stopped when it is called again. No two memories are
        merged: what both projects stated stays twice.

        Raises:
            NotFoundError: One of them is unknown; nothing was changed.
            InvalidInputError: Both are one, or one is ``global``; nothing was changed.
        """
        return flows.projects.merge_projects(self._context, source, target)

    def count(
        self,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        status: str | None = Status.ACTIVE,
    ) -> int:
        """Return how many memories a scope sees; a status of None counts those of every one.

        Raises:
            InvalidInputError: The scope or the status cannot be used.
        """
        return flows.browse.count(self._context, scope=scope, all_scopes=all_scopes, status=status)

    def stats(self) -> dict[str, Any]:
        """Return what the store holds and what happened to it."""
        return flows.browse.stats(self._context)

    def metrics_snapshot(self) -> dict[str, Any]:
        """Return :meth:`stats` with the state of the forgetting curve."""
        return flows.browse.metrics(self._context)
