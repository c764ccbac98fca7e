"""`search`, `why`: exact words, and the reasons behind an answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from realmemory.cli.output import one_line, table
from realmemory.cli.recall import packet_lines
from realmemory.cli.session import Session, memory_command, memory_ids
from realmemory.flows import lookup
from realmemory.flows.explain import kept_out

if TYPE_CHECKING:
    from realmemory.hippocampus import Hippocampus
    from realmemory.types import RecallPacket, Trace


@click.command()
@click.argument("query")
@click.option("--scope", help="A project: it sees itself and global.")
@click.option("--all-scopes", is_flag=True, help="Search every scope.")
@click.option("--limit", type=click.IntRange(1), default=20, help="At most so many.")
@memory_command
def search(
    session: Session, query: str, *, scope: str | None, all_scopes: bool, limit: int
) -> None:
    """List memories that hold words of QUERY in any form, without judging them.

    A QUERY in double quotes is a phrase, one that ends in * a prefix.
    """
    with session.memory() as memory:
        hits = lookup.search_words(
            memory.context,
            query,
            scope=None if all_scopes else session.scope(scope),
            all_scopes=all_scopes,
            limit=limit,
        )
        if not hits:
            session.check_known(scope, memory)
        elsewhere = not (hits or all_scopes) and lookup.search_words(
            memory.context, query, all_scopes=True, limit=1
        )
    none = "no memory holds these words"
    missed = f"{none} here: try --scope NAME or --all-scopes" if elsewhere else none
    rows = [(f"#{trace.id}", f"{rank:.2f}", trace.scope, trace.text) for trace, rank in hits]
    shown = [(*row[:-1], one_line(row[-1], 72)) for row in rows]
    session.answer(
        [{"bm25": rank, "memory": trace} for trace, rank in hits],
        table(("id", "bm25", "scope", "text"), shown) if shown else [missed],
    )


@click.command()
@click.argument("query")
@click.argument("memory_id", required=False, metavar="[ID]")
@click.option("-k", "--k", type=int, default=5, show_default=True, help="Most hits to show.")
@click.option("--scope", help="A project: it sees itself and global.")
@click.option("--all-scopes", is_flag=True, help="Search every scope.")
@memory_command
def why(
    session: Session,
    query: str,
    *,
    memory_id: str | None,
    k: int,
    scope: str | None,
    all_scopes: bool,
) -> None:
    """Answer QUERY and show what every stage saw: why a memory was kept or dropped.

    With the ID of a memory, show everything that was weighed of that one.
    """
    (number,) = (None,) if memory_id is None else memory_ids([memory_id])
    with session.memory() as memory:
        packet = memory.recall(
            query,
            k=k,
            scope=None if all_scopes else session.scope(scope),
            all_scopes=all_scopes,
            explain=True,
        )
        if not packet.items:
            session.check_known(scope, memory)
        if number is None:
            lines = [*packet_lines(packet, now=time.time()), "", *_stages(memory, packet)]
        else:
            lines = _weighed(memory.get(number), packet)
    session.answer(packet, lines)


def _weighed(trace: Trace, packet: RecallPacket) -> list[str]:
    """Return all that an explanation tells of one memory."""
    told, number = packet.explanation or {}, trace.id
    seen: dict[str, Any] | None = next((c for c in told["candidates"] if c["id"] == number), None)
    cause = kept_out(trace, told["query"])
    if seen is None:
        cause = (
            cause or "it is not near by meaning or by words, or its project or time keeps it out"
        )
        by_words = any(item.memory_id == number for item in packet.items)
        state = "was found by its words alone" if by_words else "was no candidate"
        return [f"#{number} {state}: {cause}; `realmemory show {number}` shows it."]
    rows = []
    for name, value in list(seen.items())[1:]:
        parts = value.items() if isinstance(value, dict) else [("", value)]
        rows += [
            (f"{name} {part}".strip(), f"{x:.4g}") for part, x in parts if not isinstance(x, str)
        ]
    verdict = f"{seen['verdict']} ({cause})" if cause else seen["verdict"]
    return [f"#{number}: {verdict}", "", *table(("", "value"), rows)]


def _stages(memory: Hippocampus, packet: RecallPacket) -> list[str]:
    explanation = packet.explanation or {}
    timings: dict[str, float] = explanation.get("timings_ms", {})
    lines = ["stages: " + ", ".join(f"{name} {ms:.1f} ms" for name, ms in timings.items())]
    candidates = sorted(explanation.get("candidates", ()), key=lambda item: -item["score"])[:12]
    if not candidates:
        return [*lines, "no memory shares a word or a meaning with the question"]
    rows = [_row(memory, item) for item in candidates]
    headers = ("id", "confidence", "cosine", "bm25", "words", "retention", "verdict", "text")
    return [*lines, "", *table(headers, rows)]


def _row(memory: Hippocampus, item: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"#{item['id']}",
        f"{item['confidence']:.2f}",
        f"{item['cosine']:.2f}",
        f"{item['bm25']:.1f}",
        str(item["matched"]),
        f"{item['retention']:.2f}",
        str(item["verdict"]),
        one_line(memory.get(item["id"]).text, 40),
    )
