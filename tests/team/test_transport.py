"""What carries the folder: a git repository with merges, processes at once, processes that die."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys

import pytest

from team.members import Member, spoken

FACT = "The nightly backup runs at three in the morning"
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")
needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to kill")


def git(folder, *words, name="x"):
    who = ("-c", f"user.name={name}", "-c", f"user.email={name}@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_git
def test_two_authors_commits_merge_without_a_conflict(tmp_path, clock):
    server = tmp_path / "server.git"
    git(tmp_path, "init", "--bare", "-b", "main", str(server))
    members = []
    for name in ("Anna", "Boris", "Клара"):
        clone = tmp_path / f"clone of {name}"
        git(tmp_path, "clone", str(server), str(clone))
        members.append(Member(name, tmp_path / name, clone, clock))
    for member in members:
        member.init()
        for number in range(3):
            clock.advance(1)
            member.publish(f"{member.name} keeps rule {number} of the shop")

    def exchange():
        for member in members:
            git(member.shared, "add", "-A")
            git(member.shared, "commit", "--allow-empty", "-m", "memories", name=member.name)
        for member in [*members, *members[:-1]]:
            git(member.shared, "-c", "pull.rebase=false", "pull", "--no-edit",
                "--allow-unrelated-histories", "origin", "main") if git(
                member.shared, "ls-remote", "origin", "main") else None  # fmt: skip
            git(member.shared, "push", "origin", "HEAD:main")
        for member in members:
            report = member.sync()
            assert not report.strange
            assert all(not author.refused for author in report.authors)

    exchange()
    for member in members:
        others = {other.name for other in members} - {member.name}
        assert {name for name, _ in member.reads()} == others
        assert len(member.reads()) == 6
    with members[0].open() as (memory, team):
        memory.update_fact(1, "Anna keeps another rule of the shop")
        memory.forget(2, hard=True)
        team.sync()
    members[1].publish("Boris keeps rule 9 of the shop")
    exchange()
    assert [text for name, text in members[2].reads() if name == "Anna"] == [
        "Anna keeps rule 2 of the shop"
    ]
    assert len(members[2].reads()) == 5
    changed = git(members[0].shared, "log", "--numstat", "--format=", "--author=Anna", "-1")
    assert changed.split()[:2] == ["2", "2"], "a change of one memory changes one line"


PUBLISH = """
import sys
from pathlib import Path
from realmemory import Hippocampus
from realmemory.team import Team
with Hippocampus.open(sys.argv[1]) as memory:
    for number in map(int, sys.argv[2:]):
        Team(memory).publish([number], force=True)
        print(number, flush=True)
