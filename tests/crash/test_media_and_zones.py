"""Around the file: a medium that takes no write, zones of time, and who else opens it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from realmemory import Hippocampus
from realmemory.cli import exits


def shell(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "realmemory", "--path", folder, "--json", *words],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def read_only_medium(tmp_path):
    """A memory on a file system that takes no write, even from root."""
    folder, mount = tmp_path / "m", tmp_path / "medium"
    with Hippocampus.open(folder) as memory:
        memory.remember("The harbour master is called Odile")
        memory.context.store.checkpoint()
    mount.mkdir()
    bound = ["mount", "--bind", str(folder), str(mount)]
    if subprocess.run(bound, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    subprocess.run(["mount", "-o", "remount,bind,ro", str(mount)], check=True)
    yield mount
    subprocess.run(["umount", "--lazy", str(mount)], check=True)


@pytest.mark.skipif(not shutil.which("mount"), reason="needs mount")
def test_a_read_only_medium_is_read_and_says_why_it_takes_nothing(read_only_medium):
    recalled = shell(read_only_medium, "recall", "what is the harbour master called?")
    assert recalled.returncode == exits.DONE, recalled.stderr
    assert "Odile" in recalled.stdout
    assert shell(read_only_medium, "verify").returncode == exits.DONE
    for words in (["remember", "A note that finds no room"], ["sleep"], ["backup", "create"]):
        refused = shell(read_only_medium, *words)
        assert refused.returncode == exits.READ_ONLY, refused.stdout
        assert "cannot be written by this user" in refused.stdout
        assert "Traceback" not in refused.stderr
    beside = shell(read_only_medium / "none", "remember", "A note without a memory")
    assert beside.returncode == exits.READ_ONLY, beside.stdout


STAMPED = """
import sys
from realmemory import Hippocampus
from realmemory.cli.root import run
folder = sys.argv[1]
for when in ("2026-03-29T02:30:00", "2026-11-01T01:30:00", "1969-12-31T23:00:00"):
    assert run(["--path", folder, "remember", "Seen at " + when, "--when", when]) == 0
with Hippocampus.open(folder) as memory:
    print(sorted((trace.text, trace.observed_at) for trace in memory.list(all_scopes=True)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="zones are named by the system")
def test_the_zone_of_the_machine_changes_no_time(tmp_path):
    """02:30 does not exist in Berlin on that day, and exists twice in New York on the other."""
    seen = set()
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        done = subprocess.run(
            [sys.executable, "-c", STAMPED, str(tmp_path / zone.replace("/", "-"))],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TZ": zone},
        )
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout.splitlines()[-1])
    (rows,) = seen
    assert rows.count("Seen at") == 3
    assert "-3600.0" in rows


WATCHED = """
import sqlite3, sys
from pathlib import Path
touched = []

def watch(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)) and "memory.db" in str(args[0]):
        touched.append(str(args[0]))
    elif event == "sqlite3.connect":
        touched.append("sqlite3 " + str(args))

sys.addaudithook(watch)
from realmemory.cli.root import run
folder = sys.argv[1]
for words in (
    ["remember", "The harbour master is called Odile"],
    ["recall", "what is the harbour master called?"],
    ["search", "harbour"], ["list"], ["show", "1"], ["history", "1"], ["status"], ["verify"],
    ["doctor", "--deep"], ["report", "--json", folder + ".json"], ["export", folder + ".jsonl"],
    ["import", folder + ".jsonl"], ["backup", "create"], ["backup", "list"], ["sleep"],
    ["forget", "1", "--hard", "--yes"], ["audit"], ["config", "get", "theta_link"], ["projects", "list"],
):
    status = run(["--path", folder, *words])
    if status not in (0, 1):
        sys.exit(f"{words}: {status}")
print("touched", touched)
"""


def test_nothing_but_the_one_engine_opens_the_database(tmp_path):
    """Closing any other descriptor of the file would drop the locks that are held on it."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path / "m")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("touched []\n"), done.stdout[-500:]
