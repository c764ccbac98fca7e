"""Passages of long texts: cut and encoded when a text is stored, named when it is found."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from realmemory.core.passage_ids import row_id
from realmemory.index import passage_rows
from realmemory.late import late_module
from realmemory.policies.passages import answering, split
from realmemory.policies.wording import spoken
from realmemory.store.records import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.memory_index import MemoryIndex
    from realmemory.core.rows import ScanFilter
    from realmemory.encoding.protocol import EmbeddingProvider, Vector
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.question import Question
    from realmemory.store.answers import Answer
    from realmemory.store.transactions import ReadView
else:
    np = late_module("numpy")

_BATCH = 256
"""Passages encoded in one call."""


class Parts(NamedTuple):
    """The passages of one candidate: character ranges and cosines with the question."""

    ranges: Sequence[tuple[int, int]]
    cosines: NDArray[np.float64]

    @property
    def nearest(self) -> tuple[int, int]:
        """The range of the passage that is nearest by meaning."""
        return self.ranges[int(np.argmax(self.cosines))]


def encoded(
    embedder: EmbeddingProvider, texts: Sequence[str], speakers: Sequence[str | None] | None = None
) -> list[list[Passage]]:
    """Return the passages of each text with their vectors; none for a short text.

    The trace that they belong to is still unknown: their ``trace_id`` is 0.

    Raises:
        EmbeddingError: The embedder failed.
    """
    ranges = [split(text) for text in texts]
    who = speakers if speakers is not None else [None] * len(texts)
    pieces = (
        spoken(text[start:end], speaker)
        for text, speaker, parts in zip(texts, who, ranges, strict=True)
        for start, end in parts
    )
    vectors: list[Vector] = []
    while batch := list(islice(pieces, _BATCH)):
        vectors.extend(embedder.embed(batch))
    following = iter(vectors)
    return [
        [
            Passage(0, at, start, end, vector.tobytes() if vector.any() else None)
            for at, ((start, end), vector) in enumerate(zip(parts, following, strict=False))
        ]
        for parts in ranges
    ]


def nearest(
    engine: MemoryIndex, view: ReadView, question: Question, count: int, visible: ScanFilter
) -> list[int]:
    """Return the traces whose passages come nearest to a question in meaning."""
    chosen = passage_rows.among_passages(visible)
    if visible.ids is not None:
        rows = _rows_of(view.passages.ranges(visible.ids))
        chosen = replace(chosen, ids=tuple(rows))
    found = engine.topk(question.vector, count, chosen)
    traces: list[int] = passage_rows.trace_ids(found.ids).tolist()
    return traces


def of_candidates(
    context: MemoryContext, view: ReadView, question: Question, ids: Iterable[int]
) -> dict[int, Parts]:
    """Return the passages of those candidates that have some."""
    ranges = view.passages.ranges(ids)
    cosines = np.nan_to_num(context.index.engine.cosines(question.vector, _rows_of(ranges)))
    ends = np.cumsum([len(parts) for parts in ranges.values()])
    split_at = np.split(cosines.astype(np.float64), ends[:-1]) if ranges else []
    return {
        memory_id: Parts(tuple(parts), own)
        for (memory_id, parts), own in zip(ranges.items(), split_at, strict=True)
    }


def _rows_of(ranges: Mapping[int, Sequence[tuple[int, int]]]) -> list[int]:
    """Return the engine's rows of the passages of traces."""
    return [row_id(i, at) for i, parts in ranges.items() for at in range(len(parts))]


def best_span(
    question: Question, trace: Answer, parts: Parts, *, by_words: bool
) -> tuple[int, int]:
    """Return the character range of the passage that answers best.

    By meaning, and unless ``by_words`` is false by the words that it holds, which costs reading
    the whole text.
    """
    if not by_words:
        return parts.nearest
    return answering(trace.text, parts.ranges, parts.cosines.tolist(), question.forms)
