"""What a recall and a write wait for while another process sleeps, imports or takes a session in.

    python benches/company.py --n 10000 --folder /var/tmp

One process asks, one question after the other; the other one, in turns, does nothing, goes to sleep
again and again, imports as many facts as there are, or takes in a conversation of as many turns.
Asked for are the ratio of the slowest hundredth to that of a process alone, the longest recall, and
how long the other process held the write lock at a time. While a conversation is taken in, the first
process also writes, and every turn and every fact must be there in the end.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import corpus
import stores
from realmemory import Hippocampus
from realmemory.interop.transfer import export_file, import_file
from realmemory.store.lock import WriteLock

ROLES = ("sleep", "import", "conversation")
_SLEEPS = 10
_CHANGES = 20
_TURNS_A_CALL = 500
_WRITE_EVERY = 20
"""Questions between two writes beside a conversation."""
_IDLE_QUESTIONS = 400


@contextmanager
def watched_lock():
    """Yield a list that fills with the seconds for which this process holds the write lock."""
    take, give = WriteLock.acquire, WriteLock.release
    began, held = [0.0], []

    def acquire(lock, timeout):
        take(lock, timeout)
        if lock.path.stem == "write":
            began[0] = time.perf_counter()

    def release(lock):
        if lock.path.stem == "write":
            held.append(time.perf_counter() - began[0])
        give(lock)

    WriteLock.acquire, WriteLock.release = acquire, release
    try:
        yield held
    finally:
        WriteLock.acquire, WriteLock.release = take, give


def sleep(memory, texts, _source):
    """Go to sleep after some changes, again and again."""
    for at in range(_SLEEPS):
        memory.remember_many(texts[at * _CHANGES : (at + 1) * _CHANGES])
        memory.consolidate()


def take_in_file(memory, _texts, source):
    """Import a file."""
    import_file(memory, source)


def converse(memory, texts, _source):
    """Take in a long session."""
    for at in range(0, len(texts), _TURNS_A_CALL):
        turns = [{"text": text, "speaker": "Ann"} for text in texts[at : at + _TURNS_A_CALL]]
        memory.store_conversation(turns, session_id="long")


WORK = dict(zip(ROLES, (sleep, take_in_file, converse), strict=True))


def work(role, folder, source):
    """Play a role on the texts that are told on standard input, and print how the lock was held."""
    texts = json.loads(sys.stdin.readline())
    with watched_lock() as held, Hippocampus.open(Path(folder)) as memory:
        memory.recall(texts[0])
        print("ready", flush=True)
        sys.stdin.readline()
        held.clear()
        WORK[role](memory, texts, Path(source))
    json.dump(held, sys.stdout)


def started(role, folder, source, texts):
    """Start the other process and return it once it has loaded everything."""
    words = [sys.executable, __file__, "--work", role, str(folder), str(source)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    process = subprocess.Popen(words, **pipes)
    process.stdin.write(json.dumps(texts) + "\n")
    process.stdin.flush()
    process.stdout.readline()
    return process


def timed(action):
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1e3


def beside(memory, role, process, texts):
    """Ask, and beside a conversation write, until the other process has ended; milliseconds."""
    asked, wrote = [], []
    process.stdin.write("\n")
    process.stdin.flush()
    while process.poll() is None:
        asked.append(timed(lambda: memory.recall(random.choice(texts))))
        if role == "conversation" and len(asked) % _WRITE_EVERY == 0:
            fact = f"Ticket {len(wrote)} was closed by team {len(wrote) % 7}"
            wrote.append(timed(lambda fact=fact: memory.remember(fact, force_new=True)))
    held = [seconds * 1e3 for seconds in json.loads(process.stdout.read())]
    assert process.returncode == 0, f"{role} failed"
    return asked, wrote, held


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def line(role, alone, asked, wrote, held):
    """Print the figures of one role."""
    slowest = percentile(asked, 0.99)
    cells = [
        f"{len(asked)}",
        f"{percentile(asked, 0.5):.1f}",
        f"{slowest:.1f} ({slowest / alone:.1f} x alone)",
        f"{max(asked):.0f}",
        f"{percentile(held, 0.5):.1f} / {percentile(held, 0.99):.0f} / {max(held, default=0):.0f}",
        f"{percentile(wrote, 0.99):.0f}" if wrote else "",
    ]
    print(f"| {role} | " + " | ".join(cells) + " |", flush=True)


def run(folder, count):
    """Measure all roles on one store."""
    path, source = Path(folder) / "store", Path(folder) / "facts.jsonl"
    stores.build(path, count)
    texts = corpus.texts(3 * count)
    asked, spare = texts[:count], texts[count:]
    with Hippocampus.open(Path(folder) / "other") as other:
        other.remember_many(spare[:count])
        export_file(other, source)
    print("| beside | recalls | p50 ms | p99 ms | longest ms | lock held p50 / p99 / longest ms |")
    print("|---|---|---|---|---|---|---|")
    with Hippocampus.open(path) as memory:
        memory.recall(asked[0])
        idle = [timed(lambda: memory.recall(random.choice(asked))) for _ in range(_IDLE_QUESTIONS)]
        line("nobody", percentile(idle, 0.99), idle, [], [])
        for role in ROLES:
            before = memory.stats()["memories_active"]
            process = started(role, path, source, spare[-count:])
            found = beside(memory, role, process, asked)
            line(role, percentile(idle, 0.99), *found)
            if role == "conversation":
                added = memory.stats()["memories_active"] - before
                assert added == count + len(found[1]), f"{added} of {count} turns and facts"


def main():
    """Measure in a folder on a real disk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--folder", help="where the store is made; on a real disk")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(*given.work)
        return
    random.seed(7)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        run(folder, given.n)


if __name__ == "__main__":
    main()
