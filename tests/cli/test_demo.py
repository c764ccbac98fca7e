"""The demo tells the truth: every chapter happened, on a real store."""

from __future__ import annotations

import json

from realmemory.cli import exits
from realmemory.cli.root import run


def test_the_demo_shows_every_promise(tmp_path, capsys):
    assert run(["demo", "--json", "--path", str(tmp_path / "demo")]) == exits.DONE

    summary = json.loads(capsys.readouterr().out)

    assert summary["remembered"]["texts"] > 376
    assert summary["asked"]["right"] >= summary["asked"]["known"] / 2
    assert summary["abstained"] is True
    assert "five minutes" in summary["changed"]["now"][0]
    assert "sixty seconds" in summary["changed"]["as_of"][0]
    assert summary["forgotten"] == {"archived": 1, "restored": 1, "back": True}
    assert summary["sleep"]["edges_committed"] > 0
    assert summary["shared"] == {"other_saw_ours": True, "we_saw_other": True}
    # The memory stays to be played with, and is never overwritten.
    assert run(["demo", "--path", str(tmp_path / "demo")]) == exits.INPUT


def test_the_demo_leaves_nothing_behind(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    assert run(["demo"]) == exits.DONE

    shown = capsys.readouterr().out
    for title in ("Remember", "Recall", "Abstain", "Change", "Forget", "Sleep", "Share"):
        assert f". {title}" in shown
    assert list(tmp_path.iterdir()) == []


def test_the_demo_runs_beside_files_that_are_named_like_libraries(tmp_path, capsys, monkeypatch):
    for name in ("click.py", "numpy.py"):
        (tmp_path / name).write_text("raise ImportError('a file of the user')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert run(["demo", "--json"]) == exits.DONE

    assert json.loads(capsys.readouterr().out)["shared"]["we_saw_other"] is True
