"""Twin of the exact scan: brute force over every row, by the definition of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.reference.exp import exp_nonpositive
from realmemory.core.results import NULL_SAMPLE, NullStats, ScanResult
from realmemory.core.rows import STATUS_CODES, RowAttributes, ScanFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LANES = 8
_MASK = (1 << 64) - 1


def canonical_cosines(
    vectors: NDArray[np.float32], query: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the canonical cosine of each row.

    Products of the f32 values in f64, summed in eight strided lanes, lanes added pairwise, the
    sum rounded once to f32.

    Args:
        vectors: Shape (n, dim).
        query: Shape (dim,).
    """
    rows, dim = vectors.shape
    padded = np.zeros((rows, -(-dim // _LANES) * _LANES))
    padded[:, :dim] = vectors.astype(np.float64) * query.astype(np.float64)
    lanes = np.zeros((rows, _LANES))
    for start in range(0, padded.shape[1], _LANES):
        lanes = lanes + padded[:, start : start + _LANES]
    while lanes.shape[1] > 1:
        lanes = lanes[:, 0::2] + lanes[:, 1::2]
    return lanes[:, 0].astype(np.float32)


def sample_hash(row_id: int) -> int:
    """Return the hash that picks the null sample: the finaliser of SplitMix64."""
    z = (row_id + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRows:
    """Rows by position: ids, vectors (zeros for none) and attributes."""

    ids: NDArray[np.int64]
    vectors: NDArray[np.float32]
    attributes: RowAttributes


def retentions(attributes: RowAttributes, chosen: ScanFilter) -> NDArray[np.float64]:
    """Return base * exp(-max(0, now - last) / tau) of each row; pinned rows keep their base."""
    taus = np.array(chosen.taus)[np.asarray(attributes.kinds)]
    taus = np.where(np.asarray(attributes.flags) & 1, np.inf, taus)
    age = np.maximum(chosen.now - np.asarray(attributes.last), 0.0)
    return np.asarray(attributes.base) * exp_nonpositive(-(age / taus))


def accepted(attributes: RowAttributes, chosen: ScanFilter) -> NDArray[np.bool_]:
    """Return which rows pass the whole filter."""
    mask = np.isin(np.asarray(attributes.kinds), chosen.kinds) & np.isin(
        np.asarray(attributes.statuses), chosen.statuses
    )
    if chosen.scopes is not None:
        mask &= np.isin(np.asarray(attributes.scopes), np.array(chosen.scopes, np.uint32))
    if chosen.as_of is None:
        superseded = np.asarray(attributes.statuses) == STATUS_CODES["superseded"]
        mask &= superseded | (chosen.now < np.asarray(attributes.valid_until))
    else:
        mask &= (np.asarray(attributes.valid_from) <= chosen.as_of) & (
            chosen.as_of < np.asarray(attributes.valid_until)
        )
    if chosen.since is not None:
        mask &= np.asarray(attributes.observed_at) >= chosen.since
    if chosen.until is not None:
        mask &= np.asarray(attributes.observed_at) < chosen.until
    mask &= np.asarray(attributes.base) >= chosen.min_strength
    passed: NDArray[np.bool_] = mask & (retentions(attributes, chosen) >= chosen.min_retention)
    return passed


def null_stats(
    rows: ReferenceRows, query: NDArray[np.float32], scopes: tuple[int, ...] | None
) -> NullStats:
    """Return mean and deviation of the cosine over the rows with the lowest hashed ids."""
    visible = np.any(rows.vectors != 0, axis=1)
    if scopes is not None:
        visible &= np.isin(rows.attributes.scopes, np.array(scopes, np.uint32))
    places = sorted(
        np.flatnonzero(visible), key=lambda at: (sample_hash(int(rows.ids[at])), rows.ids[at])
    )[:NULL_SAMPLE]
    if not places:
        return NullStats(count=0, mean=0.0, std=0.0)
    cosines = [float(c) for c in canonical_cosines(rows.vectors[places], query)]
    # One addition after the other: since Python 3.12 sum() compensates, which the engine does not.
    total, squares = 0.0, 0.0
    for cosine in cosines:
        total += cosine
    mean = total / len(cosines)
    for cosine in cosines:
        squares += (cosine - mean) * (cosine - mean)
    return NullStats(count=len(cosines), mean=mean, std=float(np.sqrt(squares / len(cosines))))


def topk(
    rows: ReferenceRows,
    query: NDArray[np.float32],
    k: int,
    chosen: ScanFilter,
    *,
    by_cosine: bool = False,
    min_cosine: float = float("-inf"),
) -> ScanResult:
    """Return what :meth:`MemoryIndex.topk` returns, the work of the pass left at zero."""
    cosines = canonical_cosines(rows.vectors, query)
    retention = retentions(rows.attributes, chosen)
    weights = np.ones(len(rows.ids)) if by_cosine else 0.3 + 0.7 * retention
    scores = (cosines.astype(np.float64) * weights).astype(np.float32)
    mask = accepted(rows.attributes, chosen) & np.any(rows.vectors != 0, axis=1)
    if chosen.ids is not None:
        mask &= np.isin(rows.ids, chosen.ids)
    mask &= cosines.astype(np.float64) >= min_cosine
    places = np.flatnonzero(mask)
    order = places[np.lexsort((rows.ids[places], -scores[places]))][:k]
    null = NullStats(count=0, mean=0.0, std=0.0)
    if not by_cosine:
        null = null_stats(rows, query, chosen.scopes)
    return ScanResult(
        (
            rows.ids[order].tobytes(),
            cosines[order].tobytes(),
            scores[order].tobytes(),
            retention[order].tobytes(),
            (null.count, null.mean, null.std),
            (0, 0, 0, 0, 0),
        )
    )
