"""Stages `validate`, `screen` and `embed` of the write flow: a request becomes a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.text import fts_terms
from realmemory.flows import validation
from realmemory.flows.passages import encoded
from realmemory.instants import format_instant
from realmemory.outcomes import WriteRequest
from realmemory.policies.gate.reading import FactSignature, fact_signature
from realmemory.policies.wording import spoken
from realmemory.safety import (
    masked_name,
    masked_values,
    refuse_secret_scope,
    screen,
    should_quarantine,
)
from realmemory.scopes import validate_scope
from realmemory.types import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.safety import Screening
    from realmemory.store.records import Passage


class Draft(NamedTuple):
    """A valid, screened request with everything that can be computed before the lock is taken.

    ``flags`` name what the screen found; a draft that is ``held_back`` stays out of recall.
    ``embedding`` is the packed vector of unit length, None when the text has no content for it;
    ``passages`` are the parts of a long text.
    """

    request: WriteRequest
    flags: tuple[str, ...]
    warnings: tuple[str, ...]
    held_back: bool
    when: float
    signature: FactSignature
    terms: str
    embedding: bytes | None
    passages: Sequence[Passage] = ()


def prepare(
    context: MemoryContext,
    requests: Sequence[WriteRequest],
    speakers: Sequence[str | None] | None = None,
) -> list[Draft]:
    """Check all requests, then encode them in one call.

    Args:
        context: The open memory.
        requests: What is to be written.
        speakers: Who said each text, for what stands in a conversation.

    Raises:
        InvalidInputError: The first request that cannot be stored.
        EmbeddingError: The embedder failed.
    """
    now = context.clock.now()
    given = [
        _checked_at(context, request, at if len(requests) > 1 else None)
        for at, request in enumerate(requests)
    ]
    safe = [screened(request) for request in given]
    texts = [request.text for request, _ in safe]
    said_by = speakers if speakers is not None else [None] * len(texts)
    vectors = context.embedder.embed(list(map(spoken, texts, said_by)))
    passages = encoded(context.embedder, texts, speakers)
    return [
        Draft(
            request=request,
            flags=screening.flags,
            warnings=(*screening.warnings(), *_beside(before, request), *_ended(request, now)),
            held_back=should_quarantine(screening, Origin(request.origin)),
            when=now if request.when is None else request.when,
            signature=fact_signature(request.text),
            terms=fts_terms(request.text),
            embedding=vector.tobytes() if vector.any() else None,
            passages=parts,
        )
        for before, (request, screening), vector, parts in zip(
            given, safe, vectors, passages, strict=True
        )
    ]


def _checked_at(context: MemoryContext, request: WriteRequest, at: int | None) -> WriteRequest:
    """Return a request that can be stored; one of several is named by its place among them."""
    with validation.named(None if at is None else f"item {at}"):
        return checked(context, request)


def screened(request: WriteRequest) -> tuple[WriteRequest, Screening]:
    """Mask the secrets of a request in its text, tags, metadata and session."""
    screening = screen(request.text)
    if not (screening.findings or request.tags or request.meta or request.session_id):
        return request, screening
    masked = replace(
        request,
        text=screening.masked,
        tags=tuple(screen(tag).masked for tag in request.tags),
        meta=masked_values(request.meta),
        session_id=request.session_id and masked_name(request.session_id),
    )
    return masked, screening


def _beside(given: WriteRequest, masked: WriteRequest) -> list[str]:
    """Say in what beside the text a secret was masked."""
    places = [
        name
        for name in ("tags", "meta", "session_id")
        if getattr(given, name) != getattr(masked, name)
    ]
    return [f"a secret was masked and not stored: in {', '.join(places)}"] if places else []


def _ended(request: WriteRequest, now: float) -> list[str]:
    if request.expires_at is None or request.expires_at > now:
        return []
    return [f"it expired at {format_instant(request.expires_at)}: no recall will find it"]


def checked(context: MemoryContext, request: WriteRequest) -> WriteRequest:
    """Return a request that can be stored.

    Raises:
        InvalidInputError: It cannot; the message names the argument.
    """
    sound = WriteRequest(
        force_new=request.force_new,
        text=validation.checked_text(request.text, context.config.max_text_bytes),
        kind=validation.checked_kind(request.kind),
        scope=refuse_secret_scope(validate_scope(request.scope)),
        meta=validation.checked_meta(request.meta),
        tags=validation.checked_tags(request.tags),
        session_id=validation.checked_session(request.session_id),
        when=validation.checked_time(request.when, "when"),
        related_ids=validation.checked_ids(request.related_ids),
        origin=validation.checked_choice(Origin, request.origin, "invalid_origin"),
        importance=validation.checked_fraction(request.importance, "importance"),
        expires_at=validation.checked_time(request.expires_at, "expires_at"),
    )
    validation.checked_validity(sound.when, sound.expires_at)
    return sound
