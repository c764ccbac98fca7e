"""`reflect`, `link`, `pin`, `sleep`, `undo`: the channels through which a memory learns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.cli import exits
from realmemory.cli.output import counted
from realmemory.cli.session import Session, memory_command, memory_ids
from realmemory.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.outcomes import ConsolidationReport


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--reward",
    type=float,
    required=True,
    help="From -1 (misled) to 1 (helped).",
)
@memory_command
def reflect(session: Session, ids: Sequence[str], *, reward: float) -> int:
    """Say how much the recalled memories helped; what helps fades later.

    Leaves with 1 when some of them are unknown.
    """
    wanted = memory_ids(ids)
    with session.memory() as memory:
        touched = memory.feedback(wanted, reward)
    missed = reward != 0 and touched < len(set(wanted))
    if missed and not touched:
        raise NotFoundError("none of these memories is known; nothing was noted")
    session.answer({"touched": touched}, [f"noted for {touched} of {len(set(wanted))} memories"])
    return exits.ATTENTION if missed else exits.DONE


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID ID...")
@click.option(
    "--strength",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="How strongly, up to 1.",
)
@memory_command
def link(session: Session, ids: Sequence[str], *, strength: float) -> None:
    """Associate memories: one of them then helps to recall the others."""
    with session.memory() as memory:
        pairs = memory.link_memories(memory_ids(ids), strength=strength)
    session.answer({"pairs": pairs}, [f"linked {pairs} pairs; the next sleep commits them"])


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--off", is_flag=True, help="Let them fade again.")
@memory_command
def pin(session: Session, ids: Sequence[str], *, off: bool) -> None:
    """Keep memories from fading."""
    with session.memory() as memory:
        changed = memory.unpin(memory_ids(ids)) if off else memory.pin(memory_ids(ids))
    verb = "unpinned" if off else "pinned"
    session.answer({verb: changed}, [f"{verb} {changed}"])


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would happen, change nothing.")
@memory_command
def sleep(session: Session, *, dry_run: bool) -> None:
    """Consolidate: commit associations, promote what lasts, archive what faded, back up."""
    with session.memory() as memory:
        if not dry_run:
            session.take_in(memory)
        report = memory.consolidate(dry_run=dry_run)
    session.answer(report, _report(report, dry_run=dry_run))


@click.command()
@click.argument("run", required=False)
@memory_command
def undo(session: Session, run: str | None) -> None:
    """Take back what the sleep RUN, or the last one, archived and promoted."""
    with session.memory() as memory:
        report = memory.undo(run)
    live = counted(len(report.restored), "memory is", "memories are")
    back = f"{live} live again, {counted(len(report.demoted), 'episode', 'episodes')} again"
    session.answer(report, [f"took back sleep {report.run}: {back}"])


def _report(report: ConsolidationReport, *, dry_run: bool) -> list[str]:
    verb = "would take" if dry_run else "took"
    lines = [
        f"sleep {verb} {report.elapsed_ms:.0f} ms",
        f"  associations: {report.edges_committed} committed, {report.edges_pruned} let go",
        f"  memories: {report.promoted_to_semantic} promoted, {report.archived_traces} archived",
        f"  rewards: {report.rewards_applied} applied",
    ]
    if report.archived_traces or report.promoted_to_semantic:
        lines.append(f"  take it back with: realmemory undo {report.run}")
    if report.deferred:
        lines.append(f"  left for a sleep of another day by the cap: {report.deferred}")
    if report.backup:
        lines.append(f"  backup: {report.backup}")
    return lines + [f"  note: {warning}" for warning in report.warnings]
