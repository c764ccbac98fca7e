"""The rows of the store as the engine's index reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from realmemory.late import late_logger
from realmemory.store.records import KINDS, STATUSES, IndexRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from realmemory.store.session import Row

_logger = late_logger(__name__)


def index_rows_of(rows: Iterable[Row]) -> Iterator[IndexRow]:
    """Return what was read by ``INDEX_COLUMNS`` as records, without the damaged ones."""
    # A rebuild reads every row of the store: each is unpacked once and packed once.
    pack, kinds, statuses = tuple.__new__, KINDS, STATUSES
    for (
        trace_id, scope, kind_name, status_name, pinned, base, last, start, end, expires, observed,
        space, vector, blob, content_rev, rev, forgotten,
    ) in rows:  # fmt: skip
        kind, status = kinds.get(kind_name), statuses.get(status_name)
        if kind is None or status is None:
            # One damaged row must not keep the rest from being found; `verify` names it.
            _logger.error("memory %d is damaged and was left out of the index", trace_id)
            continue
        text = blob.decode(errors="replace")
        values = (
            trace_id, scope, kind, status, bool(pinned), base, last, start, end, expires, observed,
            space, vector, text, content_rev, rev, bool(forgotten),
        )  # fmt: skip
        yield pack(IndexRow, values)
