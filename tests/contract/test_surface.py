"""What the package promises to importers: names, laziness, types."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import realmemory

HEAVY = ["numpy", "mcp", "fastembed", "onnxruntime", "pydantic", "click", "apsw"]


def loaded_by(statement: str) -> set[str]:
    script = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in json.loads(run.stdout.splitlines()[-1])}


def test_exported_names_are_sorted_and_unique():
    assert sorted(set(realmemory.__all__)) == realmemory.__all__


@pytest.mark.parametrize("name", realmemory.__all__)
def test_every_exported_name_can_be_imported(name):
    assert getattr(realmemory, name) is not None


def test_nothing_public_is_left_out_of_the_exports():
    assert set(dir(realmemory)) == set(realmemory.__all__)
    with pytest.raises(AttributeError, match="Hippocampi"):
        realmemory.Hippocampi  # noqa: B018 - the access is what is tested


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_by("import realmemory").isdisjoint(HEAVY)


def test_the_overview_of_the_command_line_loads_nothing_heavy():
    statement = (
        "import contextlib, os, sys; sys.argv = ['realmemory', '--help'];"
        "from realmemory.cli import main;\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(open(os.devnull, 'w')):"
        " main()\n"
        "import json"
    )
    assert loaded_by(statement).isdisjoint(HEAVY)


def test_the_help_of_a_command_loads_no_engine():
    statement = (
        "import os, sys;"
        "from realmemory.cli.root import run;"
        "out = sys.stdout; sys.stdout = open(os.devnull, 'w');"
        "assert run(['recall', '--help']) == 0;"
        "sys.stdout = out"
    )
    assert loaded_by(statement).isdisjoint({"numpy", "apsw", "mcp", "fastembed", "onnxruntime"})
