"""The exact scan beside what a user would pick instead.

    python benches/peers.py --n 100000 --dim 384 --json peers.json

Every engine holds the same vectors in one process and answers the same held-out queries,
interleaved query by query, on one thread; `OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2` gives two to
each. Answers are checked before anything is timed. Times are medians of CPU and of wall time;
trust the ratios.

`--data` picks the vectors: `text` (real sentences through the default embedder), `clustered`
(synthetic, flatters everything that prunes), `anisotropic` (the text vectors with a large common
part, as E5 has them), `random` and `equal` (the worst cases of a scan that prunes).
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

import engines  # before numpy: it sets the number of threads

# isort: split
import numpy as np

import corpus

BATCH = 32
CHECKED = 20
"""Queries whose answers are compared with brute force."""


def build(vectors, names, limit):
    """Yield every engine that is installed, with the CPU seconds that building it took."""
    start = time.process_time()
    index = engines.realmemory(vectors)
    cost = time.process_time() - start
    yield "realmemory", engines.Plain(index), cost
    yield "realmemory_filtered", engines.Filtered(index), cost
    for name in names:
        if name in engines.BUILT_SLOWLY and len(vectors) > limit:
            continue
        start = time.process_time()
        try:
            engine = engines.PEERS[name](vectors)
        except (ImportError, AttributeError, OSError) as error:
            print(f"{name}: left out ({error})")
            continue
        yield name, engine, time.process_time() - start


def truth(vectors, queries):
    """Return all scores of all queries by f64 brute force, shape (queries, rows)."""
    wide = queries.astype(np.float64).T
    parts = [
        vectors[at : at + 20_000].astype(np.float64) @ wide for at in range(0, len(vectors), 20_000)
    ]
    return np.concatenate(parts).T


def check(made, scores, queries, k):
    """Return the mean recall of each engine; exact ones must find all but ties in f32."""
    recall = {name: [] for name, _, _ in made}
    for query, all_scores in zip(queries, scores, strict=True):
        worst = np.partition(all_scores, -k)[-k]
        for name, engine, _ in made:
            if name == "realmemory_filtered":
                continue
            found = np.asarray(engine.search(query, k), np.int64)
            assert len(set(found.tolist())) == k, f"{name} returned {len(found)} rows"
            recall[name].append(float(np.mean(all_scores[found] >= worst - 1e-6)))
            assert not engine.exact or recall[name][-1] == 1.0, f"{name} is not exact"
    return {name: float(np.mean(values)) if values else 1.0 for name, values in recall.items()}


def spent(action):
    """Return CPU and wall milliseconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time_ns()
    action()
    return (time.process_time_ns() - cpu) / 1e6, (time.perf_counter() - wall) * 1e3


def measure(made, queries, k):
    """Time every engine on every query, interleaved; milliseconds."""
    times = {name: [] for name, _, _ in made}
    for query in queries:
        for name, engine, _ in made:
            times[name].append(spent(lambda e=engine, q=query: e.search(q, k)))
    return {name: np.array(values) for name, values in times.items()}


def measure_batches(made, queries, k):
    """Return CPU milliseconds a query of engines that answer several in one pass."""
    able = [(name, engine) for name, engine, _ in made if hasattr(engine, "search_many")]
    able = [(name, engine) for name, engine in able if name != "realmemory_filtered"]
    times = {name: [] for name, _ in able}
    for at in range(0, len(queries) - BATCH + 1, BATCH):
        part = np.ascontiguousarray(queries[at : at + BATCH])
        for name, engine in able:
            cpu, _ = spent(lambda e=engine, q=part: e.search_many(q, k))
            times[name].append(cpu / BATCH)
    return {name: float(np.median(values)) for name, values in times.items() if values}


def report(made, recall, times, batches):
    """Return one record an engine."""
    result = {}
    for name, engine, cost in made:
        cpu, wall = times[name].T
        record = {
            "cpu_ms_p50": round(float(np.median(cpu)), 4),
            "cpu_ms_min": round(float(cpu.min()), 4),
            "wall_ms_p50": round(float(np.median(wall)), 4),
            "exact": engine.exact,
            "recall": round(recall[name], 4),
            "build_cpu_s": round(cost, 2),
        }
        if isinstance(engine, engines.Plain):
            work = [found.work for found in engine.found[-len(cpu) :]]
            size = work[0].rows
            for key in ("refined", "rescored"):
                record[f"{key}_share"] = float(np.mean([getattr(w, key) for w in work]) / size)
            record["bytes_per_row"] = float(np.mean([w.bytes for w in work]) / size)
        if name in batches:
            record["cpu_ms_in_batch"] = round(batches[name], 4)
        result[name] = record
    ours = result["realmemory"]
    for record in result.values():
        record["times_realmemory"] = round(record["cpu_ms_p50"] / ours["cpu_ms_p50"], 2)
        record["times_realmemory_min"] = round(record["cpu_ms_min"] / ours["cpu_ms_min"], 2)
    return result


