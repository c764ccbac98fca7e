"""Projects as the owner sees them: what there is, another name, two that are one.

Nothing here guesses: which two projects are one is for the user to say.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.outcomes import ProjectSummary
from realmemory.safety import masked_name, refuse_secret_scope
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope
from realmemory.types import Status

if TYPE_CHECKING:
    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import ReadView

_BATCH = 200
"""Traces moved in one transaction, so that other writers are let in between."""


def projects(context: MemoryContext) -> tuple[ProjectSummary, ...]:
    """Return what each scope holds, in order of name."""
    with context.store.read() as view:
        return tuple(
            ProjectSummary(scope.name, scope.counts.get(Status.ACTIVE, 0), scope.total)
            for scope in view.scopes.all()
        )


def rename_project(context: MemoryContext, old: str, new: str) -> str:
    """Give a project another name and return it as it is spelt from now on.

    Raises:
        NotFoundError: Nothing is known about ``old``.
        InvalidInputError: ``new`` cannot be used or is taken; nothing was changed.
    """
    _refuse_global(old, new)
    name = refuse_secret_scope(validate_scope(new))
    with context.store.write() as tx:
        tx.scopes.rename(_known(tx, old), name)
        tx.journal.append("rename_project", {"old": masked_name(validate_scope(old)), "new": name})
    return name


def merge_projects(context: MemoryContext, source: str, target: str) -> int:
    """Give all traces of one project to another; return how many moved.

    Raises:
        NotFoundError: One of them is unknown; nothing was changed.
        InvalidInputError: Both are one, or one is ``global``; nothing was changed.
    """
    _refuse_global(source, target)
    if scope_key(source) == scope_key(target):
        raise InvalidInputError(
            f"{source!r} and {target!r} are one project already; nothing was changed.",
            code="same_scope",
        )
    moved, whole = 0, False
    while not whole:
        with context.store.write() as tx:
            from_id, to_id = _known(tx, source), _known(tx, target)
            moved += tx.traces.move(from_id, to_id, _BATCH)
            whole = tx.scopes.drop(from_id)
            if whole:
                names = {"source": validate_scope(source), "target": validate_scope(target)}
                tx.journal.append("merge_projects", {**names, "moved": moved})
    return moved


def _refuse_global(*names: str) -> None:
    if any(scope_key(validate_scope(name)) == GLOBAL_SCOPE for name in names):
        raise InvalidInputError(
            f"{GLOBAL_SCOPE!r} is what every project sees and no project itself; nothing was "
            "changed.",
            code="invalid_scope",
        )


def _known(view: ReadView, name: str) -> int:
    found = view.scopes.find(name)
    if found is not None:
        return found
    by_key = {scope.key: scope.name for scope in view.scopes.all()}
    close = get_close_matches(scope_key(name), by_key, n=3)
    hint = f" Did you mean {' or '.join(repr(by_key[key]) for key in close)}?" if close else ""
    raise NotFoundError(
        f"nothing is remembered for a project {name!r}; nothing was changed.{hint}",
        code="unknown_project",
    )
