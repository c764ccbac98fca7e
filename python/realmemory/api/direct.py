"""The tools over a memory in this process."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from realmemory.agents import quoting
from realmemory.agents.registry import nearest_names, unknown_project
from realmemory.api.results import FULL_BYTES, RESULT_BYTES, bounded
from realmemory.api.shown import answer, degraded, hit_of, in_full
from realmemory.api.tools import TEAM_TOOL, TOOLS
from realmemory.errors import InvalidInputError, NotFoundError, RealMemoryError, StoreBusyError
from realmemory.instants import parse_instant
from realmemory.scopes import GLOBAL_SCOPE, scope_key, validate_scope
from realmemory.types import AbstainReason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from realmemory.api.backend import Caller
    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import WriteResult
    from realmemory.team.shared import SharedMemory
    from realmemory.types import Trace

_LOAD_WAIT_S = 25.0
_SCOPES_SHOWN = 40


class DirectBackend:
    """Opens the memory on first use, in a thread, so that nobody waits for it at the start.

    Args:
        opener: Opens the memory; called once, and again after a failure.
        glance: Answers a recall by keyword alone while the memory is being opened.
        team: What the team shares, if that was configured.
        then: Called with the memory once it is open, while it may answer already.
    """

    def __init__(
        self,
        opener: Callable[[], Hippocampus],
        glance: Callable[[str, int, str | None], list[dict[str, Any]]] | None = None,
        team: SharedMemory | None = None,
        then: Callable[[Hippocampus], None] | None = None,
    ) -> None:
        self.tools = (*TOOLS, TEAM_TOOL) if team is not None else TOOLS
        self._team = team
        self._opener = opener
        self._glance = glance
        self._then = then
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._memory: Hippocampus | None = None
        self._failure: Exception | None = None
        self._loading: threading.Thread | None = None
        self._closed = False
        self._tools: dict[str, Callable[[dict[str, Any], Caller], dict[str, Any]]] = {
            "recall": self._recall,
            "recall_team": self._recall_team,
            "memorize": self._memorize,
            "reflect": self._reflect,
            "revise": self._revise,
            "get": self._get,
            "forget": self._forget,
            "introspect": self._introspect,
            "dream_log": self._dream_log,
        }

    @property
    def memory(self) -> Hippocampus | None:
        """The open memory, or ``None`` while it is not."""
        return self._memory

    def warm(self) -> None:
        """Start opening the memory in a thread."""
        with self._lock:
            if self._memory is None and self._loading is None and not self._closed:
                self._ready.clear()
                self._loading = threading.Thread(target=self._load, name="open", daemon=True)
                self._loading.start()

    def call(self, tool: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """Answer one tool call; see :class:`realmemory.api.backend.MemoryBackend`."""
        return self._tools[tool](dict(arguments), caller)

    def close(self) -> None:
        """Close the memory, if it was opened."""
        with self._lock:
            self._closed = True
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
        if self._team is not None:
            self._team.close()

    def _load(self) -> None:
        opened: Hippocampus | None = None
        failure: Exception | None = None
        try:
            opened = self._opener()
        except Exception as error:  # noqa: BLE001 - kept, and raised to whoever needs the memory
            failure = error
        with self._lock:
            self._failure, self._loading = failure, None
            if self._closed and opened is not None:
                opened.close()
                opened = None
            self._memory = opened
            self._ready.set()
        if opened is not None and self._then is not None:
            self._then(opened)

    def _let_go(self, memory: Hippocampus) -> None:
        with self._lock:
            if self._memory is memory:
                self._memory = None
                self._ready.clear()
        memory.close()

    def opened(self) -> Hippocampus:
        """Return the memory, opening it and waiting for it when it is not.

        Raises:
            StoreBusyError: It takes longer than a caller should wait.
            RealMemoryError: It cannot be opened.
        """
        memory = self._memory
        if memory is not None and memory.context.store.was_replaced():
            # A backup was put back, or the memory was encrypted: this process goes on with that.
            self._let_go(memory)
            memory = None
        if memory is not None:
            return memory
        self.warm()
        if not self._ready.wait(_LOAD_WAIT_S):
            raise StoreBusyError(
                "the memory is still being loaded; nothing was changed. Call again in some seconds."
            )
        with self._lock:
            memory, failure = self._memory, self._failure
        if memory is not None:
            return memory
        if isinstance(failure, RealMemoryError):
            raise failure
        raise RealMemoryError(
            f"the memory cannot be opened: {failure}. Run `realmemory doctor`.", code="not_opened"
        ) from failure

    def _recall(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        query, k = arguments["query"], arguments["k"]
        scope = self._scope(arguments, caller)
        if self._memory is None and self._glance is not None and not arguments.get("tags"):
            self.warm()
            # That nothing is known, or no such project, only the open memory tells.
            if not self._ready.wait(0.05) and (items := self._glance(query, k, scope)):
                return degraded(items)
        memory = self.opened()
        self._known(memory, arguments)
        packet = memory.recall(
            query,
            k=k,
            scope=scope,
            include_superseded=arguments["include_superseded"],
            session_id=caller.session,
            now=_instant(arguments, "now"),
            window=arguments["window"],
            group_by=arguments.get("group_by"),
            tags=arguments.get("tags") or (),
        )
        if caller.reach is not None and packet.reason is AbstainReason.ONLY_OTHER_SCOPE:
            # What a token does not reach is not for its holder to know of.
            packet = replace(packet, reason=AbstainReason.NOTHING_MATCHED)
        return bounded(answer(packet, query), RESULT_BYTES)

    def _recall_team(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        if self._team is None:
            raise NotFoundError("nothing is shared with this memory; nothing was read.")
        project = arguments.get("project")
        if caller.reach is not None:
            # Without a project everything that is shared would answer.
            project = project or caller.project or GLOBAL_SCOPE
        if project is not None:
            _check_reach(validate_scope(project), caller)
        packet, items = self._team.recall(
            arguments["query"], k=arguments["k"], author=arguments.get("author"), project=project
        )
        shown = answer(packet, arguments["query"])
        shown["items"] = [hit_of(item, arguments["query"]) for item in items]
        shown["abstained"] = not items
        return bounded({**shown, "max_age_s": self._team.age_s()}, RESULT_BYTES)

    def _memorize(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        scope = self._scope(arguments, caller) or GLOBAL_SCOPE
        _check_writable(scope, caller)
        memory = self.opened()
        related = arguments.get("related_ids") or []
        self._visible(memory, related, arguments, caller, strict=True)
        founded = self._founded(memory, arguments, caller)
        written = _for(memory, caller).remember(
            arguments["text"],
            kind=arguments["kind"],
            scope=scope,
            related_ids=related,
            when=_instant(arguments, "observed_at"),
            origin="agent",
            session_id=caller.session,
        )
        result: dict[str, Any] = {
            "memory_id": written.memory_id,
            "created": written.created,
            "action": str(written.decision.action),
            "novelty": round(written.decision.novelty, 3),
            "scope": scope,
        }
        return {**result, **_beside(written, founded)}

    def _reflect(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        memory = self.opened()
        seen, unknown = self._writable(memory, arguments["memory_ids"], arguments, caller)
        touched = memory.feedback([trace.id for trace in seen], arguments["reward"]) if seen else 0
        return {"touched": touched, **({"unknown": unknown} if unknown else {})}

    def _revise(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        memory = self.opened()
        seen, _ = self._visible(memory, [arguments["old_id"]], arguments, caller, strict=True)
        _check_writable(seen[0].scope, caller)
        written = _for(memory, caller).update_fact(
            arguments["old_id"],
            arguments["new_text"],
            kind=arguments.get("kind"),
            when=_instant(arguments, "observed_at"),
            origin="agent",
        )
        trace = memory.get(written.memory_id)
        return {
            "old_id": arguments["old_id"],
            "new_id": written.memory_id,
            "kind": str(trace.kind),
            "scope": trace.scope,
            **_beside(written),
        }

    def _get(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        memory = self.opened()
        seen, unknown = self._visible(memory, arguments["memory_ids"], arguments, caller)
        items = [in_full(trace, arguments["offset"]) for trace in seen]
        result = bounded({"items": items}, FULL_BYTES)
        return {**result, **({"unknown": unknown} if unknown else {})}

    def _forget(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        memory = self.opened()
        seen, unknown = self._writable(memory, arguments["memory_ids"], arguments, caller)
        missing = {"unknown": unknown} if unknown else {}
        token = _confirmation(seen, hard=arguments["hard"])
        if arguments.get("confirm") is None:
            items = [
                {"id": trace.id, "scope": trace.scope, "text": quoting.one_line(trace.text, 200)}
                for trace in seen
            ]
            preview = {"forgotten": [], "items": items, **({"confirm": token} if seen else {})}
            return bounded({**preview, **missing}, RESULT_BYTES)
        if arguments["confirm"] != token:
            raise InvalidInputError(
                "the confirmation does not fit these memories as they are now; nothing was "
                "forgotten. Call forget without confirm to see them, then confirm.",
                code="confirmation_mismatch",
            )
        receipt = memory.forget([trace.id for trace in seen], hard=arguments["hard"])
        result: dict[str, Any] = {"forgotten": list(receipt.forgotten), **missing}
        if receipt.remaining_copies:
            result["remaining_copies"] = list(receipt.remaining_copies)
        return result

    def _introspect(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        del arguments
        numbers = self.opened().stats()
        scopes = {
            name: count
            for name, count in numbers.pop("scopes", {}).items()
            if _reachable(name, caller)
        }
        # The other numbers are sums over everything, which is more than some tokens reach.
        result: dict[str, Any] = {"scopes": _largest(scopes), "stats": {}}
        if caller.reach is None:
            result["stats"] = numbers
        if caller.project:
            result["project"] = caller.project
        return result

    def _dream_log(self, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
        del arguments
        if caller.reach is not None:
            raise NotFoundError(
                "this token does not reach the numbers of the whole memory; nothing was read.",
                code="out_of_reach",
            )
        metrics = self.opened().metrics_snapshot()
        metrics.pop("scopes", None)
        return {"metrics": metrics}

    def _scope(self, arguments: dict[str, Any], caller: Caller) -> str | None:
        """Return the project to search, or ``None`` for global only; never everything."""
        stated = arguments.get("project")
        scope = validate_scope(stated) if stated is not None else caller.project
        if scope is not None and scope_key(scope) == GLOBAL_SCOPE:
            scope = None
        _check_reach(scope, caller)
        return scope

    def _known(self, memory: Hippocampus, arguments: dict[str, Any]) -> None:
        """Refuse a project that was asked for by name and that nothing is known about."""
        stated = arguments.get("project")
        if stated is None or scope_key(stated) == GLOBAL_SCOPE:
            return
        known = memory.stats()["scopes"]
        if scope_key(stated) not in {scope_key(name) for name in known}:
            raise unknown_project(stated, known)

    @staticmethod
    def _founded(memory: Hippocampus, arguments: dict[str, Any], caller: Caller) -> list[str]:
        """Return a warning where a write founds a project whose name is nearly that of another."""
        stated = arguments.get("project")
        if stated is None or caller.reach is not None:
            return []
        with memory.context.store.read() as view:
            if view.scopes.find(stated) is not None:
                return []
            close = nearest_names(stated, [scope.name for scope in view.scopes.all()])
        near = " or ".join(map(repr, close))
        told = f"the project {stated!r} is new; if {near} was meant, `realmemory projects merge`"
        return [told] if close else []

    def _writable(
        self, memory: Hippocampus, ids: list[int], arguments: dict[str, Any], caller: Caller
    ) -> tuple[list[Trace], list[int]]:
        """Like :meth:`_visible`, for calls that change what they find."""
        seen, unknown = self._visible(memory, ids, arguments, caller)
        for trace in seen:
            _check_writable(trace.scope, caller)
        return seen, unknown

    def _visible(
        self,
        memory: Hippocampus,
        ids: list[int],
        arguments: dict[str, Any],
        caller: Caller,
        *,
        strict: bool = False,
    ) -> tuple[list[Trace], list[int]]:
        """Return the traces that this caller may see, and the ids that are unknown to them.

        An id of another project is answered like one that never existed.
        """
        scope = self._scope(arguments, caller)
        allowed = {scope_key(name) for name in (scope, GLOBAL_SCOPE) if name is not None}
        if caller.reach is not None:
            allowed &= caller.reach
        seen: list[Trace] = []
        unknown: list[int] = []
        for memory_id in dict.fromkeys(ids):
            try:
                trace = memory.get(memory_id)
            except RealMemoryError:
                unknown.append(memory_id)
                continue
            if scope_key(trace.scope) in allowed:
                seen.append(trace)
            else:
                unknown.append(memory_id)
        if strict and unknown:
            raise NotFoundError(
                f"memory {unknown[0]} is not known here; nothing was changed. Recall it first, or "
                "name its project."
            )
        return seen, unknown


def _beside(written: WriteResult, founded: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a text contradicts and what else its author should know, where there is some."""
    told = {"conflicts": list(written.conflicts), "warnings": [*founded, *written.warnings]}
    return {name: found for name, found in told.items() if found}


