"""Hashes over rows, so that a flipped bit is found where SQLite itself cannot see it.

A row hash is BLAKE2b with 16 bytes over the durable fields in the order of :data:`TRACE_FIELDS` or
:data:`VARIANT_FIELDS`. Each field is one tag byte, then its value: ``N`` for NULL, ``I`` with 8
bytes (signed), ``F`` with 8 bytes (IEEE 754), ``B`` with the length in 8 bytes and the bytes, which
are UTF-8 for a text; numbers are little-endian. A missing vector is NULL. Counters of recall live
in another table and are not covered.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from realmemory.core.fields import tagged

if TYPE_CHECKING:
    import apsw

HASH_BYTES = 16

TRACE_FIELDS = (
    "id",
    "uid",
    "kind",
    "status",
    "scope_id",
    "pinned",
    "base_strength",
    "reinforced_count",
    "reinforced_days",
    "last_reinforced_at",
    "importance",
    "created_at",
    "updated_at",
    "observed_at",
    "valid_from",
    "valid_to",
    "expires_at",
    "superseded_by",
    "space_id",
    "rev",
    "content_rev",
    "author",
    "origin",
    "session_id",
    "turn_index",
    "speaker",
    "role",
    "tags",
    "meta",
    "content_hash",
    "text",
    "index_text",
    "embedding",
)
VARIANT_FIELDS = (
    "id",
    "trace_id",
    "text",
    "author",
    "origin",
    "session_id",
    "created_at",
    "meta",
    "content_hash",
    "rev",
)

_TEXTS = {
    "uid",
    "kind",
    "status",
    "author",
    "origin",
    "session_id",
    "speaker",
    "role",
    "tags",
    "meta",
    "text",
    "index_text",
}


def _call(fields: tuple[str, ...]) -> str:
    # As bytes, so that a text which a flipped bit made unreadable is a wrong hash, not an error.
    values = (f"CAST({name} AS BLOB)" if name in _TEXTS else name for name in fields)
    return f"row_hash({', '.join(values)})"


TRACE_HASH_SQL = _call(TRACE_FIELDS)
VARIANT_HASH_SQL = _call(VARIANT_FIELDS)


def row_hash(*values: str | float | bytes | None) -> bytes:
    """Return the hash over ``values`` in the given order."""
    return hashlib.blake2b(tagged(*values), digest_size=HASH_BYTES).digest()


def stored_real(value: float) -> float:
    """Return a number as a REAL column gives it back: SQLite keeps no negative zero."""
    return float(value) + 0.0


def content_hash(text: str) -> bytes:
    """Return the hash under which byte-equal texts are found."""
    return hashlib.blake2b(text.encode(), digest_size=HASH_BYTES).digest()


def register(connection: apsw.Connection) -> None:
    """Make ``row_hash(...)`` available to the statements of one connection."""
    connection.create_scalar_function("row_hash", row_hash, deterministic=True)
