"""Every way to start us explains itself, and each command is found by asking for help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from realmemory import Hippocampus
from realmemory.cli import registry
from realmemory.cli.root import root, run

PACKAGE = Path(__file__).parents[2] / "python" / "realmemory"
MODULES = [
    "realmemory",
    "realmemory.report",
    "realmemory.hook_cli",
    "realmemory.api.mcp_server",
    "realmemory.eval",
    *(
        f"realmemory.eval.{path.stem}"
        for path in sorted(PACKAGE.glob("eval/*.py"))
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
        and path.stem != "__main__"
    ),
]
WANTED = (
    *("remember", "store", "recall", "search", "show", "history", "list", "revise", "forget"),
    *("restore", "reflect", "link", "pin", "sleep", "status", "report", "why", "export", "import"),
    *("conversation ingest", "audit", "reembed", "calibrate", "verify", "repair", "doctor"),
    *(f"backup {one}" for one in ("create", "list", "verify", "restore", "rotate")),
    *("undo", "resolve", "torture", "serve", "mcp", "token mint", "hook", "install", "bench"),
    *("demo", "projects list", "projects rename", "projects merge", "config show", "config get"),
    *("config set", "doctor agents", "completion", "uninstall", "stats", "confirm"),
)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_can_be_run_explains_itself(module, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 80
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", WANTED)
def test_a_command_that_people_look_for_is_there_and_explains_itself(words, capsys):
    assert run([*words.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: realmemory")
    assert "--json" in shown or words in {"mcp", "hook", "bench", "serve", "completion"}, shown


def test_a_newcomer_finds_every_command_from_the_overview_on(capsys):
    assert run(["--help"]) == 0
    overview = capsys.readouterr().out
    assert len(overview.splitlines()) < 110
    for name in registry.names():
        assert f"\n  {name} " in overview
        command = root.get_command(None, name)
        inner = getattr(command, "commands", {})
        if inner:
            assert run([name, "--help"]) == 0
            listed = capsys.readouterr().out
            assert all(f"\n  {one} " in listed for one in inner), name


@pytest.mark.parametrize("before", [True, False])
def test_a_hook_heeds_the_shared_options_before_and_after_its_name(tmp_path, before):
    folder = tmp_path / "elsewhere"
    with Hippocampus.open(folder, namespace="work") as memory:
        memory.remember("The kiln is fired on Mondays", scope="pottery", kind="semantic")
    shared = ["--path", str(folder), "--namespace", "work", "--project", "pottery"]
    words = ["hook", "claude", "session-start"]
    done = subprocess.run(
        [sys.executable, "-m", "realmemory", *(shared + words if before else words + shared)],
        input=b"{}",
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert b"The kiln is fired on Mondays" in done.stdout