"""


def python(script, *words, prefix=()):
    return [*prefix, sys.executable, "-c", script, *map(str, words)]


def remembered(folder, shared, count):
    status, _ = spoken(folder, "team", "init", str(shared), "--as", "Anna", "--share", "shop")
    assert status == 0
    for number in range(count):
        status, _ = spoken(
            folder, "remember", f"Shelf {number} holds paint", "--scope", "shop",
            "--kind", "semantic", "--force-new",
        )  # fmt: skip
        assert status == 0


def lines_of(shared):
    (file,) = shared.glob("anna-*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_two_processes_that_publish_at_once_lose_nothing(tmp_path):
    folder, shared = tmp_path / "memory", tmp_path / "shared"
    remembered(folder, shared, 8)
    at_once = [
        subprocess.Popen(python(PUBLISH, folder, *numbers), stdout=subprocess.PIPE)
        for numbers in ((1, 2, 3, 4), (5, 6, 7, 8), (4, 5))
    ]
    for process in at_once:
        process.communicate(timeout=100)
        assert process.returncode == 0
    entries = lines_of(shared)[1:]
    assert sorted(entry["text"] for entry in entries) == [
        f"Shelf {number} holds paint" for number in range(8)
    ]
    assert {entry["revision"] for entry in entries} == {1}
    assert [path.suffix for path in shared.iterdir()] == [".jsonl"], "nothing is left beside it"


def killed(command, call, when):
    """Run a command that is killed at the n-th call of one kind; say whether it was."""
    rule = f"inject={call}:signal=KILL:when={when}"
    trace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", rule)
    done = subprocess.run([*trace, *command], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1, -signal.SIGKILL, 128 + signal.SIGKILL}, done.stderr
    return done.returncode not in {0, 1}


FEW = [("fsync,fdatasync", 3), ("rename,renameat,renameat2", 1), ("pwrite64", 7)]
MANY = [
    *[("fsync,fdatasync", when) for when in (1, 2, 4, 5, 6, 8, 10)],
    *[("rename,renameat,renameat2", when) for when in (2, 3, 4)],
    *[("pwrite64", when) for when in (1, 3, 12, 17, 23, 30, 40)],
]
kills = pytest.mark.parametrize("kills", [FEW, pytest.param(MANY, marks=pytest.mark.long)])


@needs_strace
@kills
@pytest.mark.timeout(400)
def test_a_publication_that_is_killed_is_whole_or_was_never_made(tmp_path, kills):
    folder, shared = tmp_path / "memory", tmp_path / "shared"
    remembered(folder, shared, 1)
    publish = python(PUBLISH, folder, 1)
    hits = 0
    for call, when in kills:
        was_killed = killed(publish, call, when)
        hits += was_killed
        for file in shared.glob("*.jsonl"):
            entries = [json.loads(line) for line in file.read_text().splitlines()]
            assert entries[0]["author"] == "Anna"
        status, report = spoken(folder, "team", "sync")
        assert status == 0, report
        status, found = spoken(folder, "team", "status")
        assert found["pending"] == 0
        said = [line["type"] for line in lines_of(shared)[1:]]
        if found["published"]:
            assert said == ["publication"]
            assert spoken(folder, "team", "retract", "1")[0] == 0
        else:
            assert was_killed
            assert said in ([], ["retraction"])
        assert {path.suffix for path in shared.iterdir()} <= {".jsonl"}
    assert hits > len(kills) // 2, "the kills hit too little"


@needs_strace
@kills
@pytest.mark.timeout(400)
def test_a_sync_that_is_killed_ends_with_the_next_one(tmp_path, kills):
    shared = tmp_path / "shared"
    folder, reader = tmp_path / "memory", tmp_path / "reader"
    remembered(folder, shared, 6)
    assert spoken(folder, "team", "publish", *"123456", "--force", "--yes")[0] == 0
    assert spoken(reader, "team", "init", str(shared), "--as", "Boris")[0] == 0
    assert spoken(reader, "remember", "The sign is red", "--scope", "shop")[0] == 0
    sync = [sys.executable, "-m", "realmemory", "--path", str(reader), "--json", "team", "sync"]
    hits = 0
    for turn, (call, when) in enumerate(kills):
        gone = 1 + turn % 6
        assert spoken(folder, "team", "retract", str(gone))[0] == 0
        hits += killed(sync, call, when)
        status, report = spoken(reader, "team", "sync")
        assert status == 0, report
        (author,) = report["authors"]
        assert (author["memories"], author["refused"]) == (5, {})
        held = {path.name: path.read_bytes() for path in (reader / "team").rglob("memory.db*")}
        assert not any(f"Shelf {gone - 1} holds".encode() in data for data in held.values())
        status, found = spoken(reader, "team", "recall", f"what does shelf {gone % 6} hold?")
        assert f"Shelf {gone % 6} holds paint" in {item["text"] for item in found["items"]}
        assert spoken(folder, "team", "publish", str(gone), "--force", "--yes")[0] == 0
    assert hits > len(kills) // 2, "the kills hit too little"
    status, listed = spoken(reader, "list", "--scope", "shop")
    assert [item["text"] for item in listed] == ["The sign is red"]
