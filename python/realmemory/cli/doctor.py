"""`doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

import click

from realmemory.cli import exits
from realmemory.cli.session import Session, memory_command


@click.group()
def doctor() -> None:
    """Look for what is wrong, and say what to do about it."""


@doctor.command()
@memory_command
def agents(session: Session) -> None:
    """Run what coding agents would run, the way they run it, and say what fails."""
    from realmemory.agents.doctor import examine_all  # noqa: PLC0415 - not needed for --help
    from realmemory.agents.hosts import Places  # noqa: PLC0415

    findings = examine_all(Places.of(), session.directory)
    lines = [
        f"{'ok  ' if item.ok else 'FAIL'}  {item.host}: {item.check}  {item.detail}".rstrip()
        for item in findings
    ]
    session.answer([asdict(item) for item in findings], lines or ["no coding agent was found"])
    if not all(item.ok for item in findings):
        click.get_current_context().exit(exits.ATTENTION)
