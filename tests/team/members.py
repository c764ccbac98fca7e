"""Authors with memories of their own around one folder, and processes that speak for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from realmemory import FakeClock, Hippocampus
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.team import Team

NOW = 1.7e9


@dataclass
class Member:
    """One author: a memory, and the folder that the team shares."""

    name: str
    folder: Path
    shared: Path
    clock: FakeClock

    @contextmanager
    def open(self):
        with Hippocampus.open(
            self.folder, clock=self.clock, embedder=HashingEmbedder(dim=64)
        ) as memory:
            yield memory, Team(memory)

    def init(self, **options):
        with self.open() as (_, team):
            return team.init(self.shared, author=self.name, share=["shop"], **options)

    def publish(self, text, scope="shop"):
        """Remember a text and publish it; return the id of the memory."""
        with self.open() as (memory, team):
            number = memory.remember(text, scope=scope, kind="semantic", force_new=True).memory_id
            team.publish([number], force=True)
        return number

    def sync(self, **options):
        with self.open() as (_, team):
            return team.sync(**options)

    def status(self):
        with self.open() as (_, team):
            return team.status()

    def reads(self):
        """Everything that the copy would let a recall find, by author and text."""
        with Hippocampus.open(
            self.folder / "team" / "copy", read_only=True, embedder=HashingEmbedder(dim=64)
        ) as copy:
            return sorted((trace.author, trace.text) for trace in copy.list(all_scopes=True))

    @property
    def file(self):
        return Path(self.status().file)

    def lines(self):
        """The lines of the own file, parsed."""
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]


def spoken(folder, *words, stdin=None, env=None):
    """Run the command line in a process of its own; return its exit code and its JSON answer."""
    done = subprocess.run(
        [sys.executable, "-m", "realmemory", "--path", str(folder), "--json", *words],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        input=stdin,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr
