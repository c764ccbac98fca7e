"""The engines that `peers.py` compares, behind one method: `search(query, k)` returns row numbers."""

import math
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402 - after the number of threads is set

from realmemory.core.memory_index import MemoryIndex  # noqa: E402 - imports numpy
from realmemory.core.rows import RowAttributes, ScanFilter  # noqa: E402 - as above

THREADS = int(os.environ["OMP_NUM_THREADS"])
"""Threads of every engine."""

NOW = 1.7e9
DAY = 86_400.0


def rows(count):
    """Return attributes like those of a store in use: four scopes, two kinds, two months."""
    rng = np.random.default_rng(1)
    return RowAttributes.of(
        scopes=rng.integers(0, 4, count),
        kinds=rng.integers(0, 2, count),
        statuses=np.zeros(count),
        flags=rng.random(count) < 0.02,
        base=rng.choice([0.5, 0.5, 0.625, 0.78, 1.0], count),
        last=NOW - rng.random(count) * 60 * DAY,
        valid_from=np.zeros(count),
        valid_until=np.full(count, math.inf),
        observed_at=NOW - rng.random(count) * 100 * DAY,
    )


def realmemory(vectors):
    index, attributes = MemoryIndex(vectors.shape[1]), rows(len(vectors))
    for start in range(0, len(vectors), 10_000):
        part = slice(start, start + 10_000)
        columns = {
            name: getattr(attributes, name)[part] for name in RowAttributes.__dataclass_fields__
        }
        ids = np.arange(len(vectors))[part]
        index.upsert(ids, vectors[part], [""] * len(ids), RowAttributes(**columns))
    index.optimize()
    index.threads = THREADS
    return index


class Plain:
    """Ordered by cosine alone, every row visible: what the peers do."""

    exact = True

    def __init__(self, index):
        self.index = index
        self.found = []
        self.chosen = ScanFilter(now=NOW)

    def search(self, query, k):
        found = self.index.topk(query, k, self.chosen, by_cosine=True)
        self.found.append(found)
        return found.ids

    def search_many(self, queries, k):
        return [
            found.ids for found in self.index.topk_many(queries, k, self.chosen, by_cosine=True)
        ]


class Filtered(Plain):
    """Three of four scopes, retention in the score, a retention floor: what recall does."""

    exact = True

    def __init__(self, index):
        super().__init__(index)
        taus = (30 * DAY, 365 * DAY, math.inf)
        self.chosen = ScanFilter(now=NOW, scopes=(0, 1, 2), min_retention=0.05, taus=taus)

    def search(self, query, k):
        found = self.index.topk(query, k, self.chosen)
        self.found.append(found)
        return found.ids


class Numpy:
    exact = True

    def __init__(self, vectors):
        self.vectors = vectors

    def search(self, query, k):
        scores = self.vectors @ query
        best = np.argpartition(scores, -k)[-k:]
        return best[np.argsort(-scores[best])]

    def search_many(self, queries, k):
        scores = queries @ self.vectors.T
        best = np.argpartition(scores, -k, axis=1)[:, -k:]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
        return list(np.take_along_axis(best, order, axis=1))


class Faiss:
    exact = True

    def __init__(self, vectors):
        import faiss  # noqa: PLC0415 - a peer that may be missing

        faiss.omp_set_num_threads(THREADS)
        self.index = faiss.IndexFlatIP(vectors.shape[1])
        self.index.add(vectors)

    def search(self, query, k):
        return self.index.search(query[None], k)[1][0]


class Usearch:
    exact = True

    def __init__(self, vectors):
        from usearch.index import search  # noqa: PLC0415 - a peer that may be missing

        self.find, self.vectors = search, vectors

    def search(self, query, k):
        return self.find(self.vectors, query, k, "ip", exact=True, threads=THREADS).keys


class SqliteVec:
    exact = True

    def __init__(self, vectors):
        import sqlite3  # noqa: PLC0415 - only for this peer

        import sqlite_vec  # noqa: PLC0415 - a peer that may be missing

        self.connection = sqlite3.connect(":memory:")
        self.connection.enable_load_extension(True)
        sqlite_vec.load(self.connection)
        self.connection.execute(
            f"CREATE VIRTUAL TABLE v USING vec0(e float[{vectors.shape[1]}] distance_metric=cosine)"
        )
        pairs = ((at, vector.tobytes()) for at, vector in enumerate(vectors))
        self.connection.executemany("INSERT INTO v(rowid, e) VALUES (?, ?)", pairs)

    def search(self, query, k):
        found = self.connection.execute(
            "SELECT rowid FROM v WHERE e MATCH ? AND k = ? ORDER BY distance", (query.tobytes(), k)
        )
        return np.array([row[0] for row in found])


class Hnswlib:
    exact = False

    def __init__(self, vectors):
        import hnswlib  # noqa: PLC0415 - a peer that may be missing

        self.index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        self.index.init_index(max_elements=len(vectors), ef_construction=200, M=16)
        self.index.set_num_threads(THREADS)
        self.index.add_items(vectors)
        self.index.set_ef(64)

    def search(self, query, k):
        return self.index.knn_query(query, k)[0][0]


class Chroma:
    exact = False

    def __init__(self, vectors):
        import chromadb  # noqa: PLC0415 - a peer that may be missing

        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.EphemeralClient(settings)
        self.collection = client.create_collection(
            f"v{len(vectors)}", metadata={"hnsw:space": "ip"}, embedding_function=None
        )
        for start in range(0, len(vectors), 5_000):
            part = vectors[start : start + 5_000]
            ids = [str(start + at) for at in range(len(part))]
            self.collection.add(ids=ids, embeddings=part)

    def search(self, query, k):
        found = self.collection.query(query_embeddings=[query], n_results=k, include=[])
        return np.array([int(item) for item in found["ids"][0]])


PEERS = {
    "numpy": Numpy,
    "faiss_flat": Faiss,
    "usearch_exact": Usearch,
    "sqlite_vec": SqliteVec,
    "hnswlib": Hnswlib,
    "chromadb": Chroma,
}
BUILT_SLOWLY = {"hnswlib", "chromadb"}
