"""Stores for the benchmarks, built once and kept.

    python benches/stores.py --n 100000 --at /var/tmp/bench-store

Real sentences and the default embedder, without the gate, which is measured by itself.
"""

import argparse
import time
from pathlib import Path

import corpus
from realmemory import Hippocampus
from realmemory.core.text import fts_terms
from realmemory.store.records import NewTrace

_BATCH = 1_000
_SCOPES = ("global", "alpha", "beta", "gamma")


def build(path, count):
    """Write ``count`` sentences into a new store, put it to sleep and return the CPU seconds.

    A store that is there already is kept, and 0.0 is returned.
    """
    if (path / "memory.db").exists():
        return 0.0
    sentences = corpus.texts(count)
    start = time.process_time()
    with Hippocampus.open(path) as memory:
        for at in range(0, count, _BATCH):
            _insert(memory.context, sentences[at : at + _BATCH], at)
        # The index begins to follow the store, so that the sleep writes its snapshot.
        memory.recall("anything")
        memory.consolidate()
    return time.process_time() - start


def _insert(context, sentences, first):
    vectors = context.embedder.embed(sentences)
    with context.store.write() as tx:
        for at, (text, vector) in enumerate(zip(sentences, vectors, strict=True), first):
            tx.traces.insert(
                NewTrace(
                    text=text,
                    terms=fts_terms(text),
                    scope=_SCOPES[at % len(_SCOPES)],
                    space_id=context.space_id if vector.any() else None,
                    embedding=vector.tobytes() if vector.any() else None,
                )
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--at", type=Path, required=True)
    args = parser.parse_args()
    print(f"{args.n} rows at {args.at}, {build(args.at, args.n):.1f} CPU s")


if __name__ == "__main__":
    main()
