"""Stage `probe`, ahead: what the index finds for the drafts of a batch, several in one call."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import KIND_CODES, RowAttributes
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from realmemory.core.rows import ScanFilter
    from realmemory.flows.context import MemoryContext
    from realmemory.flows.draft import Draft

_FIRST = 1 << 62
"""Id of the first draft in the scratch index: behind those of all traces, in the same order."""
_SPAN = 8
"""Drafts that are looked up at once at first."""


Near = tuple[int, float, int]
"""Id, cosine (NaN without a vector) and number of shared words of what is near a draft."""


class LookAhead:
    """Finds what is near each draft of a batch among the traces and the drafts before it.

    Uncommitted traces live in a scratch index, so that a rollback leaves nothing behind in the index
    that all threads share, and both are searched as one. Several drafts are looked up at once, each
    as if those before it all became traces, as most do; where one did not, what was found for those
    behind it is dropped, and fewer are looked up the next time.

    Args:
        context: The open memory; its index has caught up.
        drafts: The batch.
        visible: Tells which traces a draft may see.
        scope_id: Tells the id of a scope.
    """

    def __init__(
        self,
        context: MemoryContext,
        drafts: Sequence[Draft],
        visible: Callable[[Draft], ScanFilter],
        scope_id: Callable[[str], int],
    ) -> None:
        self._context = context
        self._drafts = drafts
        self._visible = visible
        self._scope_id = scope_id
        self.restart()
        self._ids: dict[int, int] = {}

    def restart(self) -> None:
        """Forget what was found: the index is another one."""
        self._scratch = MemoryIndex(self._context.embedder.dim)
        self._indexed: set[int] = set()
        self._ahead: dict[int, tuple[int, list[Near]]] = {}
        self._span = _SPAN
        self.__dict__.pop("_scanned", None)

    def add(self, memory_id: int, at: int) -> None:
        """Note that a draft became a trace."""
        self._ids[at] = memory_id

    def found(self, at: int) -> list[Near]:
        """Return what is near a draft, in order of ids.

        Raises:
            OSError: A block of the index's snapshot is damaged.
        """
        if at not in self._ahead or self._ahead[at][0] != len(self._ids):
            self._look(at)
        _, found = self._ahead.pop(at)
        ids = self._ids
        return [
            (item if item < _FIRST else ids[item - _FIRST], cosine, words)
            for item, cosine, words in found
        ]

    def expected(self) -> Iterator[tuple[int, list[Near]]]:
        """Yield the drafts that were looked up ahead and which committed traces are near each."""
        for at, (_, found) in self._ahead.items():
            yield at, [one for one in found if one[0] < _FIRST]

    def _look(self, at: int) -> None:
        """Look up a draft and those behind it."""
        span = 1 if self._ahead else self._span
        self._span = span * 2
        self._ahead.clear()
        self._settle()
        behind = range(at, len(self._drafts))
        places = [place for place in behind if not self._drafts[place].held_back][:span]
        drafts = [self._drafts[place] for place in places]
        found = self._context.index.engine.gather_ahead(
            self._scratch,
            [_FIRST + place for place in places[:-1]],
            self._attributes(drafts[:-1]),
            texts=[draft.request.text for draft in drafts],
            vectors=_packed(drafts),
            has_vector=[draft.embedding is not None for draft in drafts],
            scanned=[self._scanned.get(place, ()) for place in places],
            chosen=[self._visible(draft) for draft in drafts],
            k=self._context.config.gate_neighbours,
        )
        known = len(self._ids)
        self._ahead = {
            place: (known + number, near)
            for number, (place, near) in enumerate(zip(places, found, strict=True))
        }
        self._indexed.update(places[:-1])

    def _settle(self) -> None:
        """Have the scratch index hold the drafts that became traces, and no other."""
        wrong = self._indexed - self._ids.keys()
        if wrong:
            self._scratch.remove([_FIRST + place for place in wrong])
            self._indexed -= wrong
        late = [place for place in self._ids if place not in self._indexed]
        if late:
            drafts = [self._drafts[place] for place in late]
            self._scratch.upsert(
                [_FIRST + place for place in late],
                _packed(drafts),
                [draft.request.text for draft in drafts],
                self._attributes(drafts),
                has_vector=[draft.embedding is not None for draft in drafts],
            )
            self._indexed.update(late)

    def _attributes(self, drafts: Sequence[Draft]) -> RowAttributes:
        times = [draft.when for draft in drafts]
        ends = [draft.request.expires_at for draft in drafts]
        return RowAttributes.of(
            scopes=[self._scope_id(draft.request.scope) for draft in drafts],
            kinds=[KIND_CODES[Kind(draft.request.kind)] for draft in drafts],
            statuses=[0] * len(drafts),
            flags=[0] * len(drafts),
            base=[1.0] * len(drafts),
            last=times,
            valid_from=times,
            valid_until=[math.inf if end is None else end for end in ends],
            observed_at=times,
        )

    @cached_property
    def _scanned(self) -> Mapping[int, list[int]]:
        """The nearest traces of the shared index by draft; those that see the same share a pass."""
        alike: dict[ScanFilter, list[int]] = {}
        for at, draft in enumerate(self._drafts):
            if draft.embedding:
                alike.setdefault(self._visible(draft), []).append(at)
        engine, limit = self._context.index.engine, self._context.config.gate_neighbours
        return {
            at: result.ids.tolist()
            for visible, group in alike.items()
            for at, result in zip(
                group,
                engine.topk_many(
                    _packed(self._drafts[at] for at in group), limit, visible, by_cosine=True
                ),
                strict=True,
            )
        }


def _packed(drafts: Iterable[Draft]) -> memoryview[float]:
    """Return the embeddings of drafts one after the other, without numpy."""
    return memoryview(b"".join(draft.embedding or b"" for draft in drafts)).cast("f")
