"""Stages `validate` and `embed` of the read flow: a query becomes a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from realmemory.clock import DAY
from realmemory.core.text import count_query_words, query_forms
from realmemory.errors import EmbeddingError
from realmemory.flows import validation
from realmemory.late import late_module
from realmemory.policies.question.former import asks_for_former
from realmemory.policies.question.inquiry import inquiry_of, looks_ahead
from realmemory.policies.question.shapes import shape_of
from realmemory.policies.times.moments import spans, without_times
from realmemory.types import Grouping, Kind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from realmemory.encoding.protocol import Vector
    from realmemory.flows.context import MemoryContext
    from realmemory.policies.question.inquiry import Inquiry
    from realmemory.policies.times.days import Span
else:
    np = late_module("numpy")

_EVERY_KIND = tuple(Kind)
_NEXT = 334 * DAY
"""Who asks for what is to come means the next such day or month: within a year, but for the last."""
_STANDING = (Status.ACTIVE, Status.ARCHIVED)
"""Statuses of what holds; what is in the archive by request is in no index."""
_GROUPED = 50
"""Hits that are sorted into sessions."""


class RecallOptions(NamedTuple):
    """What a caller may ask for beside the query; see ``Hippocampus.recall``."""

    k: int = 5
    scope: str | None = None
    all_scopes: bool = False
    include_superseded: bool = False
    include_archived: bool = False
    kinds: Sequence[str] | None = None
    since: float | None = None
    until: float | None = None
    as_of: float | None = None
    session_id: str | None = None
    explain: bool = False
    now: float | None = None
    window: int = 0
    group_by: str | None = None
    tags: Sequence[str] = ()


class Question(NamedTuple):
    """A valid query with everything that the stages need to answer it.

    ``scope`` is None when every scope may answer; ``vector`` is zero when the query has no
    content for the embedder; ``words`` counts the content words; ``spans`` are the times that the
    query names, seen from ``now``, ``timeless`` is its casefolded text without them; ``inquiry`` is what else it has where it asks what was then,
    None where something else decides; ``former`` says that it asks for how something was before;
    ``several`` says that the answer is likely to be put together from several places; ``trouble``
    is what kept the embedder from answering, so that only words are compared.
    """

    text: str
    vector: Vector | memoryview[float]
    words: int
    spans: tuple[Span, ...]
    timeless: str
    inquiry: Inquiry | None
    former: bool
    now: float
    k: int
    scope: str | None
    kinds: tuple[Kind, ...]
    statuses: tuple[Status, ...]
    options: RecallOptions
    several: bool
    tags: tuple[str, ...]
    trouble: str | None

    @property
    def depth(self) -> int:
        """Hits that are ranked; to group them takes more than are returned."""
        return self.k if self.options.group_by is None else max(self.k, _GROUPED)

    @property
    def only_times(self) -> bool:
        """Whether it asks for whatever was at a time."""
        return self.inquiry is not None and self.inquiry.bare

    @property
    def looks_back(self) -> bool:
        """Whether it asks for what held at another time, which may have been replaced since."""
        of_a_time = bool(self.spans) and (self.inquiry is None or self.inquiry.verb)
        return self.former or of_a_time

    @property
    def forms(self) -> frozenset[str]:
        """All terms of the content words; few questions need them."""
        return frozenset(term for terms in query_forms(self.text) for term in terms)

    @property
    def history(self) -> bool:
        """Whether the past is asked for, where neither feedback nor succession hides anything."""
        return Status.SUPERSEDED in self.statuses


def ask(context: MemoryContext, query: str, options: RecallOptions) -> Question:
    """Check a query and its options and encode it.

    Raises:
        InvalidInputError: The query or an option cannot be used.
    """
    text = validation.checked_query(query, context.config.max_text_bytes)
    validation.checked_time(options.as_of, "as_of")
    validation.checked_range(
        validation.checked_time(options.since, "since"),
        validation.checked_time(options.until, "until"),
    )
    validation.checked_window(options.window)
    validation.checked_session(options.session_id or None)
    if options.group_by is not None:
        validation.checked_choice(Grouping, options.group_by, "invalid_group_by")
    moment = validation.checked_time(options.now, "now")
    now = context.clock.now() if moment is None else moment
    times = tuple(spans(text, now, ahead=_NEXT if looks_ahead(text) else 0.0))
    timeless = without_times(text, now) if times else text.casefold()
    history = options.include_superseded or options.as_of is not None
    vector, trouble = _encoded(context, text)
    return Question(
        text=text,
        vector=vector,
        words=count_query_words(text),
        spans=times,
        timeless=timeless,
        inquiry=inquiry_of(text, timeless) if times else None,
        former=asks_for_former(text),
        now=now,
        k=validation.checked_k(options.k),
        scope=validation.checked_scope(options.scope, all_scopes=options.all_scopes),
        kinds=_kinds(options),
        statuses=(*_STANDING, Status.SUPERSEDED) if history else _STANDING,
        options=options,
        several=shape_of(text).several,
        tags=_tags(options),
        trouble=trouble,
    )


def _tags(options: RecallOptions) -> tuple[str, ...]:
    """Return tags as they were stored."""
    if not options.tags:
        return ()
    from realmemory.safety import masked_name  # noqa: PLC0415 - who asks seldom needs it

    return tuple(map(masked_name, validation.checked_tags(options.tags)))


def _encoded(context: MemoryContext, text: str) -> tuple[Vector | memoryview[float], str | None]:
    """Return the vector of a query; without an embedder one that is near to nothing, and why."""
    try:
        return context.embedder.query(text), None
    except EmbeddingError as error:
        return np.zeros(context.embedder.dim, np.float32), error.message


def _kinds(options: RecallOptions) -> tuple[Kind, ...]:
    if options.kinds is None:
        return _EVERY_KIND
    return validation.checked_kinds(options.kinds)
