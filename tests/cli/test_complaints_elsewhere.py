"""What users of memory tools complained about elsewhere, asked of the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from realmemory import Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run

CANARY = "zebrafink"


@pytest.fixture
def ask(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "memory"

    def call(*words, status=exits.DONE):
        capsys.readouterr()
        assert run(["--json", "--path", str(folder), *words]) == status, words
        return capsys.readouterr().out

    call.folder = folder
    return call


@pytest.mark.parametrize(
    "words",
    [
        ("recall", CANARY),
        ("recall", CANARY, "--include-archived", "--include-superseded"),
        ("search", CANARY),
        ("search", f"{CANARY[:4]}*"),
        ("why", CANARY),
        ("list",),
        ("list", "--status", "any"),
    ],
    ids=" ".join,
)
def test_no_command_that_reads_shows_another_projects_memory(ask, words):
    with Hippocampus.open(ask.folder) as memory:
        memory.remember(f"The {CANARY} is the password bird of them", scope="theirs")
        old = memory.remember(f"The {CANARY} nests in the old hall", scope="theirs").memory_id
        memory.update_fact(old, f"The {CANARY} nests in the new hall")
        memory.forget(memory.remember(f"A dead {CANARY} was found", scope="theirs").memory_id)
        memory.remember("The pump hums", scope="ours")
    words = [word.replace("any", "active") for word in words]
    own = ask(*words, "--scope", "ours")
    # The question is echoed; what the memory says is not.
    assert "password bird" not in own
    assert "hall" not in own
    assert "dead" not in own
    if words[0] != "list":
        theirs = ask(*words, "--scope", "theirs")
        assert "password bird" in theirs or "hall" in theirs


@pytest.mark.parametrize("more", [(), ("out.jsonl",), ("pages", "--markdown")], ids=" ".join)
def test_an_export_never_takes_other_projects_along_unasked(ask, more):
    ask("remember", f"The {CANARY} nests in the hall", "--scope", "theirs")
    assert CANARY not in ask("export", *more, "--project", "ours", status=exits.INPUT)
    assert [path.name for path in ask.folder.parent.iterdir()] == [ask.folder.name]


@pytest.mark.parametrize("words", [("recall", "pump"), ("search", "pump"), ("why", "pump")])
def test_a_misspelt_project_is_no_empty_success(ask, words):
    ask("remember", "The pump hums", "--scope", "webshop")
    assert "The pump hums" in ask(*words, "--scope", "WebShop")
    error = json.loads(ask(*words, "--scope", "webshp", status=exits.INPUT))["error"]
    assert error["code"] == "unknown_project"
    assert "'webshop'" in error["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_what_was_acknowledged_survives_the_end_of_the_process(tmp_path):
    script = (
        "import sys, time\nfrom realmemory import Hippocampus\n"
        "with Hippocampus.open(sys.argv[1]) as memory:\n"
        "    memory.remember_many([f'Valve {n} opens at {n * 13 + 7} bar' for n in range(100)])\n"
        "    print('stored', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "m")], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"stored\n"
        os.kill(process.pid, signal.SIGTERM)
    with Hippocampus.open(tmp_path / "m") as memory:
        assert len(memory.list(limit=200)) == 100
        found = [memory.recall(f"valve {n} opens", k=3).items for n in range(0, 100, 9)]
        assert all(
            any(hit.text.startswith(f"Valve {n} ") for hit in items)
            for n, items in zip(range(0, 100, 9), found, strict=True)
        )


def test_a_lock_that_is_held_for_a_while_is_waited_for(ask):
    holder = (
        "import sys, time\nfrom pathlib import Path\nfrom realmemory.store import Store\n"
        "with Store.open(Path(sys.argv[1])) as store, store.write():\n"
        "    print('held', flush=True)\n    time.sleep(2)\n"
    )
    Hippocampus.open(ask.folder).close()
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(ask.folder)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        assert json.loads(ask("remember", "The pump hums", "--scope", "global"))["created"]
    assert "The pump hums" in ask("recall", "what hums?")


def test_k_is_an_upper_bound_and_a_longer_answer_begins_like_a_shorter_one(ask):
    with Hippocampus.open(ask.folder) as memory:
        memory.remember_many([f"Valve {n} opens at {n * 13 + 7} bar" for n in range(60)])
    answers = {
        k: [hit["memory_id"] for hit in json.loads(ask("recall", "valve opens", "-k", str(k)))["items"]]
        for k in (1, 5, 50)
    }  # fmt: skip
    assert all(len(ids) <= k for k, ids in answers.items())
    assert answers[5][:1] == answers[1]
    assert answers[50][:5] == answers[5]


def test_why_shows_what_each_stage_took_and_why_a_memory_was_kept_or_dropped(ask, capsys):
    with Hippocampus.open(ask.folder) as memory:
        memory.remember("The boiler is serviced in May")
        memory.remember("The canteen serves soup on Mondays")
    explained = json.loads(ask("why", "when is the boiler serviced?"))["explanation"]
    assert {"embed", "candidates", "refine", "fuse", "judge"} <= set(explained["timings_ms"])
    assert {row["verdict"] for row in explained["candidates"]} > {"kept"}
    capsys.readouterr()
    assert run(["--path", str(ask.folder), "why", "when is the boiler serviced?"]) == exits.DONE
    stages = next(line for line in capsys.readouterr().out.splitlines() if "stages:" in line)
    assert all(f"{name} " in stages for name in explained["timings_ms"])


def test_why_tells_of_one_memory_what_was_weighed_and_nothing_of_another_project(ask, capsys):
    with Hippocampus.open(ask.folder) as memory:
        kept = memory.remember("The boiler is serviced in May").memory_id
        hidden = memory.remember("The boiler code is zebrafink", scope="theirs").memory_id

    def told(number):
        capsys.readouterr()
        words = ["why", "when is the boiler serviced?", f"#{number}"]
        assert run(["--path", str(ask.folder), *words]) == exits.DONE
        return capsys.readouterr().out

    shown = told(kept)
    assert f"#{kept}: kept" in shown
    assert all(name in shown for name in ("cosine", "coverage", "maxsim", "confidence", "score"))
    assert "no candidate" in told(hidden)
    assert "zebrafink" not in told(hidden)
    ask("why", "boiler", "boiler", status=exits.INPUT)
