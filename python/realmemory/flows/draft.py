"""Stages `validate`, `screen` and `embed` of the write flow: a request becomes a draft."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from realmemory.core.text import analyze_query, fts_terms
from realmemory.flows import validation
from realmemory.policies.signature import FactSignature, fact_signature
from realmemory.scopes import validate_scope
from realmemory.types import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.encoding.protocol import Vector
    from realmemory.flows.context import MemoryContext
    from realmemory.types import WriteRequest


@dataclass(frozen=True, slots=True)
class Draft:
    """A valid request with everything that can be computed before the lock is taken.

    ``vector`` is the unit-length embedding, or zero when the text has no content for it.
    """

    request: WriteRequest
    when: float
    signature: FactSignature
    terms: str
    vector: Vector


def prepare(context: MemoryContext, requests: Sequence[WriteRequest]) -> list[Draft]:
    """Check all requests, then encode them in one call.

    Raises:
        InvalidInputError: The first request that cannot be stored.
        EmbeddingError: The embedder failed.
    """
    now = context.clock.now()
    checked = [_checked(context, request) for request in requests]
    vectors = context.embedder.embed([request.text for request in checked])
    return [
        Draft(
            request=request,
            when=now if request.when is None else request.when,
            signature=signature_of(request.text),
            terms=fts_terms(request.text),
            vector=vector,
        )
        for request, vector in zip(checked, vectors, strict=True)
    ]


def signature_of(text: str) -> FactSignature:
    """Return the fact signature of a text."""
    return fact_signature(text, analyze_query(text))


def _checked(context: MemoryContext, request: WriteRequest) -> WriteRequest:
    return replace(
        request,
        text=validation.checked_text(request.text, context.config.max_text_bytes),
        kind=validation.checked_kind(request.kind),
        scope=validate_scope(request.scope),
        meta=validation.checked_meta(request.meta),
        tags=validation.checked_tags(request.tags),
        when=validation.checked_time(request.when, "when"),
        related_ids=validation.checked_ids(request.related_ids),
        origin=validation.checked_choice(Origin, request.origin, "invalid_origin"),
        importance=validation.checked_fraction(request.importance, "importance"),
        expires_at=validation.checked_time(request.expires_at, "expires_at"),
    )
