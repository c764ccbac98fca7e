"""`doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

import platform
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from realmemory.cli import exits
from realmemory.cli.output import Progress, age, counted, safe
from realmemory.cli.session import Session, memory_command
from realmemory.cli.team import needs_attention
from realmemory.errors import ConfigurationError, StoreCorruptError, StoreRefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.examine import Finding
    from realmemory.hippocampus import Hippocampus


@click.group(invoke_without_command=True)
@click.option("--deep", is_flag=True, help="Ask for every memory by its own text, too.")
@memory_command
def doctor(session: Session, *, deep: bool) -> int:
    """Look for what is wrong with the memory, and say what to do about it; exit 1 on a finding.

    Looks at versions, content, locks, the log, room on the disk, sleep, backups, what is held
    back, fading facts, failed and outdated hooks, and scopes that look alike. It changes nothing.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return exits.DONE
    findings = [_versions(), *_examined(session, deep=deep), *_around(session)]
    session.answer([asdict(item) for item in findings], _lines(findings))
    return exits.DONE if all(item.ok for item in findings) else exits.ATTENTION


@doctor.command()
@memory_command
def agents(session: Session) -> int:
    """Run what coding agents would run, the way they run it, and say what fails."""
    from realmemory.agents.doctor import examine_all  # noqa: PLC0415 - not needed for --help
    from realmemory.agents.hosts import Places  # noqa: PLC0415

    findings = examine_all(Places.of(), session.directory)
    lines = [
        f"{'ok  ' if item.ok else 'FAIL'}  {item.host}: {item.check}  {item.detail}".rstrip()
        for item in findings
    ]
    session.answer([asdict(item) for item in findings], lines or ["no coding agent was found"])
    return exits.DONE if all(item.ok for item in findings) else exits.ATTENTION


def _versions() -> Finding:
    from realmemory import __version__  # noqa: PLC0415 - loads the compiled engine
    from realmemory.flows.examine import Finding  # noqa: PLC0415 - brings numpy
    from realmemory.store.connection import check_engine  # noqa: PLC0415

    sqlite = check_engine()
    detail = f"realmemory {__version__}, SQLite {sqlite}, Python {platform.python_version()}"
    return Finding("versions", ok=True, detail=detail)


def _examined(session: Session, *, deep: bool) -> list[Finding]:
    from realmemory.flows.examine import Finding, damage, examine, unfindable  # noqa: PLC0415

    if session.is_absent():
        advice = "`realmemory remember` makes it; --path or REALMEMORY_PATH name another place"
        return [Finding("memory", ok=True, detail="there is none yet", advice=advice)]
    progress = Progress("asked for", quiet=session.as_json)
    findings: list[Finding] = []
    try:
        with session.memory(read_only=True) as memory:
            findings.append(Finding("embedder", ok=True, detail=memory.context.embedder.name))
            findings += examine(memory.context)
            findings += _team(memory)
            if deep:
                findings.append(unfindable(memory.context, progress.update))
    except (StoreCorruptError, StoreRefusedError) as error:
        findings.append(damage(error))
    progress.finish()
    return findings


def _team(memory: Hippocampus) -> list[Finding]:
    """Look at the team's folder and what was read of it; nothing where nothing is shared."""
    from realmemory.flows.examine import Finding  # noqa: PLC0415 - brings numpy
    from realmemory.team import Team  # noqa: PLC0415

    try:
        status = Team(memory).status()
    except ConfigurationError as error:
        told = Finding("team", ok=False, detail=error.message, advice="mend team.json")
        return [] if error.code == "no_team" else [told]
    read = "never" if status.synced_at is None else age(time.time() - status.synced_at)
    detail = f"{len(status.published)} published, {status.pending} waiting, read {read}"
    if not status.reachable:
        detail = f"the folder {status.folder} is not there; {detail}"
    ok = status.reachable and not needs_attention(status.authors, status.strange)
    return [Finding("team", ok, detail, "" if ok else "see `realmemory team status`")]


def _around(session: Session) -> list[Finding]:
    """Look at what is beside the store: the daemon, the hooks' inbox, the installed hooks."""
    from realmemory.agents.doctor import outdated  # noqa: PLC0415 - not needed for --help
    from realmemory.agents.hosts import Places  # noqa: PLC0415
    from realmemory.agents.spool import pending_errors, pending_notes  # noqa: PLC0415
    from realmemory.api.connect import daemon_state  # noqa: PLC0415
    from realmemory.flows.examine import Finding  # noqa: PLC0415

    folder = str(session.directory)
    running, state = daemon_state(folder)
    advice = "" if running is not False else "`realmemory serve` replaces what it left behind"
    found = [Finding("daemon", ok=running is not False, detail=state, advice=advice)]
    errors, notes = pending_errors(folder), pending_notes(folder)
    if errors:
        advice = "run `realmemory doctor agents`; `realmemory sleep` takes them into the journal"
        found.append(Finding("hooks", ok=False, detail=f"{errors} failed lately", advice=advice))
    if notes:
        detail = f"{counted(notes, 'note waits', 'notes wait')} for `realmemory sleep`"
        found.append(Finding("inbox", ok=True, detail=detail))
    try:
        places = Places.of()
    except ConfigurationError:
        return [*found, Finding("hooks", ok=True, detail="without a home there is no agent")]
    found += [
        Finding("hooks", ok=item.ok, detail=f"{item.host}: {item.detail or 'up to date'}")
        for item in outdated(places, session.directory)
    ]
    return found


def _lines(findings: Sequence[Finding]) -> list[str]:
    width = max(len(item.check) for item in findings)
    lines = []
    for item in findings:
        mark = "ok  " if item.ok else "FAIL"
        lines.append(f"{mark}  {item.check:<{width}}  {safe(item.detail)}")
        if item.advice:
            lines.append(f"{'':{width + 6}}  → {item.advice}")
    wrong = sum(not item.ok for item in findings)
    return [
        *lines,
        "",
        f"{counted(wrong, 'thing needs', 'things need')} attention"
        if wrong
        else "nothing is wrong",
    ]
