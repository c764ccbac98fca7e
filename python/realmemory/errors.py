"""The exception tree, grouped by what a caller does about it.

::

    RealMemoryError
    ├── InvalidInputError (ValueError)      fix the argument
    ├── NotFoundError (KeyError)            the id is unknown, or not visible here
    ├── ConfigurationError (ValueError)     fix the configuration or the installation
    │   └── EmbedderMismatchError (RuntimeError)
    ├── EmbeddingError (RuntimeError)       the embedder failed; nothing was stored
    └── StoreError (RuntimeError)           something about the database
        ├── StoreBusyError                  try again later
        ├── StoreFullError                  free disk space
        ├── StoreReadOnlyError              fix permissions, or only read
        ├── StoreRefusedError               not a store of ours, newer, or encrypted
        └── StoreCorruptError               verify, repair or restore

Every error carries a stable ``code`` (the same in Python, CLI, MCP and HTTP) and a message that
says what happened, what is unharmed and what to do next.
"""

from __future__ import annotations


class RealMemoryError(Exception):
    """Base of every error that realMemory raises on purpose.

    Args:
        message: What happened, what is unharmed, what to do next.
        code: Stable identifier in snake case; defaults to the class's own.
    """

    default_code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code

    def __str__(self) -> str:
        # KeyError would show the repr of its argument.
        return self.message


class InvalidInputError(RealMemoryError, ValueError):
    """An argument cannot be used; nothing was read or written."""

    default_code = "invalid_input"


class NotFoundError(RealMemoryError, KeyError):
    """No memory with this id is visible here."""

    default_code = "not_found"


class ConfigurationError(RealMemoryError, ValueError):
    """A setting or the installation is wrong."""

    default_code = "invalid_configuration"


class EmbedderMismatchError(ConfigurationError, RuntimeError):
    """The store was written with another embedder than the one given."""

    default_code = "embedder_mismatch"


class EmbeddingError(RealMemoryError, RuntimeError):
    """The embedder failed or is not available; what is stored is unharmed, and found by words."""

    default_code = "embedding_failed"


class StoreError(RealMemoryError, RuntimeError):
    """The database could not do what was asked."""

    default_code = "store_error"


class StoreBusyError(StoreError):
    """Another process kept the write lock for longer than the documented wait."""

    default_code = "busy"


class StoreFullError(StoreError):
    """The disk or the quota is full."""

    default_code = "disk_full"


class StoreReadOnlyError(StoreError):
    """The store can be read but not written."""

    default_code = "read_only"


class StoreRefusedError(StoreError):
    """The path holds something that this version must not open."""

    default_code = "not_a_store"


class StoreCorruptError(StoreError):
    """The database is damaged."""

    default_code = "corrupt"
