"""Which memory here says what a record of an export says under another uid, and what joins both.

As at the gate of a live memory: the same text of the same occasion, by the same author, is one
memory. What is joined is the larger of each, so that a second import finds nothing to change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from realmemory.policies.gate.occasions import same_occasion
from realmemory.store.index_rows import FORGOTTEN_KEY
from realmemory.types import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.interop.native_record import NativeRecord
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace

_AT_ONCE = 60.0
"""Seconds between a text that is given without a time and its row, at most but for a large batch."""
_LIVE = (Status.ACTIVE, Status.ARCHIVED)


class FileUids:
    """What stands here for the uids of one file.

    Two records of a file are two memories, even where they say the same.

    Args:
        dry_run: Nothing is written, so that ``made`` has to say what would have been made.
        join: Look for what is here already under another uid.
    """

    def __init__(self, *, dry_run: bool, join: bool = True) -> None:
        self.dry_run = dry_run
        self._join = join
        self.made: set[str] = set()
        self._uids: set[str] = set()
        self._ids: dict[str, int] = {}

    def saw(self, records: Iterable[NativeRecord]) -> None:
        """Note what the file says under uids of its own."""
        self._uids.update(record.trace.uid for record in records)

    def twin(self, view: ReadView, record: NativeRecord) -> Trace | None:
        """Return the first memory that was here before and says what a record says."""
        if not self._join:
            return None
        scope_id = view.scopes.find(record.trace.scope)
        stating = (
            [] if scope_id is None else view.traces.ids_with_text(record.trace.text, [scope_id])
        )
        taken = self._ids.values()
        for trace in view.traces.get_many(i for i in stating if i not in taken).values():
            if trace.uid not in self._uids and _same(trace, record):
                self._ids[record.trace.uid] = trace.id
                return trace
        return None

    def id_of(self, view: ReadView, uid: str) -> int | None:
        """Return what stands here for a uid of the file."""
        return self._ids[uid] if uid in self._ids else view.traces.id_of_uid(uid)


def _same(mine: Trace, record: NativeRecord) -> bool:
    theirs = record.trace
    if Kind.TURN in {mine.kind, theirs.kind}:
        place = (theirs.session_id, theirs.turn_index, theirs.speaker, theirs.kind)
        return place == (mine.session_id, mine.turn_index, mine.speaker, mine.kind)
    if mine.author and theirs.author and mine.author != theirs.author:
        return False
    replaced = record.successor is not None
    if replaced is not (mine.superseded_by is not None):
        return False
    if not {mine.status, theirs.status}.issubset(_LIVE) and mine.status is not theirs.status:
        return False
    # As everywhere, who gives no time means whenever it was.
    stated = abs(theirs.created_at - theirs.observed_at) > _AT_ONCE or replaced
    return not stated or same_occasion(mine.observed_at, theirs.observed_at)


def joined(mine: Trace, record: NativeRecord) -> Trace:
    """Return a memory with what another store adds to it; its own words about itself stay."""
    theirs = record.trace
    later = theirs.updated_at > mine.updated_at
    meta = {**theirs.meta, **mine.meta}
    if FORGOTTEN_KEY not in mine.meta:
        meta.pop(FORGOTTEN_KEY, None)
    status = mine.status
    if later and (theirs.status, status) == (Status.ACTIVE, Status.ARCHIVED):
        status = Status.ACTIVE
        meta.pop(FORGOTTEN_KEY, None)
    both = replace(
        mine,
        kind=Kind.SEMANTIC if Kind.SEMANTIC in {mine.kind, theirs.kind} else mine.kind,
        status=status,
        importance=max(mine.importance, theirs.importance),
        pinned=mine.pinned or (theirs.pinned and later),
        tags=tuple(dict.fromkeys((*mine.tags, *theirs.tags))),
        meta=meta,
        base_strength=max(mine.base_strength, theirs.base_strength),
        reinforced_count=max(mine.reinforced_count, theirs.reinforced_count),
        last_reinforced_at=max(mine.last_reinforced_at, theirs.last_reinforced_at),
    )
    return (
        both if both == mine else replace(both, updated_at=max(mine.updated_at, theirs.updated_at))
    )
