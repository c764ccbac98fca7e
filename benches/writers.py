"""Eight processes write at once: our write transaction beside plain `BEGIN IMMEDIATE`.

    python benches/writers.py --writers 8 --seconds 10

Both sides write the same rows, durably (`synchronous=FULL`, WAL). Plain SQLite waits by its busy
handler, the way most programs use it; ours queues. Both are measured in turns, and the ratio is
what counts: how long the slowest hundredth of all writes waits, how long the longest wait of the
median writer is (over all writes a writer that keeps the lock hides those whom it keeps waiting),
and how far the busiest writer is ahead of the slowest.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import apsw

from realmemory.store import Store
from realmemory.store.records import NewTrace

_TABLE = "CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, text TEXT, writer INTEGER)"


def ours(folder, writer, until):
    """Write one row a transaction until a moment; yield the seconds of each."""
    with Store.open(Path(folder)) as store:
        number = 0
        while time.time() < until:
            text = f"writer {writer} says {number}"
            started = time.perf_counter()
            with store.write() as tx:
                tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))
            yield time.perf_counter() - started
            number += 1


def plain(folder, writer, until):
    """Do the same through SQLite alone."""
    connection = apsw.Connection(str(Path(folder) / "plain.db"))
    connection.set_busy_timeout(30_000)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", 2)
    number = 0
    while time.time() < until:
        started = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "INSERT INTO facts (text, writer) VALUES (?, ?)",
            (f"writer {writer} says {number}", writer),
        )
        connection.execute("COMMIT")
        yield time.perf_counter() - started
        number += 1
    connection.close()


SIDES = {"realmemory": ours, "plain": plain}


def work(side, folder, writer, seconds):
    """Run one writer from the moment that is told on standard input, and print its latencies."""
    print("ready", flush=True)
    start = float(sys.stdin.readline())
    time.sleep(max(0.0, start - time.time()))
    waited, errors = [], 0
    steps = SIDES[side](folder, writer, start + seconds)
    while True:
        try:
            waited.append(next(steps))
        except StopIteration:
            break
        except Exception:  # noqa: BLE001 - an error is a result here
            errors += 1
            steps = SIDES[side](folder, writer, start + seconds)
    json.dump({"waited": waited, "errors": errors}, sys.stdout)


def answers(processes, line):
    """Tell every process a line and return what each prints."""
    for process in processes:
        process.stdin.write(line)
        process.stdin.flush()
    return [process.communicate()[0] for process in processes]


def measured(side, writers, seconds):
    """Run all writers of one side and return what they saw."""
    with tempfile.TemporaryDirectory() as folder:
        if side == "plain":
            connection = apsw.Connection(str(Path(folder) / "plain.db"))
            connection.pragma("journal_mode", "wal")
            connection.execute(_TABLE)
            connection.close()
        else:
            Store.open(Path(folder)).close()
        words = [sys.executable, __file__, "--work", side, folder]
        processes = [
            subprocess.Popen(
                [*words, str(number), str(seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
            for number in range(writers)
        ]
        # Nobody begins while another one is still importing.
        for process in processes:
            process.stdout.readline()
        start = time.time() + 0.5
        told = [json.loads(out) for out in answers(processes, f"{start}\n")]
    waited = sorted(value for one in told for value in one["waited"])
    counts = [len(one["waited"]) for one in told]
    longest = [max(one["waited"], default=seconds) for one in told]
    return {
        "writes": len(waited),
        "errors": sum(one["errors"] for one in told),
        "p50_ms": statistics.median(waited) * 1e3,
        "p99_ms": waited[int(len(waited) * 0.99)] * 1e3,
        "max_ms": waited[-1] * 1e3,
        "median_writers_max_ms": statistics.median(longest) * 1e3,
        "slowest_to_fastest": min(counts) / max(counts),
    }


def main():
    """Measure both sides in turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        side, folder, writer, seconds = given.work
        work(side, folder, int(writer), float(seconds))
        return
    rounds = {side: [] for side in SIDES}
    for _ in range(given.rounds):
        for side in SIDES:
            rounds[side].append(measured(side, given.writers, given.seconds))
    names = list(rounds["plain"][0])
    print(f"{given.writers} writers, {given.seconds:g} s, median of {given.rounds} rounds\n")
    print("| side | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    middle = {
        side: {name: statistics.median(one[name] for one in found) for name in names}
        for side, found in rounds.items()
    }
    for side, values in middle.items():
        print(f"| {side} | " + " | ".join(f"{values[name]:.4g}" for name in names) + " |")
    for name in ("p99_ms", "median_writers_max_ms"):
        print(
            f"\n{name}, realmemory to plain: {middle['realmemory'][name] / middle['plain'][name]:.3f}"
        )


if __name__ == "__main__":
    main()
