"""Which embedder belongs to a space that a store names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.encoding.hashing import HashingEmbedder
from realmemory.encoding.static import PROFILE, StaticEmbedder
from realmemory.errors import EmbedderMismatchError
from realmemory.late import late_pattern

if TYPE_CHECKING:
    from realmemory.encoding.protocol import EmbeddingProvider

_HASHING = late_pattern(r"hashing\(v=\d+,dim=(\d+),seed=(\d+)\)")
_REMOTE = "remote:"

DEFAULT_PROFILE = PROFILE
"""Thresholds of :func:`default`, known without loading it."""


def default() -> EmbeddingProvider:
    """Return the embedder of a new store when the caller gives none: the one that ships."""
    return StaticEmbedder()


def from_marker(marker: str) -> EmbeddingProvider:
    """Return the embedder that a store was written with, when it can be made from its name.

    Raises:
        EmbedderMismatchError: It cannot; the caller has to give it.
    """
    if marker.startswith(_REMOTE):
        from realmemory.encoding.remote import RemoteEmbedder  # noqa: PLC0415 - few have one

        remote = RemoteEmbedder.from_marker(marker)
        if remote is not None:
            return remote
    match = _HASHING.fullmatch(marker) if marker.startswith("hashing(") else None
    embedder = HashingEmbedder(int(match[1]), int(match[2])) if match else default()
    if embedder.name != marker:
        raise EmbedderMismatchError(
            f"this memory was written with the embedder {marker!r}; nothing was changed. "
            "Pass that embedder to open()."
        )
    return embedder
