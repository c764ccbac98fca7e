"""Our own format, version 1: JSON Lines that hold everything a memory knows.

The first line is ``{"format": "realmemory", "version": 1, "vectors": <bool>}``. Every other line
is a record with a ``type``:

``memory``
    one trace with its kept wordings; ``uid`` is its identity on every machine, ``superseded_by``
    the uid of its successor, times are epoch seconds. With vectors: ``space`` (the embedder's
    identity) and ``vector`` (base64 of little-endian f32).
``link``
    a typed edge between two uids with its weight.
``tombstone``
    the uid of a memory that was deleted for good; importing it deletes the memory there too.

Keys are sorted and the order of records is that of the store, so that an export of an imported
export is the same bytes.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.store.transactions import ReadView
    from realmemory.types import Trace

FORMAT = "realmemory"
VERSION = 1
_PAGE = 200


def export_lines(context: MemoryContext, *, vectors: bool = False) -> Iterator[str]:
    """Yield the lines of an export, without line ends, from one consistent snapshot."""
    yield _line({"format": FORMAT, "version": VERSION, "vectors": vectors})
    with context.store.read() as view:
        last = 0
        while page := view.traces.page(after=last, limit=_PAGE):
            yield from _memories(view, page, vectors=vectors)
            last = page[-1].id
        yield from _links(view)
        for uid, deleted_at in view.traces.buried().items():
            yield _line({"type": "tombstone", "uid": uid, "deleted_at": deleted_at})


def _memories(view: ReadView, page: Sequence[Trace], *, vectors: bool) -> Iterator[str]:
    ids = [trace.id for trace in page]
    successors = view.traces.uids(
        trace.superseded_by for trace in page if trace.superseded_by is not None
    )
    indexed = view.traces.index_texts(ids)
    variants = view.variants.of_many(ids)
    strengths = view.traces.dynamics(ids)
    embeddings = view.spaces.vectors(ids) if vectors else {}
    spaces = {space.id: space.marker for space in view.spaces.all()} if vectors else {}
    for trace in page:
        record = _memory(trace, successors)
        record["reinforced_days"] = strengths[trace.id].reinforced_days
        if trace.id in indexed:
            record["index_text"] = indexed[trace.id]
        record["variants"] = [
            {
                "text": variant.text,
                "author": variant.author,
                "origin": variant.origin.value,
                "session_id": variant.session_id,
                "created_at": variant.created_at,
                "meta": dict(variant.meta),
            }
            for variant in variants.get(trace.id, ())
        ]
        if trace.id in embeddings:
            space_id, vector = embeddings[trace.id]
            record["space"] = spaces[space_id]
            record["vector"] = base64.b64encode(vector).decode()
        yield _line(record)


def _memory(trace: Trace, successors: dict[int, str]) -> dict[str, Any]:
    successor = trace.superseded_by
    return {
        "type": "memory",
        "uid": trace.uid,
        "text": trace.text,
        "kind": trace.kind.value,
        "status": trace.status.value,
        "scope": trace.scope,
        "author": trace.author,
        "origin": trace.origin.value,
        "created_at": trace.created_at,
        "updated_at": trace.updated_at,
        "observed_at": trace.observed_at,
        "valid_from": trace.valid_from,
        "valid_to": trace.valid_to,
        "superseded_by": None if successor is None else successors.get(successor),
        "session_id": trace.session_id,
        "turn_index": trace.turn_index,
        "speaker": trace.speaker,
        "role": trace.role,
        "importance": trace.importance,
        "pinned": trace.pinned,
        "expires_at": trace.expires_at,
        "tags": list(trace.tags),
        "meta": dict(trace.meta),
        "base_strength": trace.base_strength,
        "reinforced_count": trace.reinforced_count,
        "last_reinforced_at": trace.last_reinforced_at,
    }


def _links(view: ReadView) -> Iterator[str]:
    links = sorted(
        view.links.changes_since(0).rows, key=lambda link: (link.src, link.dst, link.type)
    )
    uids = view.traces.uids({end for link in links for end in (link.src, link.dst)})
    for link in links:
        yield _line(
            {
                "type": "link",
                "src": uids[link.src],
                "dst": uids[link.dst],
                "link": link.type.value,
                "weight": link.weight,
                "updated_at": link.updated_at,
            }
        )


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
