"""The facade of a memory that a daemon holds, for the command line of its owner.

Tools speak to agents; the command line needs what the facade returns. Only the owner's token
reaches these calls, and only calls that need the model or the index are among them: everything
else opens the same store beside the daemon.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from realmemory.agents.daemon import MEMORY_PREFIX, DaemonGoneError, ask
from realmemory.api.remote import raised
from realmemory.api.wire import from_wire, to_wire
from realmemory.errors import InvalidInputError, RealMemoryError, StoreError
from realmemory.outcomes import ForgetReceipt, WriteResult
from realmemory.types import RecallPacket, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from realmemory.agents.daemon import DaemonRecord
    from realmemory.hippocampus import Hippocampus

CALLS: dict[str, Any] = {
    "remember": WriteResult,
    "update_fact": WriteResult,
    "recall": RecallPacket,
    "get": Trace,
    "list": list[Trace],
    "history": list[Trace],
    "forget": ForgetReceipt,
    "feedback": int,
    "link_memories": int,
    "restore": int,
    "pin": int,
    "unpin": int,
}
"""Method of the facade to the type of its result."""

_ANSWER_S = 120.0
_TOO_LARGE = 413
_REPEATABLE = frozenset(
    ["remember", "recall", "get", "list", "history", "forget", "restore", "pin", "unpin"]
)
"""Calls that do no harm when they are made twice."""


def served(memory: Hippocampus, method: str, body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Answer one call in the daemon.

    Raises:
        RealMemoryError: What the memory raised, or ``invalid_arguments``.
    """
    arguments, options = body.get("arguments", []), body.get("options", {})
    if not isinstance(arguments, list) or not isinstance(options, dict):
        raise InvalidInputError(
            "arguments is a list and options an object; nothing was done", code="bad_json"
        )
    try:
        result = getattr(memory, method)(*arguments, **options)
    except TypeError as error:
        raise InvalidInputError(str(error), code="invalid_arguments") from error
    if method == "recall":
        _leave_nothing(memory)
    return to_wire(result)


def _leave_nothing(memory: Hippocampus) -> None:
    """Write what a recall leaves behind, as a process does that ends after it."""
    context = memory.context
    if len(context.pending):
        with context.store.write(durability="lazy") as tx:
            context.pending.flush(tx)


class DaemonMemory:
    """Looks like a :class:`Hippocampus`, and lets a daemon do what needs the model.

    Args:
        record: Where the daemon is.
        opener: Opens the same memory in this process, for everything else.
    """

    def __init__(self, record: DaemonRecord, opener: Callable[[], Hippocampus]) -> None:
        self._record = record
        self._opener = opener
        self._own: Hippocampus | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the facade has
        if name in CALLS:
            return partial(self._ask, name)
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._here(), name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._own is not None:
            self._own.close()

    def _here(self) -> Hippocampus:
        if self._own is None:
            self._own = self._opener()
        return self._own

    def _ask(self, method: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        body = {"arguments": to_wire(arguments), "options": to_wire(options)}
        if self._own is not None or not _is_text(body):
            return getattr(self._here(), method)(*arguments, **options)
        try:
            status, answer = ask(self._record, MEMORY_PREFIX + method, body, timeout_s=_ANSWER_S)
        except DaemonGoneError as error:
            refused = isinstance(error.__cause__, ConnectionRefusedError)
            if not refused and method not in _REPEATABLE:
                raise StoreError(
                    "the daemon ended before it answered: whether the change was made is not "
                    "known. Look with `realmemory show`, then repeat it if it was not.",
                    code="unknown_outcome",
                ) from error
            return getattr(self._here(), method)(*arguments, **options)
        if status in {401, 403, 404, _TOO_LARGE}:
            # A stranger on the port of a dead daemon, an older daemon, or a body beyond its limit.
            return getattr(self._here(), method)(*arguments, **options)
        if "result" in answer:
            return from_wire(CALLS[method], answer["result"])
        raise _error(answer)


def _is_text(body: Mapping[str, Any]) -> bool:
    """Return whether a body can be sent as it is; lone surrogates are refused by the memory."""
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (UnicodeEncodeError, ValueError, TypeError):
        return False
    return True


def _error(answer: Mapping[str, Any]) -> RealMemoryError:
    found = answer.get("error")
    return raised(found if isinstance(found, dict) else {})
