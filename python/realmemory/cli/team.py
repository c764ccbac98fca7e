"""`team`: let others read chosen memories through a shared folder, and read theirs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli import exits
from realmemory.cli.output import age, counted, one_line, safe, table
from realmemory.cli.recall import hit_lines, packet_lines
from realmemory.cli.session import Session, command_group, memory_command, memory_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from realmemory.team.outcomes import AuthorStatus, Delivery, SyncReport, TeamStatus
    from realmemory.team.publishing import Candidate

_FORCE = "Pass over how often a memory was reinforced, and over nothing else."
_HARMLESS = frozenset({"never_published"})
"""What is told of and needs nobody's attention."""


@command_group()
def team() -> None:
    """Share chosen memories through a folder of the team.

    Any transport carries the folder: a git repository, Syncthing, a network drive. Every author
    owns one file in it; every reader keeps a local copy of the others'. What may be shared stands
    in team.json beside the memory; by default nothing may.
    """


@team.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--as", "name", metavar="NAME", help="Who publishes; else as git calls you.")
@click.option("--share", multiple=True, metavar="PROJECT", help="Its memories may be shared.")
@memory_command
def init(session: Session, folder: Path, *, name: str | None, share: Sequence[str]) -> None:
    """Name the shared FOLDER and yourself; nothing is published by that.

    The name is that of --as, else REALMEMORY_IDENTITY, else git's user.name. team.json then holds
    the policy in full, to be edited: projects, kinds, reinforcements, tags and patterns that never
    leave.
    """
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    with session.memory(create=True) as memory:
        status = Team(memory).init(folder, author=name, share=share)
    session.answer(status, _status_lines(status))


@team.command()
@memory_command
def status(session: Session) -> int:
    """Show what is published, what waits, and what was read of whom.

    Leaves with 1 if something of the others was refused or cannot be read, or the folder is away.
    """
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    with session.memory() as memory:
        found = Team(memory).status()
    session.answer(found, _status_lines(found))
    return _attention(found.authors, found.strange, odd=not found.reachable)


@team.command()
@click.option("--all", "everything", is_flag=True, help="Those that may not be shared, too.")
@memory_command
def candidates(session: Session, *, everything: bool) -> None:
    """List memories that may be published; with --project all of that project, with the reasons."""
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    with session.memory() as memory:
        found = Team(memory).candidates(session.project)
    if not (everything or session.project):
        found = [item for item in found if item.verdict.status == "eligible"]
    rows = [(f"#{item.trace.id}", item.verdict.status, item.trace.scope, one_line(item.trace.text))
            for item in found]  # fmt: skip
    told = table(("id", "may it be shared", "project", "text"), rows)
    session.answer(
        [_candidate(item) for item in found],
        told if rows else ["nothing may be published: see the policy in team.json"],
    )


@team.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--force", is_flag=True, help=_FORCE)
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_command
def publish(session: Session, ids: Sequence[str], *, force: bool, yes: bool) -> int:
    """Let the team read memories; shows their texts and asks.

    One that may not be shared cancels all of them, and is named.
    """
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    numbers = memory_ids(ids)
    with session.memory() as memory:
        shared = Team(memory)
        found = shared.preview(numbers, force=force)
        if not yes:
            if session.as_json:
                raise click.UsageError("what others have read stays read: confirm it with --yes")
            for item in found:
                click.echo(f"#{item.trace.id} ({one_line(item.trace.scope, 40)})", err=True)
                click.echo(safe(item.trace.text), err=True)
            question = f"Let the team read {counted(len(found), 'memory', 'memories')}?"
            click.confirm(question, abort=True, err=True)
        done = shared.publish(numbers, force=force)
    return _delivered(session, done, "published")


@team.command()
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--all", "everything", is_flag=True, help="All that is published.")
@memory_command
def retract(session: Session, ids: Sequence[str], *, everything: bool) -> int:
    """Take publications back; readers drop them at their next sync."""
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    if bool(ids) is everything:
        raise click.UsageError("name what is to be taken back, or --all of it")
    with session.memory() as memory:
        done = Team(memory).retract(None if everything else memory_ids(ids))
    return _delivered(session, done, "taken back")


@team.command()
@click.option("--rebuild", is_flag=True, help="Make the local copy anew from the files there are.")
@memory_command
def sync(session: Session, *, rebuild: bool) -> int:
    """Write your file as your memory says it, and read what the others changed.

    Nothing of the others' enters your own memory. An author whose file is gone stays in the local
    copy, marked so, until --rebuild. Leaves with 1 if something was refused.
    """
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    with session.memory() as memory:
        report = Team(memory).sync(rebuild=rebuild)
    session.answer(report, _sync_lines(report))
    odd = report.problem is not None or report.unknown > 0
    return _attention(report.authors, report.strange, odd=odd)


