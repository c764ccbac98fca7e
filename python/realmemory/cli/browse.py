"""`show`, `list`, `history`, `stats`: look at what is there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from realmemory.cli.output import age, counted, jsonable, one_line, safe, table
from realmemory.cli.session import Session, memory_command, memory_ids
from realmemory.instants import format_instant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from realmemory.types import Trace

_STATUSES = ["active", "superseded", "archived", "quarantined"]


@click.command()
@click.argument("memory_id", metavar="ID")
@memory_command
def show(session: Session, memory_id: str) -> None:
    """Show the memory ID: its text, then everything known about it."""
    (number,) = memory_ids([memory_id])
    with session.memory() as memory:
        trace, wordings = memory.get(number), memory.wordings(number)
    session.answer(
        {**jsonable(trace), "wordings": wordings},
        [*_card(trace), *(f"also told as: {one_line(text, 200)}" for text in wordings)],
    )


@click.command("list")
@click.option("--scope", help="Only this scope and global.")
@click.option("--all-scopes", is_flag=True, help="Every scope.")
@click.option("--kind", type=click.Choice(["episodic", "semantic", "turn"]), help="Only this kind.")
@click.option(
    "--status",
    type=click.Choice([*_STATUSES, "any"]),
    default="active",
    show_default=True,
    help="Only this state of life.",
)
@click.option("--tag", help="Only with this tag.")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many."
)
@click.option("--after", type=int, metavar="ID", help="Continue after this memory.")
@memory_command
def list_memories(
    session: Session,
    *,
    scope: str | None,
    all_scopes: bool,
    kind: str | None,
    status: str,
    tag: str | None,
    limit: int,
    after: int | None,
) -> None:
    """List memories, newest first."""
    with session.memory() as memory:
        session.check_known(scope, memory)
        traces = memory.list(
            scope=session.scope(scope),
            all_scopes=all_scopes,
            kind=kind,
            status=None if status == "any" else status,
            tag=tag,
            limit=limit,
            after=after,
        )
    lines = _listing(traces, with_status=status == "any")
    if len(traces) == limit:
        lines.append(f"more: add --after {traces[-1].id}")
    session.answer(traces, lines)


@click.command()
@click.argument("memory_id", metavar="ID")
@memory_command
def history(session: Session, memory_id: str) -> None:
    """Show every version of the fact ID, oldest first."""
    (number,) = memory_ids([memory_id])
    with session.memory() as memory:
        traces = memory.history(number)
    lines = []
    for trace in traces:
        until = format_instant(trace.valid_to) if trace.valid_to is not None else "now"
        lines += [
            f"#{trace.id} {format_instant(trace.valid_from)} - {until}",
            f"  {one_line(trace.text, 100)}",
        ]
    session.answer(traces, lines)


@click.command()
@memory_command
def stats(session: Session) -> None:
    """Count what is stored and what was asked."""
    with session.memory() as memory:
        figures = memory.stats()
    session.answer(figures, _figures(figures))


def _listing(traces: Sequence[Trace], *, with_status: bool) -> list[str]:
    if not traces:
        return ["nothing is remembered here"]
    now = time.time()
    rows = [
        (f"#{trace.id}", trace.kind.value, trace.scope, age(now - trace.observed_at), trace.text)
        for trace in traces
    ]
    shown = [[*row[:-1], one_line(row[-1], 72)] for row in rows]
    headers = ["id", "kind", "scope", "when", "text"]
    if with_status:
        headers.insert(2, "status")
        for row, trace in zip(shown, traces, strict=True):
            row.insert(2, trace.status.value)
    return table(headers, shown)


def _card(trace: Trace) -> list[str]:
    facts: dict[str, object] = {
        "id": f"#{trace.id} ({trace.uid})",
        "kind": trace.kind.value,
        "status": trace.status.value,
        "scope": trace.scope,
        "origin": " ".join(filter(None, (trace.origin.value, trace.author))),
        "happened": format_instant(trace.observed_at),
        "written": format_instant(trace.created_at),
        "changed": format_instant(trace.updated_at),
        "strength": f"{trace.base_strength:.2f}, reinforced "
        + counted(trace.reinforced_count, "time", "times"),
    }
    if trace.valid_to is not None:
        facts["true until"] = format_instant(trace.valid_to)
    if trace.superseded_by is not None:
        facts["now"] = f"#{trace.superseded_by}"
    if trace.expires_at is not None:
        facts["expires"] = format_instant(trace.expires_at)
    if trace.pinned:
        facts["pinned"] = "does not fade"
    elif trace.fades_at is not None:
        faded = trace.fades_at <= time.time()
        facts["faded" if faded else "fades"] = format_instant(trace.fades_at)
    if trace.tags:
        facts["tags"] = ", ".join(trace.tags)
    if trace.session_id:
        facts["session"] = trace.session_id
    facts |= {f"meta {key}": value for key, value in trace.meta.items()}
    return [safe(trace.text), "", *_figures(facts)]


def _figures(values: Mapping[str, object], indent: str = "") -> list[str]:
    lines = []
    for name, value in values.items():
        label = f"{indent}{one_line(str(name), 40).replace('_', ' ')}"
        if isinstance(value, dict):
            lines += [f"{label}:", *_figures(value, indent + "  ")]
        else:
            shown = f"{value:.3f}" if isinstance(value, float) else one_line(str(value), 200)
            lines.append(f"{label + ':':<24} {shown}")
    return lines
