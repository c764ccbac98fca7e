from __future__ import annotations

import hashlib
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from realmemory.store import Store

WORKER = Path(__file__).with_name("worker.py")


class Bench:
    """A store that processes are killed on, and what they were promised."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "store"
        self.acked = tmp_path / "acked"
        self.random = random.Random(41)

    def command(self, job, *arguments):
        return [
            sys.executable,
            str(WORKER),
            job,
            str(self.folder),
            str(self.acked),
            *map(str, arguments),
        ]

    def run(self, job, *arguments, prefix=(), timeout=100):
        return subprocess.run(
            [*prefix, *self.command(job, *arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )

    def kill_after(self, seconds, job, *arguments):
        """Start a worker, wait until it has begun to work, and kill it a while later."""
        process = subprocess.Popen(
            self.command(job, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        before = self.acked.stat().st_size if self.acked.exists() else 0
        while process.poll() is None and job == "write":
            if self.acked.exists() and self.acked.stat().st_size > before:
                break
            time.sleep(0.005)
        time.sleep(seconds)
        process.kill()
        _, err = process.communicate()
        assert process.returncode == -signal.SIGKILL, err.decode()

    def promised(self):
        if not self.acked.exists():
            return {}
        lines = self.acked.read_text().splitlines()
        return {int(trace_id): digest for trace_id, digest in (line.split("\t") for line in lines)}

    def check(self, unacknowledged=0):
        """Everything promised is there, nothing is half there, and nothing is damaged."""
        promised = self.promised()
        with Store.open(self.folder) as store:
            report = store.verify(analyse=lambda text: text)
            assert report.ok, report.findings
            with store.read() as view:
                found = {
                    trace.id: hashlib.sha256(trace.text.encode()).hexdigest()
                    for trace in view.traces.page(limit=1_000_000)
                }
                events = {
                    event.data["id"]
                    for event in view.journal.page(types=["write"], limit=1_000_000)
                }
        lost = promised.items() - found.items()
        assert not lost, f"{len(lost)} of {len(promised)} acknowledged memories are gone"
        assert len(found) - len(promised) <= unacknowledged
        assert events == set(found)
        return len(promised)

    def check_promised_only(self):
        """As :meth:`check`, after a run whose last write was refused and may not be there."""
        return self.check(unacknowledged=0)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)
