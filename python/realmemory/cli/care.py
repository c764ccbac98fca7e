"""`verify`, `repair`, `backup`: keep the store whole, and get it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from realmemory.cli import exits
from realmemory.cli.output import age, counted, size, table
from realmemory.cli.session import Session, command_group, memory_command
from realmemory.clock import SystemClock

if TYPE_CHECKING:
    from realmemory.store.records import BackupInfo
    from realmemory.store.verification import VerifyReport


@click.command()
@memory_command
def verify(session: Session) -> int:
    """Check pages, indexes, row hashes, keywords, links and history; exit 1 on a finding."""
    from realmemory.core.text import fts_terms  # noqa: PLC0415 - not needed for --help
    from realmemory.store.paths import StorePaths  # noqa: PLC0415
    from realmemory.store.verification import verify as check  # noqa: PLC0415

    paths = StorePaths.unlocked(session.store_directory)
    report = check(paths, SystemClock(), analyse=fts_terms)
    session.answer(report, _verdict(report))
    return exits.DONE if report.ok else exits.ATTENTION


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_command
def repair(session: Session, *, yes: bool) -> int:
    """Save every readable row into a new database; the damaged file is kept beside it.

    Leaves with 1 when rows were lost or are held back.
    """
    from realmemory.core.text import fts_terms  # noqa: PLC0415 - not needed for --help
    from realmemory.store.repair import repair as rebuild  # noqa: PLC0415

    if not yes:
        if session.as_json:
            raise click.UsageError("repair rewrites the store: confirm it with --yes")
        click.confirm("Write a new database from what can be read?", abort=True, err=True)
    report = rebuild(session.store_directory, clock=SystemClock(), analyse=fts_terms)
    saved = counted(report.traces, "memory", "memories")
    lost = counted(report.lost_rows, "row of all tables is", "rows of all tables are")
    lines = [f"saved {saved}; {lost} lost"]
    if report.lost_traces:
        ids = ", ".join(f"#{item}" for item in report.lost_traces)
        lines.append(f"memories that could not be read: {ids}; a backup may still hold them")
    if report.quarantined:
        ids = ", ".join(f"#{item}" for item in report.quarantined)
        lines.append(f"did not match their hash, held back until confirmed: {ids}")
    if report.kept:
        lines.append(f"the file before is {report.kept}")
    session.answer(report, lines)
    return exits.ATTENTION if report.lost_rows or report.quarantined else exits.DONE


@command_group()
def backup() -> None:
    """Make, list, check, restore and rotate copies of the whole memory."""


@backup.command()
@click.option("--label", default="", help="A word in its name; labelled ones are never rotated.")
@memory_command
def create(session: Session, *, label: str) -> None:
    """Copy the memory in one step, check the copy, and put it beside the store."""
    with session.memory() as memory:
        info = memory.context.store.backup(label)
    session.answer(_fields(info), [f"{info.path} ({size(info.size)}, rev {info.rev})"])


@backup.command("list")
@memory_command
def list_backups(session: Session) -> None:
    """List the backups, the oldest first."""
    with session.memory() as memory:
        infos = memory.context.store.backups()
    now = SystemClock().now()
    rows = [
        (info.path.name, age(now - info.created_at), size(info.size), str(info.rev))
        for info in infos
    ]
    lines = table(("backup", "made", "size", "rev"), rows) if rows else ["there are no backups"]
    session.answer([_fields(info) for info in infos], lines)


@backup.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@memory_command
def verify_backup(session: Session, file: Path) -> None:
    """Check that FILE is a whole backup, indexes and row hashes included."""
    from realmemory.store import backups  # noqa: PLC0415 - not needed for --help
    from realmemory.store.paths import StorePaths  # noqa: PLC0415

    paths = StorePaths.unlocked(session.store_directory)
    rev = backups.verify(_found(session, file), full=True, rows=True, key=paths.key)
    session.answer({"file": file, "rev": rev}, [f"{file} is whole, rev {rev}"])


@backup.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_command
def restore(session: Session, file: Path, *, yes: bool) -> None:
    """Put FILE in place of the memory; what was there is kept under another name."""
    from realmemory.store.restoring import restore as put_back  # noqa: PLC0415

    source = _found(session, file)
    if not yes and source.exists():
        if session.as_json:
            raise click.UsageError("restore replaces the memory: confirm it with --yes")
        click.confirm(f"Replace the memory in {session.store_directory}?", abort=True, err=True)
    report = put_back(session.store_directory, source, clock=SystemClock())
    lines = [f"restored rev {report.rev} from {report.backup}"]
    if report.kept:
        lines.append(f"what was there is {report.kept}")
    session.answer(report, lines)


@backup.command()
@click.option("--keep", type=click.IntRange(1), help="How many in all; the configured number.")
@click.option("--daily", type=click.IntRange(0), help="Of these, one for each of so many days.")
@click.option("--weekly", type=click.IntRange(0), help="Of these, one for each of so many weeks.")
@memory_command
def rotate(session: Session, *, keep: int | None, daily: int | None, weekly: int | None) -> None:
    """Delete unlabelled backups beyond --keep, once the newest one has been checked.

    The newest of each of the last days and weeks stay, in UTC; the other places go to the newest.
    Without --daily and --weekly two of five places belong to days and three of ten to weeks.
    """
    with session.memory() as memory:
        number = keep or memory.config.backups_keep
        gone = memory.context.store.rotate_backups(number, daily=daily, weekly=weekly)
    session.answer({"deleted": gone}, [f"deleted {path.name}" for path in gone] or ["none to go"])


def _found(session: Session, file: Path) -> Path:
    """Return the backup that is meant: a path, or a name in the folder of backups."""
    inside = session.store_directory / "backups" / file.name
    return inside if not file.exists() and inside.exists() else file


def _fields(info: BackupInfo) -> dict[str, object]:
    return info._asdict()


def _verdict(report: VerifyReport) -> list[str]:
    if report.traces is None or report.rev is None:
        seen = "the file cannot be read"
    else:
        seen = f"{counted(report.traces, 'memory', 'memories')} at rev {report.rev}"
    if report.ok:
        return [f"{seen}: nothing is wrong"]
    lines = [f"{seen}: {counted(len(report.findings), 'finding', 'findings')}"]
    lines += [f"  [{finding.code}] {finding.message}" for finding in report.findings]
    others = [finding for finding in report.findings if not finding.repairable]
    lines += [f"  \u2192 {finding.advice}" for finding in others]
    if others == list(report.findings):
        return lines
    advice = "Make a copy of the folder, then run `realmemory repair`"
    otherwise = "where it finds nothing to save, `realmemory backup restore` puts a backup back"
    return [*lines, f"{advice}; {otherwise}."]
