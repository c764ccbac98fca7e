"""Passages of long texts as rows of the engine, beside the traces that they belong to.

A passage has the attributes of its trace, so every filter holds for it, but an id and a scope of its
own, see :mod:`realmemory.core.passage_ids`.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from realmemory.core.passage_ids import APART, BITS, MOST, row_id
from realmemory.core.rows import RowAttributes
from realmemory.late import late_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from realmemory.core.memory_index import MemoryIndex
    from realmemory.core.rows import ScanFilter
else:
    np = late_module("numpy")


def trace_ids(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the traces that passages belong to."""
    return (-rows - 1) >> BITS


def rows_of(engine: MemoryIndex, trace_id: int) -> list[int]:
    """Return the engine's rows of a trace's passages: their ordinals count up from zero."""
    rows: list[int] = []
    while len(rows) < MOST and (row := row_id(trace_id, len(rows))) in engine:
        rows.append(row)
    return rows


def among_passages(chosen: ScanFilter) -> ScanFilter:
    """Return the filter that sees the passages of the traces that ``chosen`` sees."""
    scopes = None if chosen.scopes is None else tuple(scope + APART for scope in chosen.scopes)
    return replace(chosen, scopes=scopes)


def set_apart(attributes: RowAttributes, counts: Sequence[int]) -> RowAttributes:
    """Return the attributes of passages: those of each trace as often as it has passages."""
    repeated = {
        field.name: np.repeat(getattr(attributes, field.name), counts)
        for field in fields(attributes)
    }
    return RowAttributes(**repeated | {"scopes": repeated["scopes"] + np.uint32(APART)})
