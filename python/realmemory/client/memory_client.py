"""`MemoryClient`: the memory for async programs.

It is the synchronous memory in worker threads, so there is one implementation of everything.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Unpack

from realmemory.client import bulk, items, tools
from realmemory.client.care import Care
from realmemory.errors import InvalidInputError
from realmemory.flows import lookup
from realmemory.types import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from realmemory.client.bulk import BulkSummary
    from realmemory.client.items import Further, Item, Told
    from realmemory.hippocampus import Hippocampus
    from realmemory.outcomes import ConversationTurn, WriteResult
    from realmemory.types import RecallPacket, Trace


class MemoryClient(Care):
    """One memory, spoken to from asyncio or trio.

    Opened at the first call, closed by :meth:`aclose` or the end of an ``async with`` block;
    closing waits for everything that was begun, so that nothing acknowledged or under way is lost.

    Args:
        namespace: What this client writes and sees, see :mod:`realmemory.client.namespaces`.
        path: Directory of the memory; by default the one that all entrances share.
        config: Constants for a new store.
        embedder: Turns texts into vectors; by default the store's own.
        reranker: Reads the best hits again; by default what the configuration says.
        clock: Where time comes from.
        author: Who writes.

    Raises:
        InvalidInputError: The namespace has none of the known forms.
    """

    async def store(
        self,
        content: str,
        tags: Sequence[str] = (),
        importance: float | None = None,
        detail: str = "",
        metadata: Mapping[str, Any] | None = None,
        *,
        entry_id: int | None = None,
        **further: Unpack[Further],
    ) -> dict[str, Any]:
        """Remember a text.

        Args:
            content: What to remember.
            tags: Short labels.
            importance: 0 to 1; 0.5 by default.
            detail: More of the text, on a line of its own.
            metadata: JSON data to keep with it.
            entry_id: The memory that it replaces, as :meth:`update` does.
            **further: When it happened, who says so and the like, see :class:`Further`.

        Returns:
            ``memory_id``, ``namespace``, ``status`` (``stored``, ``updated`` or ``quarantined``),
            ``timestamp``, ``decision``, ``conflicts`` and ``warnings``.

        Raises:
            InvalidInputError: Something cannot be stored; nothing was.
            NotFoundError: ``entry_id`` is unknown or not visible here.
        """
        item: Item = {
            "content": content,
            "tags": tags,
            "importance": importance,
            "detail": detail,
            "metadata": metadata,
            "entry_id": entry_id,
            **further,
        }
        if entry_id is not None:
            return await self._replace(item)
        request = items.write_request(item, self.scope)

        def remembered(memory: Hippocampus) -> dict[str, Any]:
            (result,) = memory.remember_many([request])
            return self._written(memory, result, items.status_of(result))

        return await self._call(remembered)

    async def update(self, memory_id: int, content: str, **told: Unpack[Told]) -> dict[str, Any]:
        """Replace a fact that is no longer true; the old one stays as history.

        Further arguments are those of :meth:`store`; what is not given stays as it was, but that
        nothing expires by itself.

        Raises:
            InvalidInputError: The text cannot be stored, or the fact was replaced before.
            NotFoundError: Unknown, or not visible here.
        """
        item: Item = {"content": content, "detail": "", **told, "entry_id": memory_id}
        return await self._replace(item)

    async def _replace(self, item: Item) -> dict[str, Any]:
        def updated(memory: Hippocampus) -> dict[str, Any]:
            result = items.replaced(memory, item, self.scope)
            return self._written(memory, result, items.UPDATED)

        return await self._call(updated)

    def _written(self, memory: Hippocampus, result: WriteResult, status: str) -> dict[str, Any]:
        moment = memory.get(result.memory_id).updated_at
        return items.written(result, status, self.namespace, moment)

    async def bulk_store(self, requests: Sequence[Mapping[str, Any]]) -> BulkSummary:
        """Remember many items with the fields of :meth:`store`; each gets its own status.

        Raises:
            InvalidInputError: The list is empty.
        """
        given = list(requests)
        return await self._call(lambda memory: bulk.store_each(memory, given, self.scope))

    async def store_many(self, requests: Sequence[Mapping[str, Any]]) -> int:
        """Remember many items and return how many were accepted."""
        summary = await self.bulk_store(requests)
        return summary.total - summary.rejected

    async def store_conversation(
        self,
        messages: Iterable[ConversationTurn | Mapping[str, Any]],
        *,
        context_turns: int = 1,
        preceding: Sequence[ConversationTurn | Mapping[str, Any]] = (),
        observed_at: str | float | None = None,
        session_id: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        first_turn: int | None = None,
    ) -> BulkSummary:
        """Keep a conversation turn by turn, verbatim; blank turns are skipped and counted.

        Args:
            messages: Mappings with ``content`` (or ``text``), ``speaker``, ``role``,
                ``observed_at``.
            context_turns: Preceding turns that help to find a turn, 0 to 8.
            preceding: Turns before the first one, for feeds in chunks; not stored.
            observed_at: When the session took place; defaults to now.
            session_id: Name of the session; the same call again stores nothing twice.
            tags: Labels of every turn.
            metadata: JSON data of every turn.
            first_turn: Index of the first turn in its session, blank ones not counted; found out
                by default, see :meth:`realmemory.Hippocampus.store_conversation`.

        Raises:
            InvalidInputError: A turn or an option cannot be used; nothing was stored.
        """
        started = time.perf_counter()
        turns = items.turns("messages", messages)
        spoken = [turn for turn in turns if str(turn.text).strip()]
        before = items.turns("preceding", preceding)
        moment = items.instant(observed_at)
        report = await self._call(
            lambda memory: memory.store_conversation(
                spoken,
                observed_at=moment,
                session_id=session_id,
                scope=self.scope,
                context_turns=context_turns,
                preceding=before,
                tags=tags,
                metadata=metadata,
                first_turn=first_turn,
            )
        )
        skipped = len(turns) - len(spoken)
        return bulk.conversation_summary(report, skipped=skipped, started=started)

    async def recall(
        self,
        query: str,
        limit: int = 10,
        tags: Sequence[str] = (),
        min_score: float = 0.0,
        *,
        as_of: str | float | None = None,
        include_superseded: bool = False,
        token_budget: int | None = None,
        session_id: str | None = None,
        now: str | float | None = None,
        window: int = 0,
        group_by: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return what is known about ``query``, best first; nothing when nothing is trustworthy.

        ``score`` is the confidence, so ``min_score`` cuts by relevance and not by rank. A hit of
        a conversation brings ``around`` with a ``window``; with ``group_by`` each hit is the best
        of a session and names the others in ``also``.
        """
        packet = await self.recall_packet(
            query,
            limit=limit,
            tags=tags,
            as_of=as_of,
            include_superseded=include_superseded,
            session_id=session_id,
            now=now,
            window=window,
            group_by=group_by,
        )
        return items.within_budget(items.hits(packet, min_score), token_budget)

    async def recall_packet(
        self,
        query: str,
        *,
        limit: int = 10,
        as_of: str | float | None = None,
        include_superseded: bool = False,
        session_id: str | None = None,
        explain: bool = False,
        now: str | float | None = None,
        window: int = 0,
        group_by: str | None = None,
        tags: Sequence[str] = (),
    ) -> RecallPacket:
        """Return the whole answer: hits, whether and why the memory abstained, timings.

        The options are those of :meth:`realmemory.Hippocampus.recall`.
        """
        moment, seen_from = items.instant(as_of), items.instant(now)
        return await self._call(
            lambda memory: memory.recall(
                query,
                k=limit,
                scope=self.scope,
                as_of=moment,
                include_superseded=include_superseded,
                session_id=session_id,
                explain=explain,
                now=seen_from,
                window=window,
                group_by=group_by,
                tags=tags or (),
            )
        )

    async def search(
        self,
        tags: Sequence[str] = (),
        min_importance: float = 0.0,
        since: str | float | None = None,
        limit: int = 50,
        *,
        actor: str | None = None,
        status: str | None = Status.ACTIVE,
    ) -> list[dict[str, Any]]:
        """List memories that carry every tag and pass every filter, newest first."""
        moment = items.instant(since)

        def found(memory: Hippocampus) -> list[dict[str, Any]]:
            traces = lookup.filtered(
                memory.context,
                scope=self.scope,
                statuses=None if status is None else (status,),
                tags=tags,
                author=actor,
                since=moment,
                min_importance=min_importance,
            )
            return [items.record(trace) for trace in islice(traces, limit)]

        return await self._call(found)

    async def search_fts(self, query: str, limit: int = 20) -> list[dict[str, Any]]:
        """List memories that hold words of ``query`` in any form, by bm25, best first.

        A query in double quotes is a phrase, one that ends in ``*`` a prefix.
        """

        def found(memory: Hippocampus) -> list[dict[str, Any]]:
            hits = lookup.search_words(memory.context, query, scope=self.scope, limit=limit)
            return [{**items.record(trace), "bm25": rank} for trace, rank in hits]

        return await self._call(found)

    async def get(self, memory_id: int) -> dict[str, Any]:
        """Return one memory, whatever its status.

        Raises:
            NotFoundError: Unknown, or not visible here.
        """
        return items.record(
            await self._call(lambda memory: items.visible(memory, memory_id, self.scope))
        )

    async def history(self, memory_id: int) -> list[dict[str, Any]]:
        """Return all versions of a fact, oldest first.

        Raises:
            NotFoundError: Unknown, or not visible here.
        """

        def versions(memory: Hippocampus) -> list[Trace]:
            items.visible(memory, memory_id, self.scope)
            return memory.history(memory_id)

        return [items.record(trace) for trace in await self._call(versions)]

    async def forget(
        self, memory_id: int | None = None, *, actor: str | None = None, hard: bool = False
    ) -> dict[str, Any]:
        """Take one memory, or everything an author wrote in this namespace, out of recall.

        Raises:
            InvalidInputError: Neither an id nor an author, or both.
            NotFoundError: Unknown, or not visible here.
        """
        if (memory_id is None) == (actor is None):
            raise InvalidInputError(
                "forget needs either a memory_id or an actor; nothing was forgotten",
                code="invalid_id",
            )

        def forgotten(memory: Hippocampus) -> dict[str, Any]:
            if memory_id is not None:
                ids = [items.visible(memory, memory_id, self.scope).id]
            else:
                traces = lookup.filtered(memory.context, scope=self.scope, author=actor)
                ids = [trace.id for trace in traces if trace.scope == self.scope]
            receipt = memory.forget(ids, hard=hard)
            return {
                "memory_id": memory_id,
                "status": "deleted" if hard else "forgotten",
                "namespace": self.namespace,
                "entries_deleted": len(receipt.forgotten),
            }

        return await self._call(forgotten)

    def register_tools(self, agent: Any) -> None:  # noqa: ANN401 - any framework's agent
        """Give an agent four memory tools, see :func:`realmemory.client.tools.register_tools`."""
        tools.register_tools(self, agent)

    def auto_recall(
        self, query_from: str, limit: int = 10, min_score: float = 0.0
    ) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
        """Hand an async function what is known, see :func:`realmemory.client.tools.auto_recall`."""
        return tools.auto_recall(self, query_from, limit, min_score)

    async def list(
        self, limit: int = 50, *, after: int | None = None, status: str | None = Status.ACTIVE
    ) -> list[dict[str, Any]]:
        """Return a page of memories, newest first; ``after`` is the last id of the page before."""
        traces = await self._call(
            lambda memory: memory.list(scope=self.scope, status=status, limit=limit, after=after)
        )
        return [items.record(trace) for trace in traces]
