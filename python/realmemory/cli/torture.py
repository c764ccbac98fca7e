"""`torture`: kill processes that use a memory, again and again, and see whether it keeps its word."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli import exits
from realmemory.cli.session import Session, memory_command

if TYPE_CHECKING:
    from realmemory.torture.campaign import Verdict

_SEEDS = 1_000_000


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=300, show_default=True, help="How many.")
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Most processes that use the memory at once.",
)
@click.option("--seconds", type=click.FloatRange(0), help="Begin no round after this time.")
@click.option("--seed", type=int, help="Repeat the choices of a run; a new seed by default.")
@memory_command
def torture(
    session: Session, *, rounds: int, processes: int, seconds: float | None, seed: int | None
) -> int:
    """Kill processes in the middle of their work and check what was acknowledged.

    Works on memories of its own in a temporary folder, never on yours. In every round one or
    more processes write, revise, forget, converse and sleep until they are killed; some run into
    a full disk, some with a clock that is years wrong. Then a new process checks that nothing
    acknowledged was lost or changed. Exit 1 when a promise was broken; the store is kept then.
    """
    from realmemory.torture import campaign  # noqa: PLC0415 - not needed for --help

    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    click.echo(f"seed {seed}", err=True)
    verdict = campaign.torture(
        rounds=rounds, processes=processes, seconds=seconds, seed=seed, progress=_tell
    )
    session.answer(_fields(verdict), _lines(verdict))
    return exits.DONE if verdict.ok else exits.ATTENTION


def _tell(verdict: Verdict) -> None:
    if verdict.rounds % 100 == 0:
        click.echo(
            f"{verdict.rounds} rounds, {verdict.kills} kills, {verdict.elapsed_s:.0f} s", err=True
        )


def _lines(verdict: Verdict) -> list[str]:
    done = ", ".join(f"{count} {name}" for name, count in verdict.operations.most_common())
    faults = ", ".join(f"{count} {name}" for name, count in verdict.faults.most_common())
    lines = [
        f"{verdict.rounds} rounds, {verdict.kills} kills in {verdict.elapsed_s:.0f} s",
        f"acknowledged {verdict.acknowledged}: {done}",
        f"cut off in the middle {verdict.unknown}, refused {verdict.refused}, faults: {faults}",
    ]
    if verdict.ok:
        return [*lines, "every promise was kept"]
    return [*lines, *verdict.findings, f"the store that broke its word is {verdict.kept}"]


def _fields(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": "kept" if verdict.ok else "broken",
        "seed": verdict.seed,
        "rounds": verdict.rounds,
        "kills": verdict.kills,
        "acknowledged": verdict.acknowledged,
        "unknown": verdict.unknown,
        "refused": verdict.refused,
        "inspections": verdict.inspections,
        "faults": dict(verdict.faults),
        "operations": dict(verdict.operations),
        "seconds": verdict.elapsed_s,
        "findings": verdict.findings,
        "store": verdict.kept,
    }
