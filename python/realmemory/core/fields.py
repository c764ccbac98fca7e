"""The fields of a database row as bytes, so that one hash covers all of them."""

from __future__ import annotations

from realmemory import _native

tagged = _native.tagged
"""Return values one after the other, each behind one byte that tells its type.

``N`` for None; ``I`` with 8 bytes (signed); ``F`` with 8 bytes (IEEE 754); ``B`` with the length in
8 bytes and the bytes, which are UTF-8 for a text; numbers are little-endian. The twin is
:func:`realmemory.core.reference.fields.tagged`.
"""
