"""All SQL: connection, schema, and one module per concern. Start with :class:`Store`.

The package is lazy, so that a hook can use :mod:`realmemory.store.glance` alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from realmemory.store.store import Store
    from realmemory.store.transactions import ReadView, WriteTx

_HOMES = {"ReadView": "transactions", "Store": "store", "WriteTx": "transactions"}

__all__ = ["ReadView", "Store", "WriteTx"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - stays lazy

    return getattr(import_module(f"{__name__}.{home}"), name)
