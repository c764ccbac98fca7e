"""The processes of the crash tests: ``worker.py JOB FOLDER ACKNOWLEDGEMENTS [ARGUMENT ...]``.

A line is added to the acknowledgements, in one write, only after the store has said yes.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from realmemory import Hippocampus
from realmemory.agents.files import replace_file
from realmemory.api.grants import GrantBook
from realmemory.cli.root import run
from realmemory.clock import SystemClock
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.errors import RealMemoryError
from realmemory.interop.transfer import export_file
from realmemory.store import Store, migrations
from realmemory.store.records import Link, LinkType, NewTrace
from realmemory.store.restoring import restore

if TYPE_CHECKING:
    import apsw


class Acknowledgements:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def add(self, trace_id: int, text: str) -> None:
        digest = hashlib.sha256(text.encode()).hexdigest()
        os.write(self._fd, f"{trace_id}\t{digest}\n".encode())


def add(store: Store, text: str, partner: int | None = None) -> int:
    with store.write() as tx:
        trace_id = tx.traces.insert(NewTrace(text=text, terms=text, scope="global"))
        if partner is not None:
            tx.links.put([Link(partner, trace_id, LinkType.RELATED, 1.0, 1.0)])
        tx.journal.append("write", {"id": trace_id})
    return trace_id


def write(folder: Path, acked: Acknowledgements, limit: str = "1000000") -> None:
    """Write until killed; the log is emptied often, so that kills hit checkpoints too."""
    with Store.open(folder) as store:
        last = None
        for number in range(int(limit)):
            text = f"{os.getpid()} {number} " + "x" * (number % 7) * 900
            last = add(store, text, last)
            acked.add(last, text)
            if number % 5 == 4:
                store.checkpoint()


def write_and_count(folder: Path, acked: Acknowledgements, limit: str) -> None:
    """Write, and count after each what a recall would: lazily, so that the power may take it."""
    with Store.open(folder) as store:
        for number in range(int(limit)):
            text = f"{number} " + "x" * (number % 5) * 900
            trace_id = add(store, text)
            acked.add(trace_id, text)
            with store.write("lazy") as tx:
                tx.usage.recalled([trace_id], number)
            if number % 5 == 4:
                store.checkpoint()


def fill(folder: Path, acked: Acknowledgements) -> None:
    """Write until the store refuses; print its code, then show that reading goes on."""
    with Store.open(folder) as store:
        for number in itertools.count():
            text = f"{number} " + "y" * 2000
            try:
                acked.add(add(store, text), text)
            except RealMemoryError as error:
                with store.read() as view:
                    rows = sum(1 for _ in view.traces.changes_since(0).rows)
                sys.stdout.write(f"{error.code} {number} {rows}\n")
                return


def back_up(folder: Path, _acked: Acknowledgements, keep: str) -> None:
    with Store.open(folder) as store:
        while True:
            store.backup()
            store.rotate_backups(int(keep))


def back_up_times(folder: Path, acked: Acknowledgements, times: str, keep: str) -> None:
    with Store.open(folder) as store:
        for number in range(int(times)):
            text = f"before backup {number}"
            acked.add(add(store, text), text)
            store.backup()
            store.rotate_backups(int(keep))


def replace_files(folder: Path, _acked: Acknowledgements, times: str) -> None:
    """Write an export, the tokens of a daemon and the settings of a host, again and again."""
    with Hippocampus.open(folder / "inner", embedder=HashingEmbedder(dim=32)) as memory:
        for number in range(int(times)):
            memory.remember(f"Buoy b{number} is lit")
            export_file(memory, folder / "export.jsonl")
            GrantBook(folder).mint(["harbour"], label=f"client {number}")
            replace_file(folder / "settings.json", json.dumps([number] * 2_000).encode())


def next_schema(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE traces ADD COLUMN mood TEXT")
    connection.execute("UPDATE traces SET mood = 'calm'")


def migrate(folder: Path, _acked: Acknowledgements) -> None:
    """Open the store with code that is one schema version newer."""
    step = migrations.Step(migrations.newest() + 1, "mood", next_schema)
    migrations.STEPS = (*migrations.STEPS, step)
    Store.open(folder).close()


def restore_again(folder: Path, _acked: Acknowledgements, backup: str) -> None:
    while True:
        restore(folder, Path(backup), clock=SystemClock())


def reseal(folder: Path, _acked: Acknowledgements, command: str, *options: str) -> None:
    """Encrypt, decrypt or rekey, as a person does."""
    sys.exit(run(["--path", str(folder), command, *options]))


if __name__ == "__main__":
    job, directory, log, *arguments = sys.argv[1:]
    globals()[job](Path(directory), Acknowledgements(log), *arguments)
