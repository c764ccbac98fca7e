"""The data directory, found without platformdirs, is the one platformdirs names."""

from __future__ import annotations

from pathlib import Path

import platformdirs

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


def test_home_follows_the_environment():
    assert home_directory({"HOME": "/h", "USERPROFILE": "/h"}) == "/h"
    assert home_directory({}) == str(Path.home())
