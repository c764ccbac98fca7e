"""Stage `sessions`: hits bring the turns beside them, and are gathered by session on request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.late import late_module
from realmemory.policies.ranking import session_score
from realmemory.types import Grouping, NearbyTurn, SessionHits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.transactions import ReadView
    from realmemory.types import RecalledMemory, RecallPacket
else:
    np = late_module("numpy")


def gathered(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    visible: ScanFilter,
    packet: RecallPacket,
) -> RecallPacket:
    """Return the packet grouped by session and with the turns around its hits, as asked."""
    if question.options.group_by is not None:
        groups = by_session(packet.items, Grouping(question.options.group_by))[: question.k]
        packet = replace(packet, sessions=groups, items=tuple(group.items[0] for group in groups))
    if question.options.window and packet.items:
        items = _with_turns_around(context, view, question, visible, packet.items)
        packet = replace(packet, items=items)
    return packet


def by_session(items: Sequence[RecalledMemory], grouping: Grouping) -> tuple[SessionHits, ...]:
    """Return the hits by session, the best session first, ties in order of their best hit."""
    members: dict[tuple[str, str | int], list[RecalledMemory]] = {}
    for item in items:
        alone = item.session_id is None or item.turn_index is None
        key = item.memory_id if alone else str(item.session_id)
        members.setdefault((item.scope, key), []).append(item)
    groups = [
        SessionHits(
            session_id=hits[0].session_id if hits[0].turn_index is not None else None,
            score=session_score([item.score for item in hits], grouping),
            items=tuple(hits),
        )
        for hits in members.values()
    ]
    return tuple(sorted(groups, key=lambda group: -group.score))


def _with_turns_around(
    context: MemoryContext,
    view: ReadView,
    question: Question,
    visible: ScanFilter,
    items: Sequence[RecalledMemory],
) -> tuple[RecalledMemory, ...]:
    """Return the hits with their neighbours, whenever those were said and whatever their tags."""
    reach = question.options.window
    anything = replace(visible, since=None, until=None, ids=None)
    places = view.conversations.around([item.memory_id for item in items], reach)
    ids = np.array([place.id for place in places], dtype=np.int64)
    seen = set(ids[context.index.engine.accepted(ids, anything)].tolist())
    texts = view.traces.get_many(seen)
    turns: dict[str, list[NearbyTurn]] = {}
    session_of: dict[int, str] = {}
    for place in places:
        session_of[place.id] = place.session
        if place.id in texts:
            turns.setdefault(place.session, []).append(
                NearbyTurn(place.id, place.turn_index, place.speaker, texts[place.id].text)
            )
    return tuple(
        replace(
            item,
            around=tuple(
                turn
                for turn in turns.get(session_of.get(item.memory_id, ""), ())
                if item.turn_index is not None
                and 0 < abs(turn.turn_index - item.turn_index) <= reach
            ),
        )
        for item in items
    )
