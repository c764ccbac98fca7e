"""`install` and `uninstall`: connect the memory to coding agents, and take it out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.agents.hosts import HOSTS, Commands, Host, Places
from realmemory.agents.install import FileChange, Installer
from realmemory.cli.session import Session, memory_command
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_HOST = click.Choice([*HOSTS, "all"])


@click.command()
@click.argument("names", nargs=-1, metavar="[HOST]...", type=_HOST)
@click.option("--dry-run", is_flag=True, help="Show each change as a diff, write nothing.")
@memory_command
def install(session: Session, names: Sequence[str], *, dry_run: bool) -> None:
    """Add the server, the hooks and a note on when to use them to coding agents.

    Without HOST: to all that are found here. Existing settings, comments and order stay; a copy
    of each file is kept, and `realmemory uninstall` restores it.
    """
    places, installer = _tools(session)
    chosen = _chosen(names, lambda host: host.detected(places))
    plans = [(host, installer.plan_install(host)) for host in chosen]
    if not dry_run:
        for host, changes in plans:
            installer.install(host, changes)
    _answer(session, plans, dry_run=dry_run, verb="installed into")


@click.command()
@click.argument("names", nargs=-1, metavar="[HOST]...", type=_HOST)
@click.option("--dry-run", is_flag=True, help="Show each change as a diff, write nothing.")
@memory_command
def uninstall(session: Session, names: Sequence[str], *, dry_run: bool) -> None:
    """Take the memory out of coding agents; what is remembered stays.

    Without HOST: out of all that it was installed into.
    """
    _, installer = _tools(session)
    chosen = _chosen(names, installer.installed)
    plans = [(host, installer.plan_uninstall(host)) for host in chosen]
    if not dry_run:
        for host, changes in plans:
            installer.uninstall(host, changes)
    _answer(session, plans, dry_run=dry_run, verb="taken out of")


def _tools(session: Session) -> tuple[Places, Installer]:
    # Only a stated directory is written into the hosts' files: the default may move with the home.
    stated = str(session.directory) if session.path else None
    places = Places.of()
    return places, Installer(places, session.directory, Commands.installed(stated))


def _chosen(names: Sequence[str], usual: Callable[[Host], bool]) -> list[Host]:
    if "all" in names:
        return list(HOSTS.values())
    if names:
        return [HOSTS[name] for name in dict.fromkeys(names)]
    found = [host for host in HOSTS.values() if usual(host)]
    if not found:
        raise ConfigurationError(
            f"no coding agent was found; nothing was changed. Name one: {', '.join(HOSTS)}.",
            code="no_host",
        )
    return found


def _answer(
    session: Session,
    plans: Sequence[tuple[Host, Sequence[FileChange]]],
    *,
    dry_run: bool,
    verb: str,
) -> None:
    told = [
        {
            "host": host.name,
            "files": [str(change.path) for change in changes if change.changes],
            "diff": "".join(change.diff() for change in changes) if dry_run else "",
        }
        for host, changes in plans
    ]
    lines: list[str] = []
    for host, changes in plans:
        changed = [change for change in changes if change.changes]
        if dry_run:
            lines += [change.diff().rstrip("\n") for change in changed]
        state = f"would be {verb}" if dry_run else verb
        lines.append(f"{state} {host.title}" if changed else f"{host.title}: nothing to change")
        if not dry_run:
            lines += [f"  {change.path}" for change in changed]
    session.answer(told, lines)
