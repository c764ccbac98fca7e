"""Pack trained rows: ``python export.py WORK ROWS.npy OUT.bin [NAME]`` quantises and writes.

A row's length becomes the weight of its piece, so that the weights say how much a piece matters
(late interaction uses them) and the codes hold directions. Rows without evidence weigh nothing.
Before that each axis is divided by a power of its deviation over sentences: a few axes would
else decide most similarities (half-whitening was worth 0.6 to 8 points on every measure).
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import table_file
from dataset import Tokens, unit

FAMILY = "realmemory-static-1"
WHITENING = 0.5
SENTENCES = 3000  # of each language, to measure the deviations


def whiten(work: Path, pieces: list[str], rows: np.ndarray) -> np.ndarray:
    """Rows with calmer leading axes, and their lengths as trained."""
    lines = [
        (work / name).read_text("utf-8").split("\n")[:SENTENCES] for name in ("en.tsv", "ru.tsv")
    ]
    texts = [line.split("\t")[1] for part in lines for line in part]
    deviation = np.sqrt((unit(Tokens(pieces).counts(texts) @ rows) ** 2).mean(axis=0))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (unit(rows / deviation**WHITENING) * lengths).astype(np.float32)


def pack(pieces: list[str], rows: np.ndarray, family: str) -> bytes:
    lengths = np.linalg.norm(rows, axis=1)
    mean = lengths[lengths > 0].mean()
    directions = (rows / np.maximum(lengths, 1e-9)[:, None]).astype(np.float32)
    scales, codes = table_file.quantise(directions)
    weights = (lengths / mean).astype(np.float32)
    # The name holds a hash of everything that decides a vector.
    content = hashlib.sha256("\n".join(pieces).encode())
    for part in (weights, scales, codes):
        content.update(part.tobytes())
    name = f"{family}-{content.hexdigest()[:12]}"
    return table_file.write(table_file.Table(name, tuple(pieces), weights, scales, codes))


def main(work: Path, rows: Path, out: Path) -> None:
    pieces = (work / "vocabulary.txt").read_text("utf-8").split("\n")[:-1]
    data = pack(pieces, whiten(work, pieces, np.load(rows)), FAMILY)
    out.write_bytes(data)
    print(len(data), "bytes, sha256", hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:4]))
