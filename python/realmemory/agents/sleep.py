"""The slow half of the hooks: take in what they left, then consolidate. Runs in its own process."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from realmemory.agents import hook_state, spool
from realmemory.agents.glance import store_directory
from realmemory.agents.hooks import fail
from realmemory.errors import InvalidInputError, RealMemoryError
from realmemory.outcomes import WriteRequest
from realmemory.types import Origin

if TYPE_CHECKING:
    from realmemory.agents.hooks import HookOptions
    from realmemory.hippocampus import Hippocampus

_log = logging.getLogger(__name__)


def sleep(options: HookOptions, *, throttled: bool = True, verbose: bool = False) -> None:
    """Let the memory sleep, unless it did so minutes ago; failures end up in the spool."""
    try:
        if throttled and not hook_state.may_sleep(options.directory):
            return
        report = _slept(options)
        if verbose:
            print(report, file=sys.stderr)  # noqa: T201 - asked for
    except Exception as error:  # noqa: BLE001 - the boundary of a process that nobody watches
        fail(options.directory, "any", "sleep", error)


def _slept(options: HookOptions) -> object:
    from realmemory.hippocampus import Hippocampus  # noqa: PLC0415 - brings numpy

    with Hippocampus.open(options.directory, namespace=options.namespace) as memory:
        taken = take_in(memory, options.directory, options.namespace)
        report = memory.consolidate()
    return {"taken": taken, "report": report}


def take_in(memory: Hippocampus, directory: str, namespace: str | None) -> int:
    """Remember the notes and journal the failures that hooks left; return how many notes.

    Notes of other namespaces stay where they are.
    """
    notes = 0
    errors: list[dict[str, Any]] = []
    for kind, content in spool.taken(directory, namespace or ""):
        if kind == "error":
            errors.append(content)
            continue
        try:
            memory.remember_many([_request(content)])
            notes += 1
        except InvalidInputError as error:
            # It will never become valid, so it must not block the others.
            _log.warning("a note from a hook was dropped: %s", error.code)
    if errors:
        _journal(store_directory(directory, namespace), errors)
    return notes


def _request(content: dict[str, Any]) -> WriteRequest:
    return WriteRequest(
        text=str(content.get("text", "")),
        scope=str(content.get("scope") or "global"),
        origin=Origin.AGENT,
        tags=("session",),
        when=content.get("ts"),
        session_id=content.get("session") or None,
    )


def _journal(directory: str, errors: list[dict[str, Any]]) -> None:
    from pathlib import Path  # noqa: PLC0415 - with the store

    from realmemory.clock import SystemClock  # noqa: PLC0415
    from realmemory.store import Store  # noqa: PLC0415

    try:
        store = Store.open(Path(directory), config=None, clock=SystemClock())
    except RealMemoryError:
        _log.warning("%d failures of hooks could not be journalled", len(errors))
        return
    try:
        with store.write(durability="lazy") as tx:
            for entry in errors:
                told = {key: str(entry.get(key, "")) for key in ("host", "event", "message")}
                tx.journal.append("hook_error", told, ts=entry.get("ts"))
    finally:
        store.close()
