"""The data directory, found without platformdirs, is the one platformdirs names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from realmemory.errors import ConfigurationError
from realmemory.places import data_directory, home_directory


def test_default_agrees_with_platformdirs(monkeypatch, tmp_path):
    monkeypatch.delenv("REALMEMORY_PATH", raising=False)
    for value in ("", str(tmp_path)):
        monkeypatch.setenv("XDG_DATA_HOME", value)
        assert data_directory() == platformdirs.user_data_dir("realmemory", appauthor=False)


def test_explicit_beats_variable_and_blank_variable_counts_as_unset(tmp_path):
    environ = {"REALMEMORY_PATH": str(tmp_path), "HOME": "/h", "USERPROFILE": "/h"}
    assert data_directory(environ=environ) == str(tmp_path)
    assert data_directory(tmp_path / "x", environ) == str(tmp_path / "x")
    environ["REALMEMORY_PATH"] = "  "
    assert Path(data_directory(environ=environ)).name == "realmemory"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has a home in any case")
@pytest.mark.parametrize("given", [None, "~/memory"])
def test_without_a_home_no_folder_of_that_name_is_made(tmp_path, given):
    """`~` was a folder in the working directory where nothing says what it stands for."""
    homeless = "import os, sys; os.path.expanduser = lambda path: path; "
    call = "from realmemory.cli.root import run; sys.exit(run(sys.argv[1:]))"
    words = ["remember", "hello"] if given is None else ["--path", given, "remember", "hello"]
    environ = {key: os.environ[key] for key in ("PATH", "PYTHONPATH") if key in os.environ}
    run = subprocess.run(
        [sys.executable, "-c", homeless + call, *words],
        check=False,
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2, run.stderr
    assert "REALMEMORY_PATH" in run.stderr
    assert "no_home" in run.stderr
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigurationError):
        home_directory({"HOME": "~", "USERPROFILE": "~"})


def test_a_place_that_needs_no_home_is_found_without_one(tmp_path, monkeypatch):
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert data_directory(environ={"REALMEMORY_PATH": str(tmp_path)}) == str(tmp_path)
    stated = {"XDG_DATA_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "HOME": "/h"}
    assert data_directory(environ=stated).endswith("realmemory")


def test_home_follows_the_environment():
    assert home_directory({"HOME": "/h", "USERPROFILE": "/h"}) == "/h"
    assert home_directory({}) == str(Path.home())


@pytest.mark.skipif(sys.platform == "win32", reason="HOME says nothing there")
def test_an_empty_home_is_none(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    unset = home_directory()
    monkeypatch.setenv("HOME", "")
    assert home_directory() == unset != "/"
