"""A memory that commands are run on, as a person or a program would."""

from __future__ import annotations

import json

import pytest

from realmemory import Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run


@pytest.fixture
def ask(tmp_path, capsys, monkeypatch):
    """Run a command on a fresh memory and return its JSON answer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("REALMEMORY_PROJECT", raising=False)
    folder = tmp_path / "память с пробелом"
    Hippocampus.open(folder).close()

    def call(*words, status=exits.DONE):
        capsys.readouterr()
        assert run(["--json", "--path", str(folder), *words]) == status, words
        return json.loads(capsys.readouterr().out)

    call.folder = folder
    return call


@pytest.fixture
def told(ask, capsys):
    """Run a command on the same memory and return what a person reads."""

    def call(*words, status=exits.DONE):
        capsys.readouterr()
        assert run(["--path", str(ask.folder), *words]) == status, words
        return capsys.readouterr().out

    return call