def table(result, title, dim):
    """Return the records as lines of Markdown."""
    lines = [
        f"### {title}",
        "",
        (
            "| engine | CPU ms p50 | min | wall ms p50 | x realmemory p50 / min | recall | "
            "bytes a row | refined | rescored | in batches | build CPU s |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, r in sorted(result.items(), key=lambda item: item[1]["cpu_ms_p50"]):
        plain = ["-" if not r["exact"] else str(4 * dim), "", ""]
        work = plain
        if "bytes_per_row" in r:
            shares = (f"{r['refined_share']:.2%}", f"{r['rescored_share']:.3%}")
            work = [f"{r['bytes_per_row']:.0f}", *shares]
        batch = f"{r['cpu_ms_in_batch']:.3f}" if "cpu_ms_in_batch" in r else ""
        cells = [
            name,
            f"{r['cpu_ms_p50']:.3f}",
            f"{r['cpu_ms_min']:.3f}",
            f"{r['wall_ms_p50']:.3f}",
            f"{r['times_realmemory']:.1f} / {r['times_realmemory_min']:.1f}",
            f"{r['recall']:.3f}",
            *work,
            batch,
            f"{r['build_cpu_s']:.1f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def commit():
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


def vectors(args, count):
    """Return vectors for rows and queries."""
    if args.vectors:
        return corpus.spread(np.load(args.vectors)[:count], args.dim)
    if args.data in corpus.SYNTHETIC:
        return corpus.SYNTHETIC[args.data](count, args.dim)
    made = corpus.vectors(count, args.dim, args.texts)
    return corpus.anisotropic(made) if args.data == "anisotropic" else made


def run(args, n):
    """Return the records by k."""
    made = vectors(args, n + args.queries)
    # Held-out rows from all over the corpus, so that queries are like the rows.
    held = np.random.default_rng(7).permutation(len(made))
    queries, rows = made[held[: args.queries]], np.ascontiguousarray(made[held[args.queries :]])
    built = list(build(rows, args.peers, args.slow_limit))
    scores, results = truth(rows, queries[:CHECKED]), {}
    for k in args.k:
        recall = check(built, scores, queries[:CHECKED], k)
        times = measure(built, queries, k)
        batches = measure_batches(built, queries, k) if args.batches else {}
        results[k] = report(built, recall, times, batches)
    return results


def plot(results, path):
    """Draw CPU time over the number of rows."""
    import matplotlib as mpl  # noqa: PLC0415 - only for the plot

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - only for the plot

    figure, axes = plt.subplots()
    first = {n: next(iter(by_k.values())) for n, by_k in results.items()}
    for name in sorted({name for result in first.values() for name in result}):
        points = [(n, result[name]["cpu_ms_p50"]) for n, result in first.items() if name in result]
        axes.loglog(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xlabel="rows", ylabel="CPU ms, median", title="Exact top k by cosine")
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def save(results, path):
    """Write the records, without levels that have one member only."""
    found = {
        n: next(iter(by_k.values())) if len(by_k) == 1 else by_k for n, by_k in results.items()
    }
    last = next(iter(found.values())) if len(found) == 1 else found
    path.write_text(
        json.dumps({**{str(k): v for k, v in last.items()}, "commit": commit()}, indent=2)
    )


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=[100_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--k", type=int, nargs="+", default=[10])
    parser.add_argument("--queries", type=int, default=100)
    data = ["text", "anisotropic", *corpus.SYNTHETIC]
    parser.add_argument("--data", choices=data, default="text")
    parser.add_argument("--texts", type=Path, help="a file with one text a line")
    parser.add_argument("--vectors", type=Path, help="a .npy file of vectors instead of texts")
    parser.add_argument("--batches", action="store_true", help=f"also {BATCH} queries at a time")
    names = list(engines.PEERS)
    parser.add_argument("--peers", nargs="*", default=names, choices=names)
    parser.add_argument("--slow-limit", type=int, default=20_000, help="rows for slow builders")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path, help="append the tables to this file")
    parser.add_argument("--plot", type=Path)
    return parser.parse_args()


def main():
    args = options()
    results = {}
    for n in args.n:
        results[n] = run(args, n)
        for k, result in results[n].items():
            source = args.vectors.name if args.vectors else args.data
            title = (
                f"{n:,} rows, {args.dim} dimensions, top {k}, {source}, {engines.THREADS} thread(s)"
            )
            lines = table(result, title, args.dim)
            print("\n".join(lines), flush=True)
            if args.markdown:
                with args.markdown.open("a", encoding="utf-8") as out:
                    out.write("\n".join(lines) + "\n")
    if args.json:
        save(results, args.json)
    if args.plot:
        plot(results, args.plot)


if __name__ == "__main__":
    main()
