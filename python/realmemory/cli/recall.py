"""`recall`: ask the memory."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from realmemory.cli.output import age, one_line, safe
from realmemory.cli.session import Session, memory_command
from realmemory.instants import parse_instant
from realmemory.types import AbstainReason, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.types import RecalledMemory, RecallPacket

_WHY = {
    AbstainReason.NOTHING_MATCHED: "nothing here matches the question",
    AbstainReason.BELOW_FLOOR: "what is nearest is too far away to be trusted",
    AbstainReason.FLAT_NOISE: "everything is about equally far away",
    AbstainReason.ONLY_ARCHIVED: "only forgotten memories match: try --include-archived",
    AbstainReason.ONLY_OTHER_SCOPE: "only other scopes know: try --scope NAME or --all-scopes",
}


@click.command()
@click.argument("query")
@click.option("-k", "--k", type=int, default=5, show_default=True, help="Most hits to show.")
@click.option("--scope", help="A project: it sees itself and global.")
@click.option("--all-scopes", is_flag=True, help="Search every scope.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["episodic", "semantic", "turn"]),
    help="Only this kind; may be repeated.",
)
@click.option("--since", help="Only what happened from then on: ISO 8601.")
@click.option("--until", help="Only what happened before then: ISO 8601.")
@click.option("--as-of", help="What was true at that time: ISO 8601.")
@click.option("--include-superseded", is_flag=True, help="Show outdated facts too, marked.")
@click.option("--include-archived", is_flag=True, help="Show forgotten memories too, marked.")
@memory_command
def recall(
    session: Session,
    query: str,
    *,
    k: int,
    scope: str | None,
    all_scopes: bool,
    kinds: Sequence[str],
    since: str | None,
    until: str | None,
    as_of: str | None,
    include_superseded: bool,
    include_archived: bool,
) -> None:
    """Answer QUERY from memory, best hit first, or say that nothing trustworthy is known.

    The number before a hit is its confidence: the probability that it is relevant. Without
    --scope the project around you and global are searched; outside of one, global only.
    """
    with session.memory() as memory:
        packet = memory.recall(
            query,
            k=k,
            scope=None if all_scopes else session.scope(scope),
            all_scopes=all_scopes,
            kinds=list(kinds) or None,
            since=parse_instant(since) if since else None,
            until=parse_instant(until) if until else None,
            as_of=parse_instant(as_of) if as_of else None,
            include_superseded=include_superseded,
            include_archived=include_archived,
        )
        if not packet.items:
            session.check_known(scope, memory)
    session.answer(packet, packet_lines(packet, now=time.time()))


def packet_lines(packet: RecallPacket, *, now: float) -> list[str]:
    """Return a recall packet as a person reads it."""
    lines: list[str] = []
    if packet.abstained:
        reason = _WHY[packet.reason] if packet.reason else "nothing trustworthy is known"
        lines.append(f"I don't know: {reason}.")
    for item in packet.items:
        lines += hit_lines(item, now=now)
    if packet.degraded:
        lines.append(f"note: {safe(packet.degraded)}")
    return lines


def hit_lines(item: RecalledMemory, *, now: float) -> list[str]:
    """Return one hit: the text, then where it comes from."""
    first, *rest = safe(item.text).split("\n")
    facts = [f"#{item.memory_id}", item.source.value, item.scope, age(now - item.observed_at)]
    if item.status is not Status.ACTIVE:
        facts.append(item.status.value)
    if item.superseded_by is not None:
        facts.append(f"now #{item.superseded_by}")
    if item.author:
        facts.append(f"by {one_line(item.author, 40)}")
    if item.conflicts_with:
        facts.append("contradicts " + ", ".join(f"#{other}" for other in item.conflicts_with))
    lines = [f"[{item.confidence:.2f}] {first}", *("       " + line for line in rest)]
    return [*lines, "       " + " · ".join(facts)]
