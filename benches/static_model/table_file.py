"""The writer of the table's file, documented in ``rust/engine/src/embed/static_table.rs``."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from realmemory.core.reference.static_table import checksum

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"RMSTATIC"
VERSION = 1
HEADER = struct.Struct("<8s6IQ")
_BITS = 4
_MIDDLE = 7.5


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a file.

    Attributes:
        name: Identity of the space.
        pieces: Pieces by id.
        weights: float32 (pieces): share of each piece in the mean.
        scales: float32 (pieces): step between two codes of a row.
        codes: uint8 (pieces, dim): 0 to 15 for -7.5 to 7.5 steps.
    """

    name: str
    pieces: tuple[str, ...]
    weights: NDArray[np.float32]
    scales: NDArray[np.float32]
    codes: NDArray[np.uint8]


def write(table: Table) -> bytes:
    """Return the bytes of a table's file."""
    blob = b"".join(piece.encode("utf-8") for piece in table.pieces)
    ends = np.cumsum([len(piece.encode("utf-8")) for piece in table.pieces]).astype("<u4")
    name = table.name.encode("utf-8")
    packed = table.codes[:, 0::2] | table.codes[:, 1::2] << 4
    sections = [name, ends.tobytes(), blob, table.weights.astype("<f4").tobytes()]
    sections += [table.scales.astype("<f4").tobytes(), packed.astype(np.uint8).tobytes()]
    body = b"".join(sections)
    count, dim = table.codes.shape
    fields = (MAGIC, VERSION, _BITS, count, dim, len(name), len(blob), checksum(body))
    return HEADER.pack(*fields) + body


def quantise(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the scale of each row and its codes, the scale being the best of several.

    Args:
        rows: float32 (n, dim).
    """
    peak = np.abs(rows).max(axis=1)
    best_error = np.full(len(rows), np.inf)
    scales = np.zeros(len(rows), np.float32)
    codes = np.zeros(rows.shape, np.uint8)
    for share in np.linspace(0.4, 1.0, 13):
        scale = np.where(peak > 0, peak * share / _MIDDLE, 1.0).astype(np.float32)
        code = np.clip(np.rint(rows / scale[:, None] + _MIDDLE), 0, 15).astype(np.uint8)
        restored = (code - np.float32(_MIDDLE)) * scale[:, None]
        error = ((rows - restored) ** 2).sum(axis=1)
        better = error < best_error
        best_error[better], scales[better], codes[better] = (
            error[better],
            scale[better],
            code[better],
        )
    return scales, codes
