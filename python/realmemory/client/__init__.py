"""The async client: one engine, spoken to from asyncio or trio, by namespace."""

from realmemory.client.bulk import BulkItem, BulkSummary
from realmemory.client.memory_client import MemoryClient
from realmemory.client.namespaces import scope_of

__all__ = ["BulkItem", "BulkSummary", "MemoryClient", "scope_of"]
