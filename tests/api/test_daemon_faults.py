"""Daemons, servers and shells on one memory, some of them killed: nothing told is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from api.daemons import PATIENCE_S, daemon
from api.test_stdio import Child
from realmemory.api.backend import Caller
from realmemory.api.connect import SharedBackend, opener
from realmemory.api.direct import DirectBackend
from realmemory.api.remote import DaemonBackend
from realmemory.errors import RealMemoryError
from realmemory.store import Store

HOOK = str(Path(sys.executable).with_name("realmemory-hook"))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def check(folder, told):
    with Store.open(folder) as store:
        assert store.verify().ok
        with store.read() as view:
            texts = {trace.text for trace in view.traces.page(limit=1_000_000)}
    assert told <= texts, f"{len(told - texts)} of {len(told)} are gone"


def shell(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "realmemory", "--path", folder, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder.parent,
    )


def test_clients_outlive_killed_daemons_and_keep_what_they_were_told(folder):
    """Eight clients write through a daemon that is killed, twice; each goes on by itself."""
    told: set[str] = set()
    refused: list[str] = []
    stop = threading.Event()

    def client(name):
        direct = DirectBackend(opener(str(folder), None, None))
        backend = SharedBackend(DaemonBackend(str(folder)), direct)
        number = 0
        while not stop.is_set():
            text = f"Client {name} wrote note {name}n{number}"
            try:
                backend.call("memorize", {"text": text, "kind": "episodic"}, Caller())
                told.add(text)
            except RealMemoryError as error:
                refused.append(error.code)
            number += 1
        backend.close()

    clients = [threading.Thread(target=client, args=(name,)) for name in "abcdefgh"]
    for number in range(2):
        with daemon(folder) as (process, _):
            if number == 0:
                for thread in clients:
                    thread.start()
            while len(told) < 40 * (number + 1):
                time.sleep(0.01)
            process.kill()
            process.wait(PATIENCE_S)
    before = len(told)
    while len(told) < before + 16:
        time.sleep(0.01)
    stop.set()
    for thread in clients:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert refused == []
    check(folder, told)


def test_servers_and_a_shell_write_one_memory_at_once(folder):
    """Two servers of different agents and a shell write at the same time."""
    words = [f"shell note s{number}" for number in range(4)]
    with Child(folder, "--no-daemon") as one, Child(folder, "--no-daemon") as two:
        for child in (one, two):
            child.initialize()
        told = set(words)

        def speak(child, name):
            for number in range(12):
                text = f"server {name} note {name}{number}"
                assert not child.call(number + 1, "memorize", text=text).get("isError")
                told.add(text)

        threads = [threading.Thread(target=speak, args=pair) for pair in ((one, "p"), (two, "q"))]
        for thread in threads:
            thread.start()
        for text in words:
            done = shell(folder, "remember", text)
            assert done.returncode == 0, done.stderr
        for thread in threads:
            thread.join(PATIENCE_S)
        assert len(told) == 28
    check(folder, told)


def soak(folder, seconds):
    """Use a memory in every way for a while; return what was told and the daemon's figures."""
    told: set[str] = set()
    sizes = []
    end = time.monotonic() + seconds
    with ExitStack() as stack:
        process, _ = stack.enter_context(daemon(folder))
        servers = [stack.enter_context(Child(folder)) for _ in range(2)]
        servers.append(stack.enter_context(Child(folder, "--no-daemon")))
        for child in servers:
            child.initialize()
        number = 0
        while time.monotonic() < end or number < 4:
            for name, child in enumerate(servers):
                for _ in range(3):
                    text = f"note t{number}c{name}x{len(told)} of the soak"
                    assert not child.call(10 + number, "memorize", text=text).get("isError")
                    told.add(text)
                found = child.call(10 + number, "recall", query=f"note t{number}c{name}")
                assert not found.get("isError")
            sent = json.dumps({"session_id": f"s{number}", "prompt": "which note is of the soak?"})
            hook = [HOOK, "--path", folder, "claude-code", "UserPromptSubmit"]
            done = subprocess.run(hook, input=sent.encode(), capture_output=True, check=False)
            assert done.returncode == 0
            command = ("sleep",) if number % 2 else ("backup", "create")
            done = shell(folder, *command)
            assert done.returncode == 0, done.stderr
            sizes.append(figures(process.pid, folder))
            number += 1
    return told, sizes


def figures(pid, folder):
    """Return descriptors and resident pages of a process, and bytes of the log."""
    proc = Path(f"/proc/{pid}")
    log = folder / "memory.db-wal"
    return (
        sum(1 for _ in (proc / "fd").iterdir()),
        int((proc / "statm").read_text().split()[1]),
        log.stat().st_size if log.exists() else 0,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("seconds", [6, pytest.param(1_800, marks=pytest.mark.long)])
@pytest.mark.timeout(3_600)
def test_a_day_in_short_leaks_nothing_and_loses_nothing(folder, seconds):
    """A daemon, three servers, hooks, sleeps and backups use one memory side by side."""
    told, sizes = soak(folder, seconds)
    check(folder, told)
    settled = sizes[len(sizes) // 3 :]
    descriptors, pages, log = zip(*settled, strict=True)
    sys.stdout.write(
        f"{len(told)} notes, {len(sizes)} sleeps or backups; of the daemon's last two thirds: "
        f"descriptors {min(descriptors)} to {max(descriptors)}, resident MiB "
        f"{pages[0] / 256:.0f} to {pages[-1] / 256:.0f}, log at most {max(log) / 2**20:.1f} MiB\n"
    )
    assert max(descriptors) - min(descriptors) <= 8
    # Memories are held in memory, and there are more at the end; nothing else may grow.
    assert pages[-1] < 1.1 * pages[0] + len(told)
    assert max(log) < 64 * 1024 * 1024
