"""A database of realMemory 0.8 or 0.9, as the lines of our own format.

Dates, strengths and history are kept; vectors are made anew, since the old embedder is another.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from realmemory.interop.native_export import FORMAT, VERSION
from realmemory.store.legacy import LegacyMemory, read_memories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FAMILY = uuid.UUID("5a0d2f0e-3c52-4c6e-9d55-6d6d2a4d8f10")


def export_lines(path: Path) -> Iterator[str]:
    """Yield an export of the old database.

    Raises:
        StoreRefusedError: The file is not such a database.
    """
    yield json.dumps({"format": FORMAT, "version": VERSION, "vectors": False})
    uids = {memory.id: _uid(memory) for memory in read_memories(path)}
    for memory in read_memories(path):
        yield json.dumps(_record(memory, uids), ensure_ascii=False)


def _uid(memory: LegacyMemory) -> str:
    """Return the same identity at every import, since the old rows have none of their own."""
    return str(uuid.uuid5(_FAMILY, f"{memory.id}\n{memory.created_at!r}\n{memory.text}"))


def _record(memory: LegacyMemory, uids: dict[int, str]) -> dict[str, Any]:
    successor = memory.superseded_by
    return {
        "type": "memory",
        "uid": uids[memory.id],
        "text": memory.text,
        "kind": memory.kind,
        "status": memory.status,
        "scope": memory.scope,
        "author": memory.author,
        "origin": "import",
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "observed_at": memory.valid_from,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "superseded_by": None if successor is None else uids.get(successor),
        "session_id": None,
        "turn_index": None,
        "speaker": None,
        "role": None,
        "importance": 0.0,
        "pinned": False,
        "expires_at": None,
        "tags": [],
        "meta": memory.meta,
        "base_strength": memory.base_strength,
        "reinforced_count": memory.reinforced_count,
        "last_reinforced_at": memory.last_reinforced_at,
    }
