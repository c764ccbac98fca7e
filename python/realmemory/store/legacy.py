"""Reading the database of realMemory 0.8 and 0.9, which is left as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from realmemory.errors import StoreRefusedError
from realmemory.store.foreign_rows import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WANTED = {
    "scope": "'global'",
    "author": "''",
    "meta": "'{}'",
    "valid_to": "NULL",
    "superseded_by": "NULL",
}
"""Columns that came with a later version, and what stands for them before."""


class LegacyMemory(NamedTuple):
    """One row of the old table."""

    id: int
    text: str
    kind: str
    status: str
    created_at: float
    updated_at: float
    valid_from: float
    reinforced_count: int
    last_reinforced_at: float
    base_strength: float
    scope: str
    author: str
    meta: dict[str, Any]
    valid_to: float | None
    superseded_by: int | None


def read_memories(path: Path) -> Iterator[LegacyMemory]:
    """Yield every memory of an old database, in order of id.

    Raises:
        StoreRefusedError: The file is not such a database.
    """
    with opened(path) as connection:
        columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(memories)")}
        if not {"text", "base_strength", "last_reinforced_at"} <= columns:
            raise StoreRefusedError(
                f"{path} is not a database of realMemory 0.8 or 0.9; nothing was imported.",
                code="foreign_db",
            )
        chosen = [name if name in columns else default for name, default in _WANTED.items()]
        for row in connection.execute(
            "SELECT id, text, kind, status, created_at, updated_at, valid_from, reinforced_count, "
            f"last_reinforced_at, base_strength, {', '.join(chosen)} FROM memories ORDER BY id"
        ):
            *plain, meta, valid_to, successor = row
            yield LegacyMemory._make([*plain, json.loads(meta or "{}"), valid_to, successor])
