"""realMemory: a persistent, local-first memory for LLM agents.

Importing the package loads neither numpy nor a model: every name below is resolved on first use
(PEP 562), so that a hook or a command line starts as fast as the interpreter.
"""

from __future__ import annotations

# Not from typing: importing that costs a hook as much as the interpreter's own start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from realmemory.client import MemoryClient
    from realmemory.clock import Clock, FakeClock, SystemClock
    from realmemory.config import MemoryConfig
    from realmemory.errors import (
        ConfigurationError,
        EmbedderMismatchError,
        EmbeddingError,
        InvalidInputError,
        NotFoundError,
        RealMemoryError,
        StoreBusyError,
        StoreCorruptError,
        StoreError,
        StoreFullError,
        StoreReadOnlyError,
        StoreRefusedError,
    )
    from realmemory.hippocampus import Hippocampus
    from realmemory.keys import Key
    from realmemory.outcomes import (
        ConsolidationReport,
        ConversationReport,
        ConversationTurn,
        ForgetReceipt,
        UndoReport,
        WriteDecision,
        WriteRequest,
        WriteResult,
    )
    from realmemory.types import (
        AbstainReason,
        DecisionAction,
        Kind,
        Origin,
        RecalledMemory,
        RecallPacket,
        Source,
        Status,
        Trace,
    )

_HOMES = {
    "client": ("MemoryClient",),
    "clock": ("Clock", "FakeClock", "SystemClock"),
    "config": ("MemoryConfig",),
    "errors": (
        "ConfigurationError",
        "EmbedderMismatchError",
        "EmbeddingError",
        "InvalidInputError",
        "NotFoundError",
        "RealMemoryError",
        "StoreBusyError",
        "StoreCorruptError",
        "StoreError",
        "StoreFullError",
        "StoreReadOnlyError",
        "StoreRefusedError",
    ),
    "hippocampus": ("Hippocampus",),
    "keys": ("Key",),
    "outcomes": (
        "ConsolidationReport",
        "ConversationReport",
        "ConversationTurn",
        "ForgetReceipt",
        "UndoReport",
        "WriteDecision",
        "WriteRequest",
        "WriteResult",
    ),
    "types": (
        "AbstainReason",
        "DecisionAction",
        "Kind",
        "Origin",
        "RecallPacket",
        "RecalledMemory",
        "Source",
        "Status",
        "Trace",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AbstainReason",
    "Clock",
    "ConfigurationError",
    "ConsolidationReport",
    "ConversationReport",
    "ConversationTurn",
    "DecisionAction",
    "EmbedderMismatchError",
    "EmbeddingError",
    "FakeClock",
    "ForgetReceipt",
    "Hippocampus",
    "InvalidInputError",
    "Key",
    "Kind",
    "MemoryClient",
    "MemoryConfig",
    "NotFoundError",
    "Origin",
    "RealMemoryError",
    "RecallPacket",
    "RecalledMemory",
    "Source",
    "Status",
    "StoreBusyError",
    "StoreCorruptError",
    "StoreError",
    "StoreFullError",
    "StoreReadOnlyError",
    "StoreRefusedError",
    "SystemClock",
    "Trace",
    "UndoReport",
    "WriteDecision",
    "WriteRequest",
    "WriteResult",
    "__version__",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "__version__":
        from realmemory.core.engine import engine_version  # noqa: PLC0415 - stays lazy

        return engine_version()
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - stays lazy

    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return __all__
