"""Recall, votes and memory of the voting index against the exact scan, over the size of the store.

    python benches/voting.py                       # made-up texts
    python benches/voting.py --texts FILE --n 10000 40000   # one text a line

Prints, for each size, the share of the exact ten nearest rows that are among the first 64, 256 and
1,024 by votes, the milliseconds of encoding and voting, and the bytes held per row.
"""

import argparse
import random
import time
from pathlib import Path

import numpy as np

from realmemory.core.hashing import HashingEncoder
from realmemory.core.sdr import SdrEncoder
from realmemory.core.voting import VotingIndex

CANDIDATES = (64, 256, 1024)
QUERIES = 100


def made_up(count: int) -> list[str]:
    """Texts about a few hundred topics, so that rows have neighbours."""
    chance = random.Random(7)
    words = ["".join(chance.choices("aeioubdfgklmnprst", k=6)) for _ in range(4_000)]
    topics = [chance.sample(words, 25) for _ in range(300)]
    return [
        " ".join(chance.sample(chance.choice(topics), 7) + chance.sample(words, 3))
        for _ in range(count)
    ]


def measure(vectors: np.ndarray, queries: np.ndarray, *, weighted: bool) -> str:
    encoder = SdrEncoder(vectors.shape[1])
    index = VotingIndex(encoder.units)
    index.upsert(range(len(vectors)), encoder.encode(vectors))
    found = dict.fromkeys(CANDIDATES, 0)
    spent = 0.0
    for query in queries:
        nearest = set(np.argsort(-(vectors @ query), kind="stable")[:10].tolist())
        begin = time.process_time()
        votes = index.query(encoder.encode(query[None])[0], max(CANDIDATES), weighted=weighted)
        spent += time.process_time() - begin
        for count in CANDIDATES:
            found[count] += len(nearest.intersection(trace for trace, _ in votes[:count]))
    shares = "  ".join(f"@{count} {hits / 10 / len(queries):.3f}" for count, hits in found.items())
    bytes_per_row = index.heap_bytes() / len(vectors)
    return f"{shares}  {spent / len(queries) * 1e3:6.2f} ms  {bytes_per_row:5.0f} bytes a row"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=Path, help="one text a line")
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 10_000, 40_000])
    parser.add_argument("--dim", type=int, default=512)
    options = parser.parse_args()
    most = max(options.n) + QUERIES
    texts = options.texts.read_text().splitlines() if options.texts else made_up(most)
    random.Random(1).shuffle(texts)
    vectors = HashingEncoder(options.dim).encode(texts[:most])
    queries, rows = vectors[:QUERIES], vectors[QUERIES:]
    print(f"recall of the exact ten nearest, hashing embedder, {options.dim} dimensions")
    for count in options.n:
        for weighted in (False, True):
            label = "by rarity" if weighted else "plain"
            print(f"{count:8} {label:10}", measure(rows[:count], queries, weighted=weighted))


if __name__ == "__main__":
    main()
