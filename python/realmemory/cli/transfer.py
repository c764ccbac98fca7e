"""`export` and `import`: take a memory out, bring one in."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from realmemory.cli import exits
from realmemory.cli.output import counted
from realmemory.cli.session import Session, memory_command
from realmemory.errors import InvalidInputError
from realmemory.interop.native_export import export_lines
from realmemory.interop.transfer import FORMATS, export_file, export_pages, import_file
from realmemory.places import refuse_inside
from realmemory.scopes import validate_scope

if TYPE_CHECKING:
    from realmemory.hippocampus import Hippocampus
    from realmemory.interop.outcome import ImportReport


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option("--vectors", is_flag=True, help="Include the vectors; larger, and exact.")
@click.option("--markdown", is_flag=True, help="Write one page a scope into the folder TARGET.")
@click.option("--plain", is_flag=True, help="Yes, write an encrypted memory out in the clear.")
@memory_command
def export_memory(
    session: Session, target: Path | None, *, vectors: bool, markdown: bool, plain: bool
) -> None:
    """Write everything that is known to TARGET as JSON Lines; without it, or with -, to standard output.

    The file holds memories with their wordings and history, links and deletions; `import` reads it
    back. It is not encrypted, so an encrypted memory is written out with --plain only.
    """
    if session.project is not None:
        # Written out all the same, another project's memories would leave with the file.
        raise click.UsageError("an export holds every project: leave --project out")
    if target == Path("-"):
        target = None
    if target is not None:
        refuse_inside(target, session.directory)
    with session.memory() as memory:
        if memory.context.store.paths.key is not None and not plain:
            raise InvalidInputError(
                "the memory is encrypted, and an export is not; nothing was written. Say so with "
                "--plain; a copy that stays encrypted is `realmemory backup create`.",
                code="plain_export",
            )
        if markdown:
            if target is None:
                raise click.UsageError("--markdown needs a folder to write to")
            pages = export_pages(memory, target)
            session.answer(
                {"pages": pages}, [f"wrote {counted(len(pages), 'page', 'pages')} to {target}"]
            )
            return
        if target is None:
            for line in export_lines(memory.context, vectors=vectors):
                sys.stdout.write(line + "\n")
            return
        count = export_file(memory, target, vectors=vectors)
    session.answer(
        {"file": target, "lines": count}, [f"wrote {counted(count, 'line', 'lines')} to {target}"]
    )


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("--format", "name", type=click.Choice(FORMATS), help="Found out by default.")
@click.option("--scope", help="Put what is new there, whatever the file says.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, change nothing.")
@memory_command
def import_memory(
    session: Session, source: Path, *, name: str | None, scope: str | None, dry_run: bool
) -> int:
    """Bring SOURCE in: our own export, another memory's, chats, notes or an instruction file.

    Dates are kept, a second import brings nothing, secrets are masked and instructions to the
    agent are held back. Rows that cannot be used go to SOURCE.rejected.jsonl, with exit code 1; so does
    a SOURCE in which there is nothing to import.
    """
    where = None if scope is None else validate_scope(scope)
    with ExitStack() as stack:
        memory = _opened(session, stack, dry_run=dry_run)
        report = import_file(memory, source, format=name, scope=where, dry_run=dry_run)
    session.answer(report, _told(report, source))
    return exits.ATTENTION if report.rejected or not report.read else exits.DONE


def _opened(session: Session, stack: ExitStack, *, dry_run: bool) -> Hippocampus:
    """Open the memory; where there is none, a dry run gets an empty one that is thrown away."""
    if dry_run and session.is_absent():
        folder = stack.enter_context(TemporaryDirectory())
        session = replace(session, path=Path(folder), namespace=None)
    return stack.enter_context(session.memory(create=True))


def _told(report: ImportReport, source: Path) -> list[str]:
    verb = "would import" if report.dry_run else "imported"
    lines = [
        f"{verb} {report.imported} of {report.read} records ({report.format})",
        f"  known already: {report.known}",
    ]
    if not report.read:
        lines.append(
            f"  nothing that could be imported is in {source}"
            + ("; notes are *.md files outside of hidden folders" if source.is_dir() else "")
        )
    if report.updated:
        lines.append(f"  brought up to date: {report.updated}")
    lines += [f"  left out ({reason}): {count}" for reason, count in report.skipped.items()]
    if report.quarantined:
        lines.append(f"  held back until you confirm them: {report.quarantined}")
    if report.rejected:
        where = f", see {report.rejected_file}" if report.rejected_file else ""
        lines.append(f"  rejected: {report.rejected}{where}")
    lines += [f"  warning: {warning}" for warning in report.warnings]
    return lines
