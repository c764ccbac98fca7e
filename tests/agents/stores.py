"""Stores for tests of the hooks: filled through the store, without a model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from realmemory.clock import SystemClock
from realmemory.config import MemoryConfig
from realmemory.core.text import fts_terms
from realmemory.store import Store
from realmemory.store.records import NewTrace
from realmemory.types import Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DAY = 86_400.0


def trace(
    text: str,
    *,
    scope: str = "shop",
    kind: str = "semantic",
    origin: str = "user",
    status: str = "active",
    age_days: float = 0.0,
    base: float = 0.5,
    count: int = 0,
    **extra: object,
) -> NewTrace:
    at = time.time() - age_days * DAY
    return NewTrace(
        text=text,
        terms=fts_terms(text),
        scope=scope,
        kind=Kind(kind),
        origin=Origin(origin),
        status=Status(status),
        created_at=at,
        observed_at=at,
        last_reinforced_at=at,
        base_strength=base,
        reinforced_count=count,
        **extra,  # type: ignore[arg-type]
    )


def filled(directory: Path, traces: Iterable[NewTrace]) -> list[int]:
    """Write traces and return their ids."""
    store = Store.open(directory, config=MemoryConfig(), clock=SystemClock())
    try:
        with store.write() as tx:
            return [tx.traces.insert(item) for item in traces]
    finally:
        store.close()
