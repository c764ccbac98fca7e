"""What is written about the project is true: commands, targets and examples work as shown."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from contract.sources import ROOT
from realmemory.cli import registry
from realmemory.cli.reference import reference

FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(path for path in ROOT.glob("*.md") if path.name != "COMMANDS.md")


def blocks(language):
    return [
        pytest.param(match["body"], id=f"{page.name}:{number}")
        for page in PAGES
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8")), 1)
        if match["language"] == language
    ]


def environment(folder):
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    return {**kept, "HOME": str(folder), "USERPROFILE": str(folder), "PYTHONWARNINGS": "error"}


def run(command, folder):
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("body", blocks("python"))
def test_a_python_example_runs_as_written(body, tmp_path):
    run([sys.executable, "-c", body], tmp_path)


@pytest.mark.parametrize("body", blocks("sh"))
def test_a_shell_example_says_what_works(body, tmp_path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    joined = body.replace("\\\n", " ")
    for line in filter(None, (line.strip() for line in joined.splitlines())):
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] == "make":
            assert set(words[1:]) <= targets, line
        elif words[0] == "realmemory":
            run([sys.executable, "-m", *words], tmp_path)
        elif words[0] in {"pip", "uv"}:
            for extra in re.findall(r"\[([\w,]+)\]", line):
                assert set(extra.split(",")) <= set(extras), line
        else:
            assert words[0] in {"cargo", "git", "cd"}, f"nothing checks this line: {line}"


def test_the_first_things_shown_are_the_two_commands():
    first = FENCE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert first is not None
    commands = [line.split("#")[0].strip() for line in first["body"].splitlines()]
    assert commands == ["make demo", "make test"]


def test_the_command_reference_is_what_the_commands_say():
    page = (ROOT / "COMMANDS.md").read_text(encoding="utf-8")
    assert page == reference(), "run `make reference`"


@pytest.mark.parametrize("name", registry.names())
def test_every_command_has_a_section(name):
    page = (ROOT / "COMMANDS.md").read_text(encoding="utf-8")
    assert f"\n### `realmemory {name}`\n" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_links_to_files_that_exist(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_fault_is_caused_by_a_test_that_exists():
    """F01 to F42, each with at least one test by file and name."""
    page = (ROOT / "tests" / "FAULTS.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (F\d\d) [^|]+\| (.+) \|$", page, re.MULTILINE))
    assert list(rows) == [f"F{number:02}" for number in range(1, 43)]
    for fault, tests in rows.items():
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", tests)
        assert named, fault
        for file, name in named:
            source = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert f"def {name}(" in source, f"{fault}: {file} has no {name}"


def test_every_file_that_the_architecture_names_is_there():
    package = ROOT / "python" / "realmemory"
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.(?:py|rs)|[\w/]+/)[`:]", text)
    places = (ROOT, ROOT / "python", package, package / "policies")
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    assert len(named) > 30
    assert missing == []
