"""`projects`: what there is, another name, two that are one."""

from __future__ import annotations

import click

from realmemory.agents.registry import ProjectRegistry
from realmemory.cli.output import counted, one_line, table
from realmemory.cli.session import Session, command_group, memory_command
from realmemory.scopes import scope_key


@command_group(default="list")
def projects() -> None:
    """List projects, give one another name, or make two into one."""


@projects.command("list")
@memory_command
def list_projects(session: Session) -> None:
    """List the scopes of the memory, and what each project is recognised by."""
    known = ProjectRegistry(session.directory).projects()
    with session.memory() as memory:
        counts = {item.name: item for item in memory.projects()}
    rows = []
    for name in sorted({*known, *counts}):
        found = counts.get(name)
        rows.append(
            {
                "name": name,
                "memories": found.active if found else 0,
                "total": found.total if found else 0,
                "recognised_by": known.get(name, []),
            }
        )
    lines = [
        (
            str(row["name"]),
            str(row["memories"]),
            str(row["total"]),
            one_line(", ".join(known.get(str(row["name"]), [])), 80),
        )
        for row in rows
    ]
    session.answer(rows, table(("scope", "memories", "with history", "recognised by"), lines))


@projects.command()
@click.argument("old")
@click.argument("new")
@memory_command
def rename(session: Session, old: str, new: str) -> None:
    """Call the project OLD from now on NEW, in the memory and where it is recognised."""
    registry = ProjectRegistry(session.directory)
    with session.memory() as memory:
        name = memory.rename_project(old, new)
    if _listed(registry, old):
        registry.rename(old, name)
    session.answer({"old": old, "new": name}, [f"{one_line(old)} is now {one_line(name)}"])


@projects.command()
@click.argument("source")
@click.argument("target")
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_command
def merge(session: Session, source: str, target: str, *, yes: bool) -> None:
    """Give everything of SOURCE to TARGET; the repository of SOURCE belongs to TARGET then.

    Nothing is compared: what both projects stated stays twice.
    """
    with session.memory() as memory:
        for name in (source, target):
            session.check_known(name, memory)
    if not yes:
        if session.as_json:
            raise click.UsageError("a merge cannot be taken back: confirm it with --yes")
        question = f"Move everything of {one_line(source)} to {one_line(target)}?"
        click.confirm(question, abort=True, err=True)
    registry = ProjectRegistry(session.directory)
    with session.memory() as memory:
        moved = memory.merge_projects(source, target)
    if _listed(registry, source):
        if _listed(registry, target):
            registry.merge(source, target)
        else:
            registry.rename(source, target)
    session.answer(
        {"moved": moved}, [f"moved {counted(moved, 'memory', 'memories')} to {one_line(target)}"]
    )


def _listed(registry: ProjectRegistry, name: str) -> bool:
    return scope_key(name) in {scope_key(known) for known in registry.projects()}