def _instant(arguments: dict[str, Any], name: str) -> float | None:
    stated = arguments.get(name)
    return None if stated is None else parse_instant(stated)


def _for(memory: Hippocampus, caller: Caller) -> Hippocampus:
    """Return the memory as somebody else writes to it: one store, index and embedder."""
    if not caller.author:
        return memory
    return type(memory)(replace(memory.context, author=caller.author))


def _check_writable(scope: str, caller: Caller) -> None:
    if caller.writes is not None and scope_key(scope) not in caller.writes:
        raise NotFoundError(
            f"this token may not write to {scope!r}; nothing was written. Ask the user for one "
            "that may: `realmemory token mint`.",
            code="out_of_reach",
        )


def _reachable(scope: str, caller: Caller) -> bool:
    return caller.reach is None or scope_key(scope) in caller.reach


def _check_reach(scope: str | None, caller: Caller) -> None:
    if not _reachable(scope or GLOBAL_SCOPE, caller):
        raise NotFoundError(
            f"this token does not reach {scope or GLOBAL_SCOPE!r}; nothing was read or written. "
            "Ask the user for a token that does: `realmemory token mint`.",
            code="out_of_reach",
        )


def _largest(scopes: dict[str, int]) -> dict[str, int]:
    ordered = sorted(scopes.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ordered[:_SCOPES_SHOWN])


def _confirmation(traces: list[Trace], *, hard: bool) -> str:
    """Return what proves that these traces, as they are, were shown before."""
    seen = ";".join(f"{trace.id}:{trace.uid}:{trace.rev}" for trace in traces)
    return hashlib.sha256(f"forget {hard} {seen}".encode()).hexdigest()[:12]
