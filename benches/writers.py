"""Eight processes write at once: our write transaction beside plain `BEGIN IMMEDIATE`.

    python benches/writers.py --writers 8 --seconds 10 --rounds 5 --folder /var/tmp

One transaction reads three rows, inserts a row with a vector of 384 bytes and its keywords, appends
an event and raises a counter, durably (`synchronous=FULL`, WAL). Beside the writers one process
reads in a loop, and one, the consolidator, changes a tenth of the rows each second and keeps the
lock for another 100 ms. Three sides take turns:

* `plain`: SQLite alone, `BEGIN IMMEDIATE` with a busy timeout of 30 s, as most programs use it;
* `store`: the same transaction through our store, with its queue, row hashes and checks;
* `memory`: all of `remember` and `recall`, so with model, screen, gate and graph; its consolidator
  sleeps as well.

``--sync-ms`` makes every sync of either side wait that much longer, as disks do that are not a virtual
machine's cache: where a sync costs next to nothing, the few writers that keep SQLite's lock write so
often that the others' waits vanish behind the hundredth.

What counts is the ratio to plain: how long the slowest hundredth of all writes takes, how long the
longest write of the median writer takes (over all writes, a writer that keeps the lock hides those
whom it keeps waiting), and how far the busiest writer is ahead of the slowest.
"""

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import apsw

import corpus
from realmemory import Hippocampus
from realmemory.errors import RealMemoryError
from realmemory.store import Store
from realmemory.store.lock import WriteLock
from realmemory.store.records import NewTrace
from realmemory.store.search import any_of
from realmemory.types import Status

_VECTOR = 384
_ROWS = 200
"""Rows that are there when the writers begin."""
_EXTRA_HOLD_S = 0.1
_SCHEMA = """
CREATE TABLE facts (
  id INTEGER PRIMARY KEY, text TEXT, scope TEXT, strength REAL, at REAL, vector BLOB
);
CREATE VIRTUAL TABLE terms USING fts5(text, content='');
CREATE TABLE events (seq INTEGER PRIMARY KEY, at REAL, type TEXT, data TEXT);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER);
INSERT INTO counters VALUES ('writes', 0);
"""


class SlowFile(apsw.VFSFile):
    """A file whose syncs take longer than this machine's disk needs."""

    wait_s = 0.0

    def xSync(self, flags):  # noqa: N802, the name is SQLite's
        time.sleep(self.wait_s)
        super().xSync(flags)


class SlowDisk(apsw.VFS):
    """SQLite's own files, with slow syncs; both sides run on it."""

    def __init__(self, sync_ms):
        SlowFile.wait_s = sync_ms / 1e3
        self.base = apsw.vfs_names()[0]
        super().__init__("slow", self.base, makedefault=True)

    def xOpen(self, name, flags):  # noqa: N802, the name is SQLite's
        return SlowFile(self.base, name, flags)


def longest_word(text):
    """Return what a reader asks for."""
    return max(text.split(), key=len)


class Plain:
    """SQLite alone."""

    def __init__(self, folder):
        self.connection = apsw.Connection(str(Path(folder) / "plain.db"))
        self.connection.set_busy_timeout(30_000)
        self.connection.pragma("journal_mode", "wal")
        self.connection.pragma("synchronous", 2)
        self.held = []
        self.last = _ROWS

    def prepare(self, texts):
        self.connection.execute(_SCHEMA)
        for text in texts:
            self.write(text)

    @contextmanager
    def _transaction(self):
        self.connection.execute("BEGIN IMMEDIATE")
        began = time.perf_counter()
        yield self.connection.execute
        self.connection.execute("COMMIT")
        self.held.append(time.perf_counter() - began)

    def write(self, text):
        with self._transaction() as run:
            for known in random.choices(range(1, self.last + 1), k=3):
                run("SELECT * FROM facts WHERE id = ?", (known,)).fetchall()
            self.last = run(
                "INSERT INTO facts (text, scope, strength, at, vector)"
                " VALUES (?, 'global', 1, ?, ?) RETURNING id",
                (text, time.time(), random.randbytes(_VECTOR)),
            ).get
            run("INSERT INTO terms (rowid, text) VALUES (?, ?)", (self.last, text))
            run("INSERT INTO events (at, type, data) VALUES (?, 'write', '{}')", (time.time(),))
            run("UPDATE counters SET value = value + 1 WHERE name = 'writes'")

    def read(self, text):
        run, found = self.connection.execute, "SELECT rowid FROM terms WHERE terms MATCH ? LIMIT 10"
        for row in run(found, (any_of([longest_word(text)]),)).fetchall():
            run("SELECT * FROM facts WHERE id = ?", row).fetchall()

    def consolidate(self):
        with self._transaction() as run:
            run("UPDATE facts SET strength = strength * 0.99 WHERE id % 10 = 0")
            time.sleep(_EXTRA_HOLD_S)

    def close(self):
        self.connection.close()


