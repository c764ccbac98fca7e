"""Encrypting, changing the key and decrypting, killed anywhere: the memory opens, nothing is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess

import pytest

from realmemory import keys
from realmemory.store import Store, backups, sealing
from realmemory.store.records import NewTrace

PLANTED = "The planted heliotrope stands in Vienna"
strace = pytest.mark.skipif(
    subprocess.run(["which", "strace"], capture_output=True, check=False).returncode != 0,
    reason="needs strace to kill at a chosen system call",
)


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / "keys" / "memory.key"


@pytest.fixture
def prepare(bench, key_file):
    """Make the state that a command begins with, once, and copy it for each run."""

    def make(command):
        bench.run("write", 6)
        with Store.open(bench.folder) as store, store.write() as tx:
            tx.traces.insert(NewTrace(text=PLANTED, terms="heliotrope", scope="global"))
        with Store.open(bench.folder) as store:
            store.backup()
        if command != "encrypt":
            done = bench.run("reseal", "encrypt", "--key-file", key_file)
            assert done.returncode == 0, done.stderr
        before = bench.folder.with_name("before")
        shutil.copytree(bench.folder, before)
        keys = key_file.parent.with_name("keys before")
        if key_file.exists():
            shutil.copytree(key_file.parent, keys)

        def again():
            shutil.rmtree(bench.folder)
            shutil.rmtree(key_file.parent, ignore_errors=True)
            shutil.copytree(before, bench.folder)
            if keys.exists():
                shutil.copytree(keys, key_file.parent)

        return key_file, again

    return make


def is_whole(bench, key_file):
    """The memory opens with the key that it finds by itself, and holds everything."""
    with Store.open(bench.folder) as store:
        assert store.verify().ok
        with store.read() as view:
            texts = [trace.text for trace in view.traces.page(limit=100)]
        assert PLANTED in texts
        assert len(texts) >= 7
        key = store.paths.key
        (backup,) = store.backups()
    known = keys.read(str(key_file)) if key_file.exists() else ()
    opening = [each for each in (None, *known) if sealing.opens(backup.path, each)]
    assert backups.verify(backup.path, rows=True, key=opening[0])
    return key


def holds_the_text(folder):
    return [
        path for path in folder.rglob("*") if path.is_file() and b"heliotrope" in path.read_bytes()
    ]


@strace
@pytest.mark.parametrize("command", ["encrypt", "rekey", "decrypt"])
@pytest.mark.parametrize(
    ("call", "numbers"),
    [
        ("rename", (2, 4)),
        pytest.param("unlink", (1, 3, 5, 7), marks=pytest.mark.long),
        pytest.param("fsync", (1, 2, 4, 6), marks=pytest.mark.long),
        ("pwrite64", (60,)),
        pytest.param("rename", range(1, 40), marks=pytest.mark.long),
        pytest.param("unlink", range(1, 60), marks=pytest.mark.long),
        pytest.param("fsync", range(1, 40), marks=pytest.mark.long),
        pytest.param("pwrite64", range(1, 700, 7), marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(3600)
def test_a_kill_at_any_call_leaves_a_memory_that_opens(bench, prepare, command, call, numbers):
    key_file, again = prepare(command)
    options = () if command == "decrypt" else ("--key-file", key_file)
    killed = 0
    for number in numbers:
        again()
        prefix = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}")
        inject = ("-e", f"inject={call}:signal=KILL:when={number}")
        done = bench.run("reseal", command, *options, prefix=(*prefix, *inject))
        killed += done.returncode in {-signal.SIGKILL, 128 + signal.SIGKILL}
        opened = is_whole(bench, key_file)
        if command == "decrypt" and opened is None:
            done = bench.run("reseal", command)
            assert done.returncode in {0, 2}, done.stderr
        else:
            done = bench.run("reseal", command, *options)
            assert done.returncode == 0, done.stderr
        assert (is_whole(bench, key_file) is None) is (command == "decrypt")
        if command != "decrypt":
            assert not holds_the_text(bench.folder)
        elif done.returncode == 0:
            assert holds_the_text(bench.folder)
    assert killed


@pytest.mark.timeout(600)
def test_a_killed_writer_of_an_encrypted_memory_loses_nothing_and_leaves_no_text(bench, key_file):
    bench.run("write", 1)
    assert bench.run("reseal", "encrypt", "--key-file", key_file).returncode == 0
    for number in range(1, 4):
        bench.kill_after(bench.random.uniform(0.0, 0.3), "write")
        files = [path for path in bench.folder.rglob("*") if path.is_file()]
        assert not [path for path in files if b"x" * 800 in path.read_bytes()]
        bench.check(unacknowledged=number)