@team.command()
@click.argument("query")
@click.option("-k", "--k", type=int, default=5, show_default=True, help="Most hits to show.")
@click.option("--author", help="Only what they publish.")
@memory_command
def recall(session: Session, query: str, *, k: int, author: str | None) -> None:
    """Ask what the others know, as of the last sync; with --project only of that and global."""
    from realmemory.team import Team  # noqa: PLC0415 - not for --help

    with session.memory() as memory:
        found = Team(memory).recall(query, k=k, author=author, project=session.project)
    now = time.time()
    value = {"age_s": found.age_s, "abstained": not found.items, "items": found.items,
             "packet": found.packet}  # fmt: skip
    lines = packet_lines(found.packet, now=now) if not found.items else []
    for item in found.items:
        lines += hit_lines(item, now=now)
    session.answer(value, [*lines, f"the team's files were read {age(found.age_s)}"])


def _candidate(item: Candidate) -> dict[str, Any]:
    trace = item.trace
    return {
        "id": trace.id,
        "status": item.verdict.status,
        "reason": item.verdict.reason,
        "project": trace.scope,
        "kind": trace.kind,
        "reinforced": trace.reinforced_count,
        "text": trace.text,
    }


def _delivered(session: Session, done: Delivery, verb: str) -> int:
    named = ", ".join(f"#{item}" for item in done.ids)
    lines = [f"{verb}: {named}" if named else f"nothing to do: it is {verb} already"]
    if done.pending is not None:
        lines.append(f"the next `realmemory team sync` writes it: {safe(done.pending)}")
    session.answer(done, lines)
    return exits.DONE if done.pending is None else exits.ATTENTION


def _status_lines(found: TeamStatus) -> list[str]:
    away = "" if found.reachable else " (not there at the moment)"
    projects = ", ".join(map(one_line, found.projects)) or "none: list some in team.json"
    lines = [
        f"folder: {safe(found.folder)}{away}",
        f"you are {one_line(found.author)}, your file is {safe(Path(found.file).name)}",
        f"projects that may be shared: {projects}",
        f"published: {len(found.published)}, waiting for a sync: {found.pending}",
    ]
    for item in found.published:
        lines.append(f"  #{item.memory_id} {one_line(item.text)}")
        if item.withdrawn is not None:
            lines.append(f"     the next sync takes it back, for {safe(item.withdrawn)}")
    read = "never" if found.synced_at is None else age(time.time() - found.synced_at)
    return [*lines, f"the others, read {read}:", *_author_lines(found.authors, found.strange)]


def _sync_lines(report: SyncReport) -> list[str]:
    lines = [f"published: {report.published}, files read: {report.files_read}"]
    lines += [f"taken back: #{item}, for {safe(why)}" for item, why in report.withdrawn.items()]
    if report.unknown:
        lines.append(
            f"taken back: {report.unknown} in your file that this memory does not know; does "
            "another memory write it?"
        )
    if report.restored:
        lines.append("your file was missing or spoilt, and was made anew")
    if report.problem is not None:
        lines.append(f"your file could not be written: {safe(report.problem)}")
    return lines + _author_lines(report.authors, report.strange)


def _author_lines(authors: Iterable[AuthorStatus], strange: Mapping[str, str]) -> list[str]:
    lines = []
    for item in authors:
        facts = [counted(item.memories, "memory", "memories")]
        if item.held_back:
            facts.append(f"{item.held_back} held back, for they give orders")
        facts += [f"{count} refused ({code})" for code, count in sorted(item.refused.items())]
        if item.problem:
            facts.append(f"the file cannot be read ({item.problem})")
        if item.gone:
            facts.append("the file is gone")
        lines.append(f"  {one_line(item.author, 64)}: {', '.join(facts)}")
    return lines + [f"  {one_line(name)}: nobody's file ({code})" for name, code in strange.items()]


def needs_attention(authors: Iterable[AuthorStatus], strange: Mapping[str, str]) -> bool:
    """Say whether something of the others was refused, is gone or cannot be read."""
    lost = any(item.problem or item.gone or item.refused.keys() - _HARMLESS for item in authors)
    return lost or bool(strange)


def _attention(authors: Iterable[AuthorStatus], strange: Mapping[str, str], *, odd: bool) -> int:
    return exits.ATTENTION if odd or needs_attention(authors, strange) else exits.DONE