class Ours:
    """What both of our sides have: the store, and how long its lock is held."""

    def _watch(self):
        self.held = []
        self.last = _ROWS
        take, give, began = WriteLock.acquire, WriteLock.release, []

        def acquire(lock, timeout):
            take(lock, timeout)
            if lock.path.stem == "write":
                began[:] = [time.perf_counter()]

        def release(lock):
            if lock.path.stem == "write":
                self.held.append(time.perf_counter() - began[0])
            give(lock)

        WriteLock.acquire, WriteLock.release = acquire, release

    def consolidate(self):
        with self.store.write() as tx:
            every = range(10, tx.traces.count(Status.ACTIVE) + 1, 10)
            tx.traces.set_dynamics(
                one._replace(base_strength=one.base_strength * 0.99)
                for one in tx.traces.dynamics(every).values()
            )
            time.sleep(_EXTRA_HOLD_S)


class OurStore(Ours):
    """The same transaction through the store."""

    def __init__(self, folder):
        self._watch()
        self.store = Store.open(Path(folder))
        with self.store.write() as tx:
            self.space = tx.spaces.id_of("random", _VECTOR // 4)

    def prepare(self, texts):
        for text in texts:
            self.write(text)

    def write(self, text):
        with self.store.write() as tx:
            tx.traces.get_many(random.choices(range(1, self.last + 1), k=3))
            self.last = tx.traces.insert(
                NewTrace(
                    text=text,
                    terms=text,
                    scope="global",
                    embedding=random.randbytes(_VECTOR),
                    space_id=self.space,
                )
            )
            tx.journal.append("write", {"id": self.last})
            tx.meta.add("writes", 1)

    def read(self, text):
        with self.store.read() as view:
            hits = view.search.find(any_of([longest_word(text)]), limit=10)
            view.traces.get_many(hit.id for hit in hits)

    def close(self):
        self.store.close()


class OurMemory(Ours):
    """All of `remember` and `recall`."""

    def __init__(self, folder):
        self._watch()
        self.memory = Hippocampus.open(Path(folder))
        self.store = self.memory.context.store

    def prepare(self, texts):
        self.memory.remember_many(texts)

    def write(self, text):
        self.last = self.memory.remember(text).memory_id

    def read(self, text):
        self.memory.recall(text)

    def consolidate(self):
        self.memory.consolidate()
        super().consolidate()

    def close(self):
        self.memory.close()


SIDES = {"plain": Plain, "store": OurStore, "memory": OurMemory}
READER, CONSOLIDATOR = "reader", "consolidator"


def endless(texts):
    """Yield texts for ever, numbered from the second time on: a quick disk takes all of them."""
    for turn in itertools.count():
        for text in texts:
            yield f"{text} {turn}" if turn else text


def steps(side, role, texts, news, until):
    """Do what a role does until a moment, yielding after each step how long it took."""
    while (now := time.time()) < until:
        began = time.perf_counter()
        if role == READER:
            side.read(random.choice(texts))
        elif role == CONSOLIDATOR:
            side.consolidate()
        else:
            side.write(next(news))
        yield time.perf_counter() - began
        if role == CONSOLIDATOR:
            time.sleep(max(0.0, now + 1 - time.time()))


def work(name, folder, role, seconds):
    """Play one role from the moment that is told on standard input, and print what it saw."""
    given = json.loads(sys.stdin.readline())
    side, news = SIDES[name](folder), endless(given)
    # Nobody begins while another one is still loading.
    if role == READER:
        side.read(given[0])
    elif role != CONSOLIDATOR:
        side.write(next(news))
    print("ready", flush=True)
    start = float(sys.stdin.readline())
    time.sleep(max(0.0, start - time.time()))
    side.held.clear()
    took, errors = [], 0
    while time.time() < start + seconds:
        try:
            took.extend(steps(side, role, given, news, start + seconds))
        except (apsw.Error, RealMemoryError) as error:
            errors += 1
            print(f"{name} {role}: {error!r}", file=sys.stderr)
    side.close()
    json.dump({"role": role, "took": took, "held": side.held, "errors": errors}, sys.stdout)


def started(name, folder, roles, given, texts):
    """Start one process a role, each with texts of its own, and wait until all are ready."""
    words = [sys.executable, __file__, "--seconds", str(given.seconds)]
    words += ["--sync-ms", str(given.sync_ms)]
    processes = [
        subprocess.Popen(
            [*words, "--work", name, folder, role],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for role in roles
    ]
    for at, process in enumerate(processes):
        process.stdin.write(json.dumps(texts[at :: len(roles)]) + "\n")
        process.stdin.flush()
    for process in processes:
        process.stdout.readline()
    return processes


def measured(name, given, texts):
    """Run all roles of one side and return what they saw."""
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        side = SIDES[name](folder)
        side.prepare(texts[:_ROWS])
        side.close()
        roles = [*map(str, range(given.writers)), READER, CONSOLIDATOR]
        processes = started(name, folder, roles, given, texts[_ROWS:])
        begin = f"{time.time() + 0.5}\n"
        for process in processes:
            process.stdin.write(begin)
            process.stdin.flush()
        told = [json.loads(process.communicate()[0]) for process in processes]
    return summary(told, given.seconds)


def summary(told, seconds):
    """Return the figures of one run."""
    writers = [one for one in told if one["role"].isdigit()]
    reads = next(one["took"] for one in told if one["role"] == READER)
    waited = [value for one in writers for value in one["took"]]
    counts = [len(one["took"]) for one in writers]
    return {
        "writes": len(waited),
        "errors": sum(one["errors"] for one in told),
        "p50_ms": percentile(waited, 0.5),
        "p99_ms": percentile(waited, 0.99),
        "longest_ms": max(waited) * 1e3,
        "median_writers_longest_ms": statistics.median(
            max(one["took"], default=seconds) * 1e3 for one in writers
        ),
        "slowest_to_fastest": min(counts) / max(counts),
        "held_p50_ms": percentile([v for one in writers for v in one["held"]], 0.5),
        "held_p99_ms": percentile([v for one in writers for v in one["held"]], 0.99),
        "median_writers_p99_ms": statistics.median(
            percentile(one["took"] or [seconds], 0.99) for one in writers
        ),
        "consolidators_longest_hold_ms": max(
            value for one in told if one["role"] == CONSOLIDATOR for value in one["held"]
        )
        * 1e3,
        "read_p99_ms": percentile(reads, 0.99),
        "consolidations": len(next(one["took"] for one in told if one["role"] == CONSOLIDATOR)),
    }


def percentile(values, share):
    """Return a percentile of seconds in milliseconds."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1e3


def table(rounds, given):
    """Print the median of every figure by side, and the ratios to plain."""
    names = list(next(iter(rounds.values()))[0])
    print(f"{given.writers} writers, {given.seconds:g} s, median of {given.rounds} rounds\n")
    print("| side | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for side, found in rounds.items():
        middle = (statistics.median(one[name] for one in found) for name in names)
        print(f"| {side} | " + " | ".join(f"{value:.4g}" for value in middle) + " |")
    for side in rounds.keys() - {"plain"} if "plain" in rounds else ():
        for name in ("p99_ms", "median_writers_p99_ms", "longest_ms", "median_writers_longest_ms"):
            ratios = [
                one[name] / other[name]
                for one, other in zip(rounds[side], rounds["plain"], strict=True)
            ]
            print(f"{side} to plain, {name}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios))


def main():
    """Measure the sides in turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sync-ms", type=float, default=0.0, help="how much longer a sync takes")
    parser.add_argument("--folder", help="where the stores are made; on a real disk")
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=list(SIDES))
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    # The VFS lives as long as this reference to it.
    disk = SlowDisk(given.sync_ms) if given.sync_ms else None
    if given.work:
        work(*given.work, given.seconds)
        return
    texts = corpus.texts(60_000)
    rounds = {side: [] for side in given.sides}
    for _ in range(given.rounds):
        for side in given.sides:
            rounds[side].append(measured(side, given, texts))
            print(f"<!-- {side} {json.dumps(rounds[side][-1])} -->", file=sys.stderr, flush=True)
    table(rounds, given)
    del disk


if __name__ == "__main__":
    main()
