"""The exact scan beside what a user would pick instead.

    python benches/peers.py --n 100000 --dim 384 --json peers.json

Every engine holds the same vectors in one process and answers the same held-out queries,
interleaved query by query, on one thread. Answers are checked before anything is timed. Times are
medians of CPU and of wall time; trust the ratios.
"""

import argparse
import json
import math
import os
import subprocess
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402 - after the number of threads is set

import corpus  # noqa: E402 - imports numpy
from realmemory.core.memory_index import MemoryIndex  # noqa: E402 - imports numpy
from realmemory.core.rows import RowAttributes, ScanFilter  # noqa: E402 - imports numpy

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
    return index


class Plain:
    """Ordered by cosine alone, every row visible: what the peers do."""

    exact = True

    def __init__(self, index):
        self.index = index
        self.work = []
        self.chosen = ScanFilter(now=NOW)

    def search(self, query, k):
        found = self.index.topk(query, k, self.chosen, by_cosine=True)
        self.work.append(found.work)
        return found.ids


class Filtered(Plain):
    """Three of four scopes, retention in the score, a retention floor: what recall does."""

    exact = True

    def __init__(self, index):
        super().__init__(index)
        taus = (30 * DAY, 365 * DAY, math.inf)
        self.chosen = ScanFilter(now=NOW, scopes=(0, 1, 2), min_retention=0.05, taus=taus)

    def search(self, query, k):
        found = self.index.topk(query, k, self.chosen)
        self.work.append(found.work)
        return found.ids


class Numpy:
    exact = True

    def __init__(self, vectors):
        self.vectors = vectors

    def search(self, query, k):
        scores = self.vectors @ query
        best = np.argpartition(scores, -k)[-k:]
        return best[np.argsort(-scores[best])]


class Faiss:
    exact = True

    def __init__(self, vectors):
        import faiss  # noqa: PLC0415 - a peer that may be missing

        faiss.omp_set_num_threads(1)
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
        return self.find(self.vectors, query, k, "ip", exact=True, threads=1).keys


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
        self.index.set_num_threads(1)
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
_BUILT_SLOWLY = {"hnswlib", "chromadb"}


def engines(vectors, names, limit):
    """Yield every engine that is installed, with the CPU seconds that building it took."""
    start = time.process_time()
    index = realmemory(vectors)
    cost = time.process_time() - start
    yield "realmemory", Plain(index), cost
    yield "realmemory_filtered", Filtered(index), cost
    for name in names:
        if name in _BUILT_SLOWLY and len(vectors) > limit:
            continue
        start = time.process_time()
        try:
            engine = PEERS[name](vectors)
        except (ImportError, AttributeError, OSError) as error:
            print(f"{name}: left out ({error})")
            continue
        yield name, engine, time.process_time() - start


def truth(vectors, query, k):
    """Return the best rows and the k-th best score by f64 brute force."""
    scores = vectors.astype(np.float64) @ query.astype(np.float64)
    best = np.argsort(-scores, kind="stable")[:k]
    return scores, scores[best[-1]]


def check(made, vectors, queries, k):
    """Return the mean recall of each engine; exact ones must find all but ties in f32."""
    recall = {name: [] for name, _, _ in made}
    for query in queries:
        scores, worst = truth(vectors, query, k)
        for name, engine, _ in made:
            if name == "realmemory_filtered":
                continue
            found = np.asarray(engine.search(query, k), np.int64)
            recall[name].append(float(np.mean(scores[found] >= worst - 1e-6)))
            assert not engine.exact or recall[name][-1] == 1.0, f"{name} is not exact"
    return {name: float(np.mean(values)) if values else 1.0 for name, values in recall.items()}


def measure(made, queries, k):
    """Time every engine on every query, interleaved; milliseconds."""
    times = {name: ([], []) for name, _, _ in made}
    for query in queries:
        for name, engine, _ in made:
            wall, cpu = time.perf_counter(), time.process_time_ns()
            engine.search(query, k)
            cpu, wall = time.process_time_ns() - cpu, time.perf_counter() - wall
            times[name][0].append(cpu / 1e6)
            times[name][1].append(wall * 1e3)
    return times


