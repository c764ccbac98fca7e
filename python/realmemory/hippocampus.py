"""The facade: everything a caller does with one memory. It delegates; the flows do the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from realmemory import flows
from realmemory.curation import Curation
from realmemory.flows.question import RecallOptions
from realmemory.late import late_module
from realmemory.types import GLOBAL_SCOPE, Kind, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from realmemory import outcomes
    from realmemory.clock import Clock
    from realmemory.config import MemoryConfig
    from realmemory.encoding.protocol import EmbeddingProvider
    from realmemory.encoding.reranker import Reranker
    from realmemory.flows.context import MemoryContext
    from realmemory.keys import Key
    from realmemory.outcomes import (
        ConversationReport,
        ConversationTurn,
        WriteRequest,
        WriteResult,
    )
    from realmemory.types import RecallPacket, Trace
else:
    # Who only asks makes no request to write.
    outcomes = late_module("realmemory.outcomes")


class Hippocampus(Curation):
    """A persistent memory beside a frozen model.

    One instance may be used by many threads, and many processes may open the same folder. Times
    are epoch seconds.
    """

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        config: MemoryConfig | None = None,
        embedder: EmbeddingProvider | None = None,
        reranker: Reranker | str | None = None,
        clock: Clock | None = None,
        namespace: str | None = None,
        verify_embedder: bool = True,
        author: str = "",
        read_only: bool = False,
        key: Key | str | None = None,
    ) -> Self:
        """Open the memory in a folder, creating it if there is none.

        Args:
            path: Folder of the store.
            config: Constants for a new store; an existing one keeps its own.
            embedder: Turns texts into vectors; by default the one the store was written with,
                or the built-in one for a new store.
            reranker: Reads the best hits again together with the question; a name as in the
                configuration, the empty one for none. By default what the configuration says.
            clock: Where time comes from.
            namespace: Name of a separate memory inside the folder.
            verify_embedder: Refuse an embedder of another space than the store's. Without the
                check such a memory answers by keyword only.
            author: Who writes; another author's traces are linked to, never reinforced.
            read_only: Open without writing anything.
            key: Opens an encrypted memory and makes a new one encrypted: a :class:`realmemory.Key`
                or its 64 hexadecimal digits, the empty text for none. By default what
                ``REALMEMORY_KEY`` or ``REALMEMORY_KEY_FILE`` says, else the file with which the
                memory was encrypted.

        Raises:
            StoreRefusedError: The folder holds something else, or a newer store, or (``encrypted``)
                the key is missing, wrong, or given for a memory that is not encrypted.
            EmbedderMismatchError: The store was written with another embedder.
            StoreError: The folder cannot be used; the message says why.
        """
        return cls(
            flows.opening.open_memory(
                path,
                config=config,
                embedder=embedder,
                reranker=reranker,
                clock=clock,
                namespace=namespace,
                verify_embedder=verify_embedder,
                author=author,
                read_only=read_only,
                key=key,
            )
        )

    def close(self) -> None:
        """Write what recalls left in the queue and close the store. Harmless when repeated."""
        flows.opening.close_memory(self._context)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def context(self) -> MemoryContext:
        """The open store, index and embedder, for flows that this facade does not wrap."""
        return self._context

    @property
    def config(self) -> MemoryConfig:
        """The constants in force, those stored with the database."""
        return self._context.config

    @property
    def path(self) -> Path:
        """Folder of the open store."""
        return self._context.store.directory

    @property
    def pending_eligibility(self) -> int:
        """Binds that are not committed yet, of all processes."""
        with self._context.store.read() as view:
            return view.eligibility.count()

    def remember(
        self,
        text: str,
        *,
        kind: str = Kind.EPISODIC,
        scope: str = GLOBAL_SCOPE,
        meta: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        when: float | None = None,
        force_new: bool = False,
        related_ids: Sequence[int] = (),
        origin: str = Origin.USER,
        importance: float = 0.0,
        expires: float | None = None,
        session_id: str | None = None,
    ) -> WriteResult:
        """Remember a text: reinforce the trace that states it, or store it as a new one.

        Args:
            text: What to remember, kept byte for byte.
            kind: ``episodic``, ``semantic`` or ``turn``.
            scope: Who should see it: ``global`` or a project name.
            meta: JSON data to keep with it.
            tags: Short labels.
            when: When it happened; defaults to now. What is known of another day, or of other hours
                of it, is remembered again: it happened again.
            force_new: Store a new trace whatever the gate would say.
            related_ids: Traces that it belongs to.
            origin: Where it comes from: ``user``, ``agent``, ``tool``, ``import`` or ``peer``.
            importance: 0 to 1, as the author sees it.
            expires: When it stops being valid.
            session_id: The conversation it came up in.

        Raises:
            InvalidInputError: An argument cannot be used; nothing was stored.
            NotFoundError: A related id is unknown; nothing was stored.
        """
        request = outcomes.WriteRequest(
            text=text,
            kind=kind,
            scope=scope,
            meta=meta if meta is not None else {},
            tags=tags,
            when=when,
            force_new=force_new,
            related_ids=related_ids,
            origin=origin,
            importance=importance,
            expires_at=expires,
            session_id=session_id,
        )
        return flows.remember.remember(self._context, [request])[0]

    def remember_many(self, requests: Iterable[WriteRequest | str]) -> list[WriteResult]:
        """Remember many texts with one call of the embedder; same decisions as one by one.

        Raises:
            InvalidInputError: Some request cannot be used; nothing was stored.
        """
        return flows.remember.remember(self._context, flows.remember.checked_requests(requests))

    def store_conversation(
        self,
        turns: Iterable[ConversationTurn | Mapping[str, Any]],
        *,
        observed_at: float | None = None,
        session_id: str | None = None,
        scope: str = GLOBAL_SCOPE,
        context_turns: int = 1,
        preceding: Sequence[ConversationTurn | Mapping[str, Any]] = (),
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        first_turn: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ConversationReport:
        """Keep a conversation turn by turn, verbatim and past the gate.

        The same call again stores nothing twice, so that an interrupted one can be repeated;
        further turns of a known session are appended. The same words at another time are another
        turn; of more than twelve turns, word for word, that only the call gives another time, a
        warning says that they were known. Without times, up to two turns are taken for a repeated call only if they are the
        session's last ones, or if ``preceding`` says where they belong; ``first_turn`` settles it.
        What was erased on request stays erased.

        Args:
            turns: Utterances in order: ``ConversationTurn``, or mappings with ``text`` (or
                ``content``), ``speaker``, ``role``, ``observed_at``.
            observed_at: When the session, or this part of it, took place; defaults to now.
            session_id: Name of the session; a new one by default.
            scope: Who should see it.
            context_turns: Preceding turns that the index of a turn carries, 0 to 8.
            preceding: Turns before the first one, for feeds in chunks; indexed, not stored.
            tags: Labels of every turn.
            metadata: JSON data of every turn.
            first_turn: Index of the first turn in its session; found out by default.
            progress: Called with the turns done and their total after each transaction.

        Raises:
            InvalidInputError: A turn or an option cannot be used; nothing was stored.
        """
        return flows.converse.store_conversation(
            self._context,
            turns,
            observed_at=observed_at,
            session_id=session_id,
            scope=scope,
            context_turns=context_turns,
            preceding=preceding,
            tags=tags,
            metadata=metadata,
            first_turn=first_turn,
            progress=progress,
        )

    def recall(
        self,
        query: str,
        *,
        k: int = 5,
        scope: str | None = None,
        all_scopes: bool = False,
        include_superseded: bool = False,
        include_archived: bool = False,
        kinds: Sequence[str] | None = None,
        since: float | None = None,
        until: float | None = None,
        as_of: float | None = None,
        session_id: str | None = None,
        explain: bool = False,
        now: float | None = None,
        window: int = 0,
        group_by: str | None = None,
        tags: Sequence[str] = (),
    ) -> RecallPacket:
        """Answer a question with at most ``k`` memories, or abstain.

        Args:
            query: The question, in any words.
            k: Most hits to return.
            scope: A project sees itself and ``global``; None sees ``global`` only.
            all_scopes: See everything.
            include_superseded: Return facts that were revised, marked as such.
            include_archived: Look for words in what was forgotten on request, ended or called
                misleading too; what only faded takes part anyhow.
            kinds: Only these kinds.
            since: Only what happened at or after this time.
            until: Only what happened before this time.
            as_of: Answer as of that time: what was valid then.
            session_id: The conversation that asks; ties its recalls together.
            explain: Return what every stage saw.
            now: What "yesterday" and age refer to; the clock's time by default.
            window: Turns on each side that a hit from a conversation brings, up to 20.
            group_by: ``session`` or ``session_mean``: gather hits by session, ordered by all
                hits together or by the mean of the best three; ``k`` then counts sessions.
            tags: Only what carries every one of these.

        Raises:
            InvalidInputError: An argument cannot be used.
        """
        options = RecallOptions(
            k=k,
            scope=scope,
            all_scopes=all_scopes,
            include_superseded=include_superseded,
            include_archived=include_archived,
            kinds=kinds,
            since=since,
            until=until,
            as_of=as_of,
            session_id=session_id,
            explain=explain,
            now=now,
            window=window,
            group_by=group_by,
            tags=tags,
        )
        return flows.recall.recall(self._context, query, options)

    def update_fact(
        self,
        old_id: int,
        new_text: str,
        *,
        meta: Mapping[str, Any] | None = None,
        kind: str | None = None,
        when: float | None = None,
        origin: str | None = None,
        tags: Sequence[str] | None = None,
        importance: float | None = None,
        expires: float | None = None,
        session_id: str | None = None,
    ) -> WriteResult:
        """Replace a fact that is no longer true; the old one stays as history.

        Args:
            old_id: What is replaced.
            new_text: What holds instead.
            meta: Added to what the old one has.
            kind: As the old one by default.
            when: From when on it holds, epoch seconds; now by default.
            origin: Who says so (see :meth:`remember`); as the old one by default.
            tags: Short labels; those of the old one by default.
            importance: 0 to 1; as the old one by default.
            expires: When it stops being valid; never by default.
            session_id: The conversation it came up in; that of the old one by default, and always
                of a turn.

        Raises:
            InvalidInputError: It was already superseded (the message names the live one), or the
                text gives orders to the agent and is not the user's.
            NotFoundError: Unknown id.
        """
        return flows.revise.update_fact(
            self._context,
            old_id,
            new_text,
            meta=meta,
            kind=kind,
            when=when,
            origin=origin,
            tags=tags,
            importance=importance,
            expires=expires,
            session_id=session_id,
        )

    def get(self, memory_id: int) -> Trace:
        """Return one memory, whatever its status.

        Raises:
            NotFoundError: Unknown id.
        """
        return flows.browse.get(self._context, memory_id)

    def wordings(self, memory_id: int) -> tuple[str, ...]:
        """Return how else a memory was told, oldest first: what strengthened it without its text.

        Raises:
            NotFoundError: Unknown id.
        """
        return flows.browse.wordings(self._context, memory_id)

    def history(self, memory_id: int) -> list[Trace]:
        """Return all versions of a fact, oldest first.

        Raises:
            NotFoundError: Unknown id.
        """
        return flows.browse.history(self._context, memory_id)

    def list(
        self,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        kind: str | None = None,
        status: str | None = Status.ACTIVE,
        tag: str | None = None,
        limit: int = 50,
        after: int | None = None,
    ) -> list[Trace]:
        """Return memories, newest first; ``after`` is the last id of the page before.

        Raises:
            InvalidInputError: A filter or the limit cannot be used.
        """
        return flows.browse.page(
            self._context,
            scope=scope,
            all_scopes=all_scopes,
            kind=kind,
            status=status,
            tag=tag,
            limit=limit,
            after=after,
        )
