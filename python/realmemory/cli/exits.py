"""The exit codes of the command line, and which error leaves with which."""

from __future__ import annotations

from realmemory.errors import (
    EmbedderMismatchError,
    EmbeddingError,
    RealMemoryError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreRefusedError,
)

DONE = 0
ATTENTION = 1
INPUT = 2
BUSY = 3
FULL = 4
READ_ONLY = 5
REFUSED = 6
CORRUPT = 7
EMBEDDER = 8
STORE = 9
INTERNAL = 70
INTERRUPTED = 130

MEANINGS = {
    DONE: "done; an empty or abstaining answer is an answer",
    ATTENTION: "done, but look: a check found something, or rows were rejected",
    INPUT: "wrong usage or input; nothing was written",
    BUSY: "the store is busy; try again",
    FULL: "the disk or the quota is full",
    READ_ONLY: "the store can only be read",
    REFUSED: "not a store, a foreign or newer database, or encrypted without a key",
    CORRUPT: "the store is damaged; see `realmemory verify`",
    EMBEDDER: "the embedder failed or does not fit the store",
    STORE: "another fault of the store",
    INTERNAL: "a fault of realMemory itself",
    INTERRUPTED: "interrupted",
}

_BY_ERROR: tuple[tuple[type[RealMemoryError], int], ...] = (
    (StoreBusyError, BUSY),
    (StoreFullError, FULL),
    (StoreReadOnlyError, READ_ONLY),
    (StoreRefusedError, REFUSED),
    (StoreCorruptError, CORRUPT),
    (StoreError, STORE),
    (EmbedderMismatchError, EMBEDDER),
    (EmbeddingError, EMBEDDER),
)


def exit_code_of(error: RealMemoryError) -> int:
    """Return the exit code of an error of ours; what the user can fix in the call is 2."""
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return code
    return INPUT
