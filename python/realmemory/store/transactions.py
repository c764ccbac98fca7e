"""Views and write transactions: the repositories over one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.late import once
from realmemory.store.answers import Answers
from realmemory.store.audit import AuditLog, AuditWrites
from realmemory.store.conversations import Conversations
from realmemory.store.eligibility import PendingBinds, PendingBindWrites
from realmemory.store.excerpts import Excerpts
from realmemory.store.journal import Journal, JournalWrites
from realmemory.store.kept_vectors import KeptVectors, KeptVectorWrites
from realmemory.store.links import Links, LinkWrites
from realmemory.store.meta import Meta, MetaWrites
from realmemory.store.passages import Passages, PassageWrites
from realmemory.store.publications import Publications, PublicationWrites
from realmemory.store.scopes import Scopes, ScopeWrites
from realmemory.store.search import Search, SearchWrites
from realmemory.store.spaces import Spaces, SpaceWrites
from realmemory.store.succession import Succession
from realmemory.store.trace_writes import TraceWrites
from realmemory.store.traces import Traces
from realmemory.store.usage import UsageCounts, UsageWrites
from realmemory.store.variants import Variants, VariantWrites

if TYPE_CHECKING:
    from realmemory.store.session import Session


class ReadView:
    """One consistent snapshot; it belongs to the thread that opened it, until it is closed.

    Args:
        session: A connection with an open transaction.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def rev(self) -> int:
        """Return the rev of this snapshot."""
        return self._session.rev()

    @once
    def traces(self) -> Traces:
        """The traces."""
        return Traces(self._session)

    @once
    def answers(self) -> Answers:
        """The traces as answers show them."""
        return Answers(self._session)

    @once
    def succession(self) -> Succession:
        """The chains of supersession."""
        return Succession(self._session)

    @once
    def variants(self) -> Variants:
        """The kept wordings."""
        return Variants(self._session)

    @once
    def conversations(self) -> Conversations:
        """The conversation turns."""
        return Conversations(self._session)

    @once
    def excerpts(self) -> Excerpts:
        """The beginnings of texts."""
        return Excerpts(self._session)

    @once
    def passages(self) -> Passages:
        """The parts of long texts."""
        return Passages(self._session)

    @once
    def scopes(self) -> Scopes:
        """The scopes."""
        return Scopes(self._session)

    @once
    def spaces(self) -> Spaces:
        """The embedders behind the vectors."""
        return Spaces(self._session)

    @once
    def kept_vectors(self) -> KeptVectors:
        """The vectors of the embedder before."""
        return KeptVectors(self._session)

    @once
    def search(self) -> Search:
        """The full-text index."""
        return Search(self._session)

    @once
    def links(self) -> Links:
        """The links between traces."""
        return Links(self._session)

    @once
    def eligibility(self) -> PendingBinds:
        """The binds that wait for sleep."""
        return PendingBinds(self._session)

    @once
    def usage(self) -> UsageCounts:
        """The lazy counters."""
        return UsageCounts(self._session)

    @once
    def journal(self) -> Journal:
        """The events."""
        return Journal(self._session)

    @once
    def audit(self) -> AuditLog:
        """The audit log."""
        return AuditLog(self._session)

    @once
    def publications(self) -> Publications:
        """What a team may read."""
        return Publications(self._session)

    @once
    def meta(self) -> Meta:
        """Facts about the store."""
        return Meta(self._session)


class WriteTx(ReadView):
    """One write transaction: all that a view offers, and writing."""

    @property
    def bumped(self) -> int | None:
        """The rev that this transaction commits, ``None`` while it has changed no row."""
        return self._session.bumped

    @once
    def traces(self) -> TraceWrites:
        """The traces."""
        return TraceWrites(self._session, self.scopes)

    @once
    def variants(self) -> VariantWrites:
        """The kept wordings."""
        return VariantWrites(self._session, self.traces)

    @once
    def passages(self) -> PassageWrites:
        """The parts of long texts."""
        return PassageWrites(self._session, self.traces)

    @once
    def scopes(self) -> ScopeWrites:
        """The scopes."""
        return ScopeWrites(self._session)

    @once
    def spaces(self) -> SpaceWrites:
        """The embedders behind the vectors."""
        return SpaceWrites(self._session)

    @once
    def kept_vectors(self) -> KeptVectorWrites:
        """The vectors of the embedder before."""
        return KeptVectorWrites(self._session)

    @once
    def search(self) -> SearchWrites:
        """The full-text index."""
        return SearchWrites(self._session)

    @once
    def links(self) -> LinkWrites:
        """The links between traces."""
        return LinkWrites(self._session)

    @once
    def eligibility(self) -> PendingBindWrites:
        """The binds that wait for sleep."""
        return PendingBindWrites(self._session)

    @once
    def usage(self) -> UsageWrites:
        """The lazy counters."""
        return UsageWrites(self._session)

    @once
    def journal(self) -> JournalWrites:
        """The events."""
        return JournalWrites(self._session)

    @once
    def audit(self) -> AuditWrites:
        """The audit log."""
        return AuditWrites(self._session)

    @once
    def publications(self) -> PublicationWrites:
        """What a team may read."""
        return PublicationWrites(self._session)

    @once
    def meta(self) -> MetaWrites:
        """Facts about the store."""
        return MetaWrites(self._session)
