from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def start(folder):
    """Start a worker process on the store; those that still run at the end are killed."""
    running = []

    def run(job, *arguments):
        process = subprocess.Popen(
            [sys.executable, str(WORKER), job, str(folder), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def finish():
    """Wait for workers and return what each printed; one that failed shows its error."""

    def wait(processes):
        outputs = []
        for process in processes:
            out, err = process.communicate(timeout=100)
            assert process.returncode == 0, err
            outputs.append(out.split())
        return outputs

    return wait
