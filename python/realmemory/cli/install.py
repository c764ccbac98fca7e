"""`install` and `uninstall`: connect the memory to coding agents, and take it out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from realmemory.agents.hosts import HOSTS, Commands, Host, Places
from realmemory.agents.install import FileChange, Installer
from realmemory.cli import exits
from realmemory.cli.session import Session, memory_command
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_HOST = click.Choice([*HOSTS, "all"])


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was, or would be, changed for one agent; with an error, nothing."""

    host: Host
    changes: Sequence[FileChange]
    error: ConfigurationError | None = None


@click.command()
@click.argument("names", nargs=-1, metavar="[HOST]...", type=_HOST)
@click.option("--dry-run", is_flag=True, help="Show each change as a diff, write nothing.")
@memory_command
def install(session: Session, names: Sequence[str], *, dry_run: bool) -> int:
    """Add the server, the hooks and a note on when to use them to coding agents.

    Without HOST: to all that are found here. Existing settings, comments and order stay; a copy
    of each file is kept, and `realmemory uninstall` restores it. An agent whose settings cannot be
    read is left out; exit 1 then.
    """
    places, installer = _tools(session)
    chosen = _chosen(names, lambda host: host.detected(places))
    outcomes = _each(chosen, installer.plan_install, None if dry_run else installer.install)
    return _answer(session, outcomes, dry_run=dry_run, verb="installed into")


@click.command()
@click.argument("names", nargs=-1, metavar="[HOST]...", type=_HOST)
@click.option("--dry-run", is_flag=True, help="Show each change as a diff, write nothing.")
@memory_command
def uninstall(session: Session, names: Sequence[str], *, dry_run: bool) -> int:
    """Take the memory out of coding agents; what is remembered stays.

    Without HOST: out of all that it was installed into.
    """
    _, installer = _tools(session)
    chosen = _chosen(names, installer.installed)
    outcomes = _each(chosen, installer.plan_uninstall, None if dry_run else installer.uninstall)
    return _answer(session, outcomes, dry_run=dry_run, verb="taken out of")


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


def _each(
    hosts: Sequence[Host],
    plan: Callable[[Host], list[FileChange]],
    make: Callable[[Host, list[FileChange]], None] | None,
) -> list[_Outcome]:
    """Plan and make the changes of one agent after the other; what fails for one stops no other.

    Raises:
        ConfigurationError: Nothing could be done for any of them.
    """
    outcomes = []
    for host in hosts:
        try:
            changes = plan(host)
            if make is not None:
                make(host, changes)
        except ConfigurationError as error:
            outcomes.append(_Outcome(host, (), error))
        else:
            outcomes.append(_Outcome(host, changes))
    failed = [outcome.error for outcome in outcomes if outcome.error is not None]
    if len(failed) == len(outcomes):
        raise failed[0]
    return outcomes


def _answer(session: Session, outcomes: Sequence[_Outcome], *, dry_run: bool, verb: str) -> int:
    told = [
        {
            "host": outcome.host.name,
            "files": [str(change.path) for change in outcome.changes if change.changes],
            "diff": "".join(change.diff() for change in outcome.changes) if dry_run else "",
            "error": None if outcome.error is None else str(outcome.error),
        }
        for outcome in outcomes
    ]
    state = f"would be {verb}" if dry_run else verb
    session.answer(told, [line for one in outcomes for line in _lines(one, state, dry_run=dry_run)])
    return exits.ATTENTION if any(outcome.error for outcome in outcomes) else exits.DONE


def _lines(outcome: _Outcome, state: str, *, dry_run: bool) -> list[str]:
    title = outcome.host.title
    if outcome.error is not None:
        return [f"{title}: {outcome.error}"]
    changed = [change for change in outcome.changes if change.changes]
    if not changed:
        return [f"{title}: nothing to change"]
    if dry_run:
        return [*(change.diff().rstrip("\n") for change in changed), f"{state} {title}"]
    return [f"{state} {title}", *(f"  {change.path}" for change in changed)]
