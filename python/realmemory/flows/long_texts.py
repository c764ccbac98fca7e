"""Passages for long texts that were stored without any: by an older version, or in another space.

Until a text has passages, only its beginning and its words find it. A sleep makes some at a time
and remembers how far it came, so that a large memory is never busy with it for long.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from realmemory.flows.passages import encoded
from realmemory.policies.passages import LONG, SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from realmemory.flows.context import MemoryContext
    from realmemory.store.records import LongText

CHECKED = "passages_checked"
"""Name in the store's facts of the last trace that was looked at."""

_TEXTS = 16
_CHARS_A_SLEEP = 1000 * SIZE


def cut_missing(context: MemoryContext, *, most_chars: int | None = _CHARS_A_SLEEP) -> int:
    """Cut and encode long texts that have no passages, and return how many; resumable.

    Args:
        context: The open memory; one that was opened with a foreign embedder changes nothing.
        most_chars: Stop when so many characters were encoded; None goes to the end.

    Raises:
        EmbeddingError: The embedder failed; what was done so far is kept.
    """
    made = spent = 0
    while most_chars is None or spent < most_chars:
        with context.store.read() as view:
            space = view.spaces.current()
            after = int(view.meta.number(CHECKED))
            texts, last = view.passages.missing(LONG, after=after, limit=_TEXTS)
        if last <= after or space is None or space.id != context.space_id:
            break
        chosen = texts if most_chars is None else _affordable(texts, most_chars - spent)
        more = len(chosen) < len(texts) or len(texts) == _TEXTS
        made += _cut(context, chosen, chosen[-1].trace_id if more else last)
        spent += sum(len(item.text) for item in chosen)
        if not more:
            # What others write meanwhile is theirs to cut: a loop after it might never end.
            break
    return made


def _affordable(texts: Sequence[LongText], chars: int) -> Sequence[LongText]:
    """Return the first texts that ``chars`` characters hold, at least one of them."""
    sums = list(accumulate(len(item.text) for item in texts))
    return texts[: max(1, sum(total <= chars for total in sums))]


def _cut(context: MemoryContext, texts: Sequence[LongText], reached: int) -> int:
    """Store the passages of some texts and that every trace up to ``reached`` has its own."""
    parts = encoded(
        context.embedder, [item.text for item in texts], [item.speaker for item in texts]
    )
    with context.store.write() as tx:
        # Somebody may have erased or cut one of them meanwhile.
        ids = [item.trace_id for item in texts]
        still = set(tx.traces.get_many(ids)) - set(tx.passages.ranges(ids))
        for item, own in zip(texts, parts, strict=True):
            if item.trace_id in still:
                tx.passages.replace(item.trace_id, own)
        tx.meta.set(CHECKED, reached)
    return len(still)
