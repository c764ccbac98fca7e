"""What a cold process pays: importing, opening a store, the first recall; and shared memory.

    python benches/startup.py --n 100000 --json startup.json

CPU milliseconds of whole processes, the median of several, beside `import numpy`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import corpus
from realmemory import Hippocampus

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


def cpu_ms(code, *arguments, repeat=5):
    """Return the median CPU time of fresh processes, milliseconds."""
    spent = []
    for _ in range(repeat):
        before = os.times()
        subprocess.run([sys.executable, "-c", code, *arguments], check=True)
        after = os.times()
        spent.append(
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
    return statistics.median(spent) * 1e3


def fill(path, count):
    """Write a store of ``count`` sentences and return the CPU seconds that it took."""
    start = time.process_time()
    with Hippocampus.open(path) as memory:
        sentences = corpus.texts(count)
        for at in range(0, count, 2_000):
            memory.remember_many(sentences[at : at + 2_000])
        memory.consolidate()
    return time.process_time() - start


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


def measure(path, count):
    result = {"rows": count, "fill_cpu_s": round(fill(path, count), 1)}
    numpy = cpu_ms("import numpy")
    result["import_numpy_cpu_ms"] = numpy
    result["bare_python_cpu_ms"] = cpu_ms("pass")
    result["import_realmemory_cpu_ms"] = cpu_ms("import realmemory")
    result["first_recall_cpu_ms"] = cpu_ms(_RECALL, str(path), "read-only")
    for file in (path / "index").iterdir():
        file.unlink()
    result["first_recall_without_snapshot_cpu_ms"] = cpu_ms(_RECALL, str(path), "ro", repeat=1)
    subprocess.run([sys.executable, "-c", _RECALL, str(path)], check=True)
    result["first_recall_x_import_numpy"] = result["first_recall_cpu_ms"] / numpy
    result["database_mb"] = (path / "memory.db").stat().st_size / 1e6
    result["snapshot_mb"] = sum(f.stat().st_size for f in (path / "index").iterdir()) / 1e6
    if Path("/proc/self/smaps_rollup").exists():
        result["pss_mib_one"] = shared_pages(path, 1)
        result["pss_mib_five"] = shared_pages(path, 5)
    return {name: round(value, 2) for name, value in result.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path, help="append the table to this file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder) / "memory", args.n)
    lines = ["### Start-up and memory", "", "| figure | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in result.items()]
    print("\n".join(lines))
    if args.json:
        args.json.write_text(json.dumps(result, indent=2))
    if args.markdown:
        with args.markdown.open("a", encoding="utf-8") as out:
            out.write("\n".join([*lines, ""]) + "\n")


if __name__ == "__main__":
    main()
