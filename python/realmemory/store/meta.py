"""Meta: facts about the store itself, by name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from realmemory.config import MemoryConfig
from realmemory.errors import StoreCorruptError
from realmemory.store.records import damaged, stored_json
from realmemory.store.session import dump_json

if TYPE_CHECKING:
    from realmemory.store.session import Session

CONFIG = "config"
STORE_ID = "store_id"


@lru_cache(maxsize=4)
def _parsed(stored: str) -> MemoryConfig:
    return MemoryConfig.from_snapshot(stored_json(stored))


class Meta:
    """The facts of one snapshot."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, key: str) -> str | None:
        """Return the value, or ``None`` when it was never set."""
        row = self._session.one("SELECT value FROM meta WHERE key = ?", (key,))
        return None if row is None else str(row[0])

    def number(self, key: str) -> float:
        """Return the value as a number; 0 when it was never set."""
        value = self.get(key)
        try:
            return float(value or 0.0)
        except ValueError as error:
            raise damaged(f"{value!r:.40}") from error

    def all(self) -> dict[str, str]:
        """Return everything."""
        return {str(row[0]): str(row[1]) for row in self._session.all("SELECT * FROM meta")}

    def config(self) -> MemoryConfig:
        """Return the configuration that is stored with the database.

        Raises:
            StoreCorruptError: What is stored is not a configuration.
        """
        stored = self.get(CONFIG)
        try:
            return _parsed(stored or "{}")
        except (ValueError, TypeError) as error:
            raise StoreCorruptError(
                f"the stored configuration is damaged ({error}); memories are unharmed. "
                "Run `realmemory repair`, or restore a backup."
            ) from error


class MetaWrites(Meta):
    """The facts of one write transaction."""

    def set(self, key: str, value: str | float) -> None:
        """Store a value."""
        self._session.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, str(value))
        )

    def add(self, key: str, amount: float) -> None:
        """Add to a number; one that was never set counts from 0."""
        self.set(key, self.number(key) + amount)

    def delete(self, key: str) -> None:
        """Forget a value."""
        self._session.run("DELETE FROM meta WHERE key = ?", (key,))

    def refresh_statistics(self) -> None:
        """Have the query planner look at tables that changed much."""
        self._session.run("PRAGMA optimize")

    def set_config(self, config: MemoryConfig) -> None:
        """Store the configuration that every later opening works with."""
        self.set(CONFIG, dump_json(config.snapshot_fields()))
