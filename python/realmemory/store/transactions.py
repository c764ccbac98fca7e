"""Views and write transactions: the repositories over one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

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
    from collections.abc import Callable
    from typing import Self

    from realmemory.store.session import Session

_T_co = TypeVar("_T_co", covariant=True)


class _part(Generic[_T_co]):  # noqa: N801 - used as a decorator
    """A repository that is made when it is first asked for.

    As ``functools.cached_property``, without the lock that this takes before Python 3.12: a view
    belongs to one thread.
    """

    def __init__(self, make: Callable[[Any], _T_co]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, view: None, owner: type) -> Self: ...
    @overload
    def __get__(self, view: ReadView, owner: type) -> _T_co: ...
    def __get__(self, view: ReadView | None, owner: type) -> Self | _T_co:
        if view is None:
            return self
        found = view.__dict__[self._name] = self._make(view)
        return found


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

    @_part
    def traces(self) -> Traces:
        """The traces."""
        return Traces(self._session)

    @_part
    def answers(self) -> Answers:
        """The traces as answers show them."""
        return Answers(self._session)

    @_part
    def succession(self) -> Succession:
        """The chains of supersession."""
        return Succession(self._session)

    @_part
    def variants(self) -> Variants:
        """The kept wordings."""
        return Variants(self._session)

    @_part
    def conversations(self) -> Conversations:
        """The conversation turns."""
        return Conversations(self._session)

    @_part
    def excerpts(self) -> Excerpts:
        """The beginnings of texts."""
        return Excerpts(self._session)

    @_part
    def passages(self) -> Passages:
        """The parts of long texts."""
        return Passages(self._session)

    @_part
    def scopes(self) -> Scopes:
        """The scopes."""
        return Scopes(self._session)

    @_part
    def spaces(self) -> Spaces:
        """The embedders behind the vectors."""
        return Spaces(self._session)

    @_part
    def kept_vectors(self) -> KeptVectors:
        """The vectors of the embedder before."""
        return KeptVectors(self._session)

    @_part
    def search(self) -> Search:
        """The full-text index."""
        return Search(self._session)

    @_part
    def links(self) -> Links:
        """The links between traces."""
        return Links(self._session)

    @_part
    def eligibility(self) -> PendingBinds:
        """The binds that wait for sleep."""
        return PendingBinds(self._session)

    @_part
    def usage(self) -> UsageCounts:
        """The lazy counters."""
        return UsageCounts(self._session)

    @_part
    def journal(self) -> Journal:
        """The events."""
        return Journal(self._session)

    @_part
    def audit(self) -> AuditLog:
        """The audit log."""
        return AuditLog(self._session)

    @_part
    def publications(self) -> Publications:
        """What was shared."""
        return Publications(self._session)

    @_part
    def meta(self) -> Meta:
        """Facts about the store."""
        return Meta(self._session)


class WriteTx(ReadView):
    """One write transaction: all that a view offers, and writing."""

    @property
    def bumped(self) -> int | None:
        """The rev that this transaction commits, ``None`` while it has changed no row."""
        return self._session.bumped

    @_part
    def traces(self) -> TraceWrites:
        """The traces."""
        return TraceWrites(self._session, self.scopes)

    @_part
    def variants(self) -> VariantWrites:
        """The kept wordings."""
        return VariantWrites(self._session, self.traces)

    @_part
    def passages(self) -> PassageWrites:
        """The parts of long texts."""
        return PassageWrites(self._session, self.traces)

    @_part
    def scopes(self) -> ScopeWrites:
        """The scopes."""
        return ScopeWrites(self._session)

    @_part
    def spaces(self) -> SpaceWrites:
        """The embedders behind the vectors."""
        return SpaceWrites(self._session)

    @_part
    def kept_vectors(self) -> KeptVectorWrites:
        """The vectors of the embedder before."""
        return KeptVectorWrites(self._session)

    @_part
    def search(self) -> SearchWrites:
        """The full-text index."""
        return SearchWrites(self._session)

    @_part
    def links(self) -> LinkWrites:
        """The links between traces."""
        return LinkWrites(self._session)

    @_part
    def eligibility(self) -> PendingBindWrites:
        """The binds that wait for sleep."""
        return PendingBindWrites(self._session)

    @_part
    def usage(self) -> UsageWrites:
        """The lazy counters."""
        return UsageWrites(self._session)

    @_part
    def journal(self) -> JournalWrites:
        """The events."""
        return JournalWrites(self._session)

    @_part
    def audit(self) -> AuditWrites:
        """The audit log."""
        return AuditWrites(self._session)

    @_part
    def publications(self) -> PublicationWrites:
        """What was shared."""
        return PublicationWrites(self._session)

    @_part
    def meta(self) -> MetaWrites:
        """Facts about the store."""
        return MetaWrites(self._session)
