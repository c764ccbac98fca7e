"""Start-up, memory and the hot paths of one store: what a process pays from its first moment on.

    python benches/startup.py --n 100000 --json startup.json
    python benches/startup.py --n 100000 --at /var/tmp/bench-store    # keep the store for later

CPU milliseconds; those of whole processes are medians over fresh ones, beside `import numpy`.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import corpus
import stores
from realmemory import Hippocampus
from realmemory.encoding.native import NativeEmbedder
from realmemory.encoding.static import PROFILE, shipped_encoder

_RECALL = """
import sys
from realmemory import Hippocampus
with Hippocampus.open(sys.argv[1], read_only=len(sys.argv) > 2) as memory:
    memory.recall("which thread holds the lock", all_scopes=True)
"""
_HOLD = """
import sys, pathlib
from realmemory import Hippocampus
memory = Hippocampus.open(sys.argv[1], read_only=True)
for query in ("lock", "parser of dates", "open a file", "thread", "encoding of names"):
    memory.recall(query, all_scopes=True)
print("ready", flush=True)
sys.stdin.read()
"""
_WRITE = """
import sys
from realmemory import Hippocampus
with Hippocampus.open(sys.argv[1]) as memory:
    for number in range(10):
        memory.remember(f"Visitor {sys.argv[2]} saw ship number {number} of the fleet")
