"""Where turns were erased, so that the same conversation does not bring them back.

A deletion leaves a second tombstone that names the place of the turn in its session. Of the text it
keeps 12 bits: enough to tell the erased turn from what is said later in its place, too few to find
out by trial what it said.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from realmemory.store.session import id_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from realmemory.store.session import Session

_INDEX_BITS, _SAID_BITS = 50, 12
_INDEX_MASK, _SAID_MASK = (1 << _INDEX_BITS) - 1, (1 << _SAID_BITS) - 1


def shortened(said: bytes) -> int:
    """Return what is kept of the hash of an erased text."""
    return int.from_bytes(said[:2]) & _SAID_MASK


def bury_places(session: Session, ids: Iterable[int], rev: int, now: float) -> None:
    """Remember the places of those traces that are turns, before they are deleted."""
    rows = session.all(
        """
        SELECT t.id, s.name, t.session_id, t.turn_index, t.content_hash
        FROM traces t JOIN scopes s ON s.id = t.scope_id
        WHERE t.id IN (SELECT value FROM json_each(?))
          AND t.session_id IS NOT NULL AND t.turn_index IS NOT NULL
        ORDER BY t.id
        """,
        (id_list(ids),),
    )
    for trace_id, scope, name, index, said in rows:
        session.run(
            "INSERT INTO tombstones (rev, trace_id, uid, deleted_at) VALUES (?, ?, ?, ?)",
            (rev, trace_id, _place(scope, name, index, shortened(bytes(said))), now),
        )


def erased_places(session: Session, scope: str, name: str) -> dict[int, dict[int, int]]:
    """Return the turns of a session that were erased: by index the former id by what it said.

    A deletion that came with an import has no id of its own here; it counts as 0.
    """
    start = _start(scope, name)
    rows = session.all(
        "SELECT uid, trace_id FROM tombstones WHERE uid >= ? AND uid < ? ORDER BY seq",
        (start, start + "g"),
    )
    places: dict[int, dict[int, int]] = {}
    for uid, trace_id in rows:
        value = int(str(uid)[len(start) :].replace("-", ""), 16)
        index = value >> _SAID_BITS & _INDEX_MASK
        places.setdefault(index, {})[value & _SAID_MASK] = int(trace_id)
    return places


def _start(scope: str, name: str) -> str:
    """Return how the places of a session begin: as a UUID of version 8 does, by RFC 9562."""
    digest = hashlib.blake2b(f"{scope}\0{name}".encode(), digest_size=8).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-8{digest[12:15]}-"


def _place(scope: str, name: str, index: int, said: int) -> str:
    value = 0b10 << (_INDEX_BITS + _SAID_BITS) | (index & _INDEX_MASK) << _SAID_BITS | said
    text = f"{value:016x}"
    return f"{_start(scope, name)}{text[:4]}-{text[4:]}"
