from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from realmemory.errors import StoreFullError
from realmemory.store import Store


@pytest.fixture
def small_disk(bench, tmp_path):
    """Four megabytes that belong to the store alone."""
    bench.folder = tmp_path / "disk" / "store"
    mount = bench.folder.parent
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(mount)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("needs the right to mount a small tmpfs")
    yield mount
    subprocess.run(["umount", "--lazy", str(mount)], check=True)


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
def test_a_full_disk_refuses_writes_and_keeps_reading(bench, small_disk):
    done = bench.run("fill")
    code, number, rows = done.stdout.split()
    assert (code, number) == ("disk_full", rows), done.stderr
    assert int(rows) > 20
    bench.check_promised_only()
    with Store.open(bench.folder) as store, pytest.raises(StoreFullError, match="bytes free"):
        store.backup()
    assert list((bench.folder / "backups").glob(".backup.*")) == []
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    with Store.open(bench.folder) as store:
        store.checkpoint()
        assert store.wal_size() == 0
    assert bench.run("write", 20).returncode == 0
    bench.check_promised_only()


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="needs ulimit -f")
def test_a_quota_is_a_full_disk(bench):
    done = bench.run("fill", prefix=("bash", "-c", 'ulimit -f 1024; exec "$@"', "sh"))
    code, number, rows = done.stdout.split()
    assert (code, number) == ("disk_full", rows), done.stderr
    bench.check_promised_only()
    assert bench.run("write", 20).returncode == 0
    bench.check_promised_only()


@pytest.mark.skipif(os.name != "posix", reason="needs ulimit -n")
def test_too_few_descriptors_are_named(bench):
    with Store.open(bench.folder):
        pass
    done = bench.run("fill", prefix=("bash", "-c", 'ulimit -n 7; exec "$@"', "sh"))
    assert done.stdout.split()[0] in {"io_error", "cannot_open"}, done.stderr
    assert bench.run("write", 3).returncode == 0
    bench.check_promised_only()
