"""`recall`: ask the memory."""

from __future__ import annotations

import time
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from realmemory.cli.output import age, one_line, safe
from realmemory.cli.session import Session, instant_of, memory_command
from realmemory.instants import format_instant
from realmemory.types import AbstainReason, Grouping, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.types import RecalledMemory, RecallPacket, SessionHits

_DETAIL = 120
"""Columns of what a packet says about itself."""
_ALSO = 5
"""Further hits of a session that are named; `--json` has all."""
_WHOLE = 1200
"""Characters of a text that is printed whole unasked."""
_WHY = {
    AbstainReason.NOTHING_MATCHED: "nothing here matches the question",
    AbstainReason.BELOW_FLOOR: "what is nearest is too far away to be trusted",
    AbstainReason.FLAT_NOISE: "everything is about equally far away",
    AbstainReason.ONLY_ARCHIVED: "only forgotten memories match: try --include-archived",
    AbstainReason.OTHER_SPEAKER: "what comes nearest is somebody else's matter",
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
@click.option("--tag", "tags", multiple=True, help="Only what has this tag; may be repeated.")
@click.option("--since", help="Only what happened from then on: ISO 8601.")
@click.option("--until", help="Only what happened before then: ISO 8601.")
@click.option("--as-of", help="What was true at that time: ISO 8601.")
@click.option("--now", help="What 'yesterday' and age are seen from: ISO 8601.")
@click.option("--session-id", help="The conversation that asks: ties its recalls together.")
@click.option(
    "--window", type=int, default=0, help="Turns on each side of a hit from a conversation."
)
@click.option(
    "--group-by",
    type=click.Choice([grouping.value for grouping in Grouping]),
    help="Gather hits by session, ordered by all of them or by the mean of the best three.",
)
@click.option("--include-superseded", is_flag=True, help="Show outdated facts too, marked.")
@click.option("--include-archived", is_flag=True, help="Show forgotten memories too, marked.")
@click.option("--full", is_flag=True, help="Print long texts whole, not the part that answers.")
@memory_command
def recall(
    session: Session,
    query: str,
    *,
    k: int,
    scope: str | None,
    all_scopes: bool,
    kinds: Sequence[str],
    tags: Sequence[str],
    since: str | None,
    until: str | None,
    as_of: str | None,
    now: str | None,
    session_id: str | None,
    window: int,
    group_by: str | None,
    include_superseded: bool,
    include_archived: bool,
    full: bool,
) -> None:
    """Answer QUERY from memory, best hit first, or say that nothing trustworthy is known.

    The number before a hit is its confidence: the probability that it is relevant. Without
    --scope the project around you and global are searched; outside of one, global only.
    """
    moment = instant_of(now)
    with session.memory() as memory:
        packet = memory.recall(
            query,
            k=k,
            scope=None if all_scopes else session.scope(scope),
            all_scopes=all_scopes,
            kinds=list(kinds) or None,
            tags=list(tags),
            since=instant_of(since),
            until=instant_of(until),
            as_of=instant_of(as_of),
            now=moment,
            session_id=session_id,
            window=window,
            group_by=group_by,
            include_superseded=include_superseded,
            include_archived=include_archived,
        )
        if not packet.items:
            session.check_known(scope, memory)
    session.answer(packet, packet_lines(packet, now=moment or time.time(), full=full))


def packet_lines(packet: RecallPacket, *, now: float, full: bool = False) -> list[str]:
    """Return a recall packet as a person reads it."""
    lines: list[str] = []
    if packet.abstained:
        reason = _WHY[packet.reason] if packet.reason else "nothing trustworthy is known"
        lines.append(f"I don't know: {reason}.")
        if packet.nearest is not None:
            lines += ["nearest:", *hit_lines(packet.nearest, now=now, full=full)]
    for item, group in zip_longest(packet.items, packet.sessions):
        if group is not None:
            lines.append(_session_line(group))
        lines += hit_lines(item, now=now, full=full)
    if packet.detail:
        lines.append(f"note: {one_line(packet.detail, _DETAIL)}")
    if packet.degraded:
        lines.append(f"note: {safe(packet.degraded)}")
    return lines


def _part(item: RecalledMemory) -> str:
    """Return the passage that answers, with marks where the text goes on; a short text whole."""
    if len(item.text) <= _WHOLE:
        return item.text
    start, end = item.span or (0, _WHOLE)
    head, tail = "…" * (start > 0), "…" * (end < len(item.text))
    return head + item.text[start:end].strip() + tail


def _session_line(group: SessionHits) -> str:
    name = "no session" if group.session_id is None else one_line(group.session_id, 60)
    others = ", ".join(f"#{item.memory_id}" for item in group.items[1 : _ALSO + 1])
    more = len(group.items) - 1 - _ALSO
    also = f", also {others}" + (f" and {more} more" if more > 0 else "") if others else ""
    return f"{name} ({group.score:.2f}){also}"


def hit_lines(item: RecalledMemory, *, now: float, full: bool = False) -> list[str]:
    """Return one hit: the text, of a long one the part that answers, then where it comes from."""
    text = item.text if full else _part(item)
    first, *rest = safe(text).split("\n")
    facts = [f"#{item.memory_id}", item.source.value, item.scope, age(now - item.observed_at)]
    if item.status is not Status.ACTIVE:
        facts.append(item.status.value)
    if text is not item.text:
        facts.append(f"{len(item.text)} characters, all by --full")
    if item.valid_from > now:
        facts.append(f"holds from {format_instant(item.valid_from)}")
    if item.superseded_by is not None:
        ends = now if item.valid_to is None else item.valid_to
        until = f"until {format_instant(ends)}, then" if ends > now else "now"
        facts.append(f"{until} #{item.superseded_by}")
    if item.author:
        facts.append(f"by {one_line(item.author, 40)}")
    if item.conflicts_with:
        facts.append("contradicts " + ", ".join(f"#{other}" for other in item.conflicts_with))
    lines = [f"[{item.confidence:.2f}] {first}", *("       " + line for line in rest)]
    lines.append("       " + " · ".join(facts))
    for turn in item.around:
        place = "before" if turn.turn_index < (item.turn_index or 0) else "after"
        said = one_line(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text)
        lines.append(f"       {place} #{turn.memory_id} {said}")
    return lines
