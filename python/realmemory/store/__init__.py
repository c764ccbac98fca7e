"""All SQL: connection, schema, and one module per concern. Start with :class:`Store`."""

from realmemory.store.store import Store
from realmemory.store.transactions import ReadView, WriteTx

__all__ = ["ReadView", "Store", "WriteTx"]
