"""The processes of the concurrency tests: ``worker.py JOB FOLDER [ARGUMENT ...]``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from realmemory.store import Store
from realmemory.store.records import NewTrace


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def write(store: Store, text: str) -> int:
    with store.write() as tx:
        return tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))


def open_and_add(folder: Path, name: str) -> None:
    with Store.open(folder) as store:
        write(store, name)
        say(store.store_id)


def add_unless_there(folder: Path, name: str, count: str) -> None:
    """Write texts that every other worker writes too, each decided inside the transaction."""
    made = 0
    with Store.open(folder) as store:
        for number in range(int(count)):
            text = f"shared {number}" if number % 10 == 0 else f"{name} {number}"
            with store.write() as tx:
                if not tx.traces.ids_with_text(text):
                    tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))
                    made += 1
    say(made)


def write_for(folder: Path, seconds: str) -> None:
    """Write as fast as possible and print how often, and the longest wait."""
    with Store.open(folder) as store:
        say("ready")
        sys.stdin.readline()
        end = time.monotonic() + float(seconds)
        count = 0
        while time.monotonic() < end:
            write(store, f"{os.getpid()} {count}")
            count += 1
    say(count)


def write_through(folder: Path, seconds: str) -> None:
    """Write as fast as possible and print the wait of every write in milliseconds."""
    waits = []
    with Store.open(folder) as store:
        say("ready")
        sys.stdin.readline()
        end = time.monotonic() + float(seconds)
        while (began := time.monotonic()) < end:
            write(store, f"{os.getpid()} {len(waits)}")
            waits.append(round((time.monotonic() - began) * 1000))
    say(*waits)


def hold_in_turns(folder: Path, seconds: str, held: str, free: str) -> None:
    """Hold the write lock, let others in for a while, and so on."""
    with Store.open(folder) as store:
        say("ready")
        sys.stdin.readline()
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            with store.write():
                time.sleep(float(held))
            time.sleep(float(free))
    say("done")


def read_for(folder: Path, seconds: str) -> None:
    """Read as fast as possible and print how often."""
    with Store.open(folder) as store:
        say("ready")
        sys.stdin.readline()
        end = time.monotonic() + float(seconds)
        count = 0
        while time.monotonic() < end:
            with store.read() as view:
                view.traces.page(limit=5)
            count += 1
    say(count)


def hold(folder: Path, seconds: str) -> None:
    with Store.open(folder) as store, store.write() as tx:
        tx.traces.insert(NewTrace(text="held", terms="held", scope="global"))
        say("holding")
        time.sleep(float(seconds))


def read_snapshots(folder: Path, count: str) -> None:
    """Read rev, rows and events in one view each; torn or backward views end the process."""
    last = 0
    with Store.open(folder) as store:
        for _ in range(int(count)):
            with store.read() as view:
                rev = view.rev()
                rows = sum(line.traces for line in view.traces.counts())
                events = sum(view.journal.counts().values())
                last_rev_seen = max(
                    (row.rev for row in view.traces.changes_since(0).rows), default=0
                )
            assert rows == events, f"torn: {rows} rows, {events} events"
            assert last_rev_seen <= rev, "a row from the future"
            assert rev >= last, "the store went back"
            last = rev
    say(last)


def write_with_events(folder: Path, count: str) -> None:
    with Store.open(folder) as store:
        for number in range(int(count)):
            with store.write() as tx:
                text = f"{os.getpid()} {number}"
                trace = tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))
                tx.journal.append("write", {"id": trace})
    say(count)


if __name__ == "__main__":
    job, folder, *arguments = sys.argv[1:]
    globals()[job](Path(folder), *arguments)
