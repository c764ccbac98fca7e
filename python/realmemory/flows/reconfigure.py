"""Changing the constants that are stored with a memory: explicit, and in the journal."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from realmemory.config import MemoryConfig
from realmemory.encoding.reranker import guarded
from realmemory.errors import ConfigurationError
from realmemory.index.live_graph import LiveGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from realmemory.flows.context import MemoryContext

_BAKED_IN = frozenset(["dim", "n_units", "k_sparse", "sdr_seed"])


def changed(old: MemoryConfig, changes: Mapping[str, float | str]) -> MemoryConfig:
    """Return a configuration with changes applied.

    Raises:
        ConfigurationError: A name is unknown, describes stored vectors, or the values break a
            rule.
    """
    known = asdict(old)
    for name in changes:
        if name not in known:
            raise ConfigurationError(
                f"there is no setting {name!r}; nothing was changed. "
                f"The settings are: {', '.join(sorted(known))}."
            )
        if name in _BAKED_IN and changes[name] != known[name]:
            raise ConfigurationError(
                f"{name} describes the vectors that are stored already; nothing was changed. "
                "Make a new memory with it and import this one."
            )
    return MemoryConfig(**{**known, **changes})


def reconfigure(context: MemoryContext, changes: Mapping[str, float | str]) -> MemoryContext:
    """Store changed constants and return the context that works by them.

    Other processes work by them from their next opening on.

    Raises:
        ConfigurationError: As :func:`changed`; nothing was changed.
    """
    old = context.store.config
    new = changed(old, changes)
    before = asdict(old)
    moved = {name: (before[name], value) for name, value in asdict(new).items()}
    context.store.reconfigure(new)
    with context.store.write() as tx:
        tx.journal.append(
            "reconfigure",
            {name: [str(a), str(b)] for name, (a, b) in moved.items() if a != b},
        )
    same = new.reranker == old.reranker
    reranker = context.reranker if same else guarded(new.reranker)
    return replace(context, config=new, graph=LiveGraph(new), reranker=reranker)