"""
_ALONE = 40


def cpu_ms(code, *arguments, repeat=9):
    """Return the median CPU time of fresh processes, milliseconds.

    They find byte code beside the sources, as those of an installed package do.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code, *arguments]
    spent = []
    for _ in range(1 + repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(spent[1:]) * 1e3


def shared_pages(path, processes):
    """Return the proportional set size of processes on one store, MiB in total."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(processes)
    ]
    for process in running:
        process.stdout.readline()
    total = 0
    for process in running:
        for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    for process in running:
        process.communicate()
    return total / 1024


def processes(path):
    """Measure fresh processes on a store."""
    numpy = cpu_ms("import numpy")
    result = {
        "import_numpy_cpu_ms": numpy,
        "bare_python_cpu_ms": cpu_ms("pass"),
        "import_realmemory_cpu_ms": cpu_ms("import realmemory"),
        "first_recall_cpu_ms": cpu_ms(_RECALL, str(path), "read-only"),
    }
    result["first_recall_x_import_numpy"] = result["first_recall_cpu_ms"] / numpy
    if Path("/proc/self/smaps_rollup").exists():
        result["pss_mib_one"] = shared_pages(path, 1)
        result["pss_mib_five"] = shared_pages(path, 5)
        result["pss_five_x_one"] = result["pss_mib_five"] / result["pss_mib_one"]
    result["database_mb"] = (path / "memory.db").stat().st_size / 1e6
    result["snapshot_mb"] = sum(f.stat().st_size for f in (path / "index").iterdir()) / 1e6
    hidden = path / "index-hidden"
    (path / "index").rename(hidden)
    try:
        alone = cpu_ms(_RECALL, str(path), "read-only", repeat=1)
    finally:
        shutil.rmtree(path / "index", ignore_errors=True)
        hidden.rename(path / "index")
    result["first_recall_without_snapshot_cpu_ms"] = alone
    return result


def timed(action, items):
    """Return the median CPU time of an action over items, milliseconds."""
    spent = []
    for item in items:
        start = time.process_time()
        action(item)
        spent.append((time.process_time() - start) * 1e3)
    return statistics.median(spent)


def recalls(memory, asked):
    """Measure recalls by kind."""
    memory.recall("warm up", all_scopes=True)
    result = {}
    for name, options in (
        ("all_scopes", {"all_scopes": True}),
        ("global", {}),
        ("scope", {"scope": "alpha"}),
    ):
        result[name] = timed(lambda query, options=options: memory.recall(query, **options), asked)
    result["abstains"] = timed(lambda number: memory.recall(f"zzqx{number} vvkw"), range(_ALONE))
    return result


def hot_paths(path):
    """Measure one open memory: recalls by kind, writes, catching up, sleep."""
    asked = [" ".join(text.split()[:9]) for text in corpus.texts(400)[::4]]
    pool = corpus.texts(12_000)[-2_000:]
    # The same vectors from an embedder that has none of single words.
    wordless = NativeEmbedder(shipped_encoder(), PROFILE)
    with Hippocampus.open(path, read_only=True, embedder=wordless) as memory:
        found = recalls(memory, asked)
        result = {f"recall_{name}_without_late_interaction_cpu_ms": found[name] for name in found}
    with Hippocampus.open(path) as memory:
        found = recalls(memory, asked)
        result |= {f"recall_{name}_cpu_ms": found[name] for name in found}
        result["stages_ms"] = stages(memory, asked)
        fresh = [f"{text} Seen by visitor {number}." for number, text in enumerate(pool)]
        result["remember_cpu_ms"] = timed(memory.remember, fresh[:_ALONE])
        result["commit_cpu_ms"] = timed(lambda _: commit(memory), range(_ALONE))
        start = time.process_time()
        memory.remember_many(fresh[_ALONE : _ALONE + 512])
        result["batch_texts_per_cpu_s"] = 512 / (time.process_time() - start)
        turns = [{"text": text, "speaker": "Ann"} for text in fresh[-512:]]
        start = time.process_time()
        memory.store_conversation(turns, session_id="bench")
        result["turns_per_cpu_s"] = 512 / (time.process_time() - start)
        result["catch_up_10_cpu_ms"] = statistics.median(
            catch_up(memory, path, turn) for turn in range(3)
        )
        result["sleep_cpu_ms"] = timed(lambda _: memory.consolidate(), range(1))
        for number in range(10):
            memory.remember(f"Sailor number {number} mends the net of boat {number}")
        before = resident_mib()
        result["sleep_after_10_cpu_ms"] = timed(lambda _: memory.consolidate(), range(1))
        result["sleep_after_10_grows_mib"] = resident_mib() - before
    return result


def commit(memory):
    """Change one row and commit it durably: what no write can do without."""
    with memory.context.store.write() as tx:
        tx.meta.set("bench", time.time())


def catch_up(memory, path, turn):
    """Have another process write ten texts and return the CPU time of following it, ms."""
    subprocess.run([sys.executable, "-c", _WRITE, str(path), str(turn)], check=True)
    with memory.context.store.read() as view:
        start = time.process_time()
        memory.context.index.refresh(view)
        return (time.process_time() - start) * 1e3


def resident_mib():
    """Return the resident memory of this process (Linux)."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) / 256 if statm.exists() else 0.0


def stages(memory, asked):
    """Return the median wall time of each stage of a recall, milliseconds."""
    seen = {}
    for query in asked:
        for name, spent in memory.recall(query, explain=True).explanation["timings_ms"].items():
            seen.setdefault(name, []).append(spent)
    return {name: round(statistics.median(values), 3) for name, values in seen.items()}


def measure(path, count):
    """Build a store where there is none and measure everything on a copy of it."""
    result = {"rows": count, "build_cpu_s": stores.build(path, count)}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / "memory"
        shutil.copytree(path, copy)
        result |= processes(copy)
        result |= hot_paths(copy)
    return {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in result.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--at", type=Path, help="where the store is, or is to be kept")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path, help="append the table to this file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(args.at or Path(folder) / "memory", args.n)
    lines = [
        f"### Start-up, memory and hot paths, {args.n:,} rows",
        "",
        "| figure | value |",
        "|---|---|",
    ]
    lines += [f"| {name} | {value} |" for name, value in result.items()]
    print("\n".join(lines))
    if args.json:
        args.json.write_text(json.dumps(result, indent=2))
    if args.markdown:
        with args.markdown.open("a", encoding="utf-8") as out:
            out.write("\n".join([*lines, ""]) + "\n")


if __name__ == "__main__":
    main()