def report(made, recall, times):
    """Return one record an engine."""
    result = {}
    for name, engine, build in made:
        cpu, wall = (np.array(values) for values in times[name])
        record = {
            "cpu_ms_p50": round(float(np.median(cpu)), 4),
            "cpu_ms_min": round(float(cpu.min()), 4),
            "wall_ms_p50": round(float(np.median(wall)), 4),
            "exact": engine.exact,
            "recall": round(recall[name], 4),
            "build_cpu_s": round(build, 2),
        }
        if isinstance(engine, Plain):
            size = engine.work[0].rows
            record["rescored_share"] = float(np.mean([w.rescored for w in engine.work]) / size)
            record["refined_share"] = float(np.mean([w.refined for w in engine.work]) / size)
            record["bytes_per_row"] = float(np.mean([w.bytes for w in engine.work]) / size)
        result[name] = record
    ours = result["realmemory"]["cpu_ms_p50"]
    for record in result.values():
        record["times_realmemory"] = round(record["cpu_ms_p50"] / ours, 2)
    return result


def table(result, n, dim, k):
    """Return the records as lines of Markdown."""
    lines = [
        f"### {n:,} rows, {dim} dimensions, top {k}",
        "",
        "| engine | CPU ms p50 | min | wall ms p50 | x realmemory | recall | build CPU s |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, r in sorted(result.items(), key=lambda item: item[1]["cpu_ms_p50"]):
        lines.append(
            f"| {name} | {r['cpu_ms_p50']:.3f} | {r['cpu_ms_min']:.3f} | {r['wall_ms_p50']:.3f} | "
            f"{r['times_realmemory']:.1f} | {r['recall']:.3f} | {r['build_cpu_s']:.1f} |"
        )
    ours = result["realmemory"]
    lines += [
        "",
        (
            f"realmemory: {ours['bytes_per_row']:.0f} bytes read a row ({4 * dim} in f32), "
            f"{ours['refined_share']:.2%} refined, {ours['rescored_share']:.3%} rescored."
        ),
        "",
    ]
    return lines


def commit():
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def run(args, n):
    if args.synthetic:
        made = corpus.clustered(n + args.queries, args.dim)
    elif args.vectors:
        made = corpus.spread(np.load(args.vectors)[: n + args.queries], args.dim)
    else:
        made = corpus.vectors(n + args.queries, args.dim, args.texts)
    # Held-out rows from all over the corpus, so that queries are like the rows.
    held = np.random.default_rng(7).permutation(len(made))
    queries, vectors = made[held[: args.queries]], np.ascontiguousarray(made[held[args.queries :]])
    built = list(engines(vectors, args.peers, args.slow_limit))
    recall = check(built, vectors, queries[:20], args.k)
    return report(built, recall, measure(built, queries, args.k))


def plot(results, path):
    """Draw CPU time over the number of rows."""
    import matplotlib as mpl  # noqa: PLC0415 - only for the plot

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only for the plot

    figure, axes = plt.subplots()
    for name in sorted({name for result in results.values() for name in result}):
        points = [
            (n, result[name]["cpu_ms_p50"]) for n, result in results.items() if name in result
        ]
        axes.loglog(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xlabel="rows", ylabel="CPU ms, median", title="Top k by cosine, one thread")
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[100_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--texts", type=Path, help="a file with one text a line")
    parser.add_argument("--vectors", type=Path, help="a .npy file of vectors instead of texts")
    parser.add_argument("--synthetic", action="store_true", help="clusters instead of real text")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--slow-limit", type=int, default=20_000, help="rows for slow builders")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path, help="append the table to this file")
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    results = {}
    for n in args.n:
        results[n] = run(args, n)
        lines = table(results[n], n, args.dim, args.k)
        print("\n".join(lines))
        if args.markdown:
            with args.markdown.open("a", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")
    if args.json:
        last = results[args.n[-1]] if len(args.n) == 1 else {str(n): r for n, r in results.items()}
        args.json.write_text(json.dumps({**last, "commit": commit()}, indent=2))
    if args.plot:
        plot(results, args.plot)


if __name__ == "__main__":
    main()
