"""What the command line refuses, and in whose name: the caller's, the disk's, never its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from realmemory import Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run


def test_a_newer_store_is_neither_judged_nor_repaired(tmp_path):
    folder = tmp_path / "m"
    assert run(["--path", str(folder), "remember", "Gamma is in the cellar"]) == exits.DONE
    with closing(sqlite3.connect(folder / "memory.db")) as database:
        database.execute("CREATE TABLE future (x)")
        database.execute("PRAGMA user_version = 99")
    before = (folder / "memory.db").read_bytes()
    for words in (["verify"], ["repair", "--yes"], ["recall", "gamma"]):
        assert run(["--path", str(folder), *words]) == exits.REFUSED, words
    assert (folder / "memory.db").read_bytes() == before


def test_a_database_of_another_program_is_neither_judged_nor_repaired(tmp_path, capsys):
    with closing(sqlite3.connect(tmp_path / "memory.db")) as database:
        database.execute("CREATE TABLE a (b)")
    for words in (["verify"], ["repair", "--yes"], ["recall", "gamma"]):
        assert run(["--path", str(tmp_path), *words]) == exits.REFUSED, words
        assert "[foreign_db]" in capsys.readouterr().err


def test_a_row_that_has_no_form_in_utf8_is_rejected_alone(tmp_path):
    source = tmp_path / "m.json"
    source.write_text('[{"memory": "a good one about birds"}, {"memory": "bad \\ud800 bird"}]')
    folder = str(tmp_path / "m")
    assert run(["--path", folder, "import", str(source), "--format", "mem0"]) == exits.ATTENTION
    with Hippocampus.open(folder) as memory:
        assert [trace.text for trace in memory.list(all_scopes=True)] == ["a good one about birds"]
    (row,) = map(json.loads, (tmp_path / "m.json.rejected.jsonl").read_text().splitlines())
    assert "bad" in row["row"]


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["report", "--html", "{there}/missing/x.html"], exits.INPUT, "usage"),
        (["report", "--html", "{there}"], exits.INPUT, "usage"),
        (["serve", "--port", "99999"], exits.INPUT, "usage"),
    ],
)
def test_a_place_that_cannot_be_written_is_no_fault_of_ours(tmp_path, capsys, words, status, code):
    words = [word.format(there=tmp_path) for word in words]
    Hippocampus.open(tmp_path / "m").close()
    assert run(["--path", str(tmp_path / "m"), *words]) == status
    assert f"[{code}]" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        *(
            ["recall", "x"],
            ["search", "x"],
            ["list"],
            ["show", "1"],
            ["history", "1"],
            ["why", "x"],
        ),
        *(["status"], ["verify"], ["repair", "--yes"], ["report"], ["export"], ["audit"]),
        *(["backup", "list"], ["backup", "create"], ["projects"], ["config"], ["sleep"], ["undo"]),
        *(["forget", "1"], ["revise", "1", "x"], ["reflect", "1", "--reward", "1"], ["reembed"]),
    ],
    ids=" ".join,
)
def test_a_mistyped_path_is_named_and_nothing_is_made_there(tmp_path, capsys, words):
    assert run(["--path", str(tmp_path / "mistyped"), *words]) == exits.REFUSED
    told = capsys.readouterr().err
    assert f"no memory in {tmp_path / 'mistyped'}" in told
    assert "[not_a_store]" in told
    assert not (tmp_path / "mistyped").exists()


def test_a_mistyped_namespace_makes_none(ask):
    ask("remember", "Gamma is in the cellar")
    told = ask("--namespace", "mistyped", "recall", "gamma", status=exits.REFUSED)
    assert told["error"]["code"] == "not_a_store"
    assert not (ask.folder / "mistyped").exists()


@pytest.mark.parametrize("words", [["verify"], ["recall", "x"], ["status"], ["repair", "--yes"]])
def test_what_a_killed_creation_leaves_is_no_damage(tmp_path, capsys, words):
    path = ["--path", str(tmp_path)]
    (tmp_path / "memory.db").touch()
    assert run([*path, *words]) == exits.REFUSED
    assert "[not_a_store]" in capsys.readouterr().err
    assert run([*path, "remember", "Gamma is in the cellar", "--scope", "global"]) == exits.DONE
    assert run([*path, "verify"]) == exits.DONE


def test_a_name_that_is_no_project_is_refused_before_a_memory_is_made(tmp_path, capsys):
    path = ["--path", str(tmp_path / "new")]
    for words in (["--project", "../x"], ["--scope", "../x"]):
        assert run([*path, "remember", "hello", *words]) == exits.INPUT
        assert "[invalid_scope]" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_dry_run_of_an_import_makes_no_memory(ask, tmp_path, capsys):
    ask("remember", "Gamma is in the cellar", "--scope", "global")
    ask("export", str(tmp_path / "out.jsonl"))
    path = ["--path", str(tmp_path / "new"), "--json"]
    capsys.readouterr()
    assert run([*path, "import", str(tmp_path / "out.jsonl"), "--dry-run"]) == exits.DONE
    assert json.loads(capsys.readouterr().out)["imported"] == 1
    assert not (tmp_path / "new").exists()


def test_an_export_into_a_missing_folder_names_the_folder(ask, tmp_path):
    told = ask("export", str(tmp_path / "none" / "out.jsonl"), status=exits.INPUT)
    assert told["error"]["code"] == "missing_folder"
    assert f"no folder {tmp_path / 'none'} " in told["error"]["message"]


@pytest.mark.parametrize(
    "words",
    [["export"], ["export", "--markdown"], ["report", "--html"], ["report", "--json"]],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal", "backups/x", "new.jsonl", ""])
def test_no_command_writes_over_the_memory_itself(ask, capsys, words, name):
    """An export named memory.db replaced the memory, and one named memory.db-wal lost it."""
    ask("remember", "Gamma is in the cellar", "--scope", "global")
    before = {path: path.read_bytes() for path in ask.folder.rglob("*") if path.is_file()}
    target = str(ask.folder / name)
    assert run(["--path", str(ask.folder), *words, target]) == exits.INPUT
    assert "inside_memory" in "".join(capsys.readouterr())
    for path, content in before.items():
        assert path.name.endswith("-shm") or path.read_bytes() == content
    assert ask("recall", "gamma")["items"]


def test_a_database_that_is_gone_is_no_mistyped_path(ask):
    ask("remember", "Gamma is in the cellar")
    ask("sleep")
    (ask.folder / "memory.db").unlink()
    for words in (["recall", "gamma"], ["verify"], ["repair", "--yes"]):
        assert ask(*words, status=exits.CORRUPT)["error"]["code"] == "truncated"


@pytest.mark.parametrize(
    "words",
    [
        ["remember", "Gamma is in the cellar", "--when", ""],
        ["remember", "Gamma is in the cellar", "--expires", ""],
        ["remember", "Gamma is in the cellar", "--scope", ""],
        ["recall", "gamma", "--since", ""],
        ["recall", "gamma", "--scope", ""],
    ],
    ids=" ".join,
)
def test_an_empty_option_is_not_one_that_was_left_out(ask, words):
    ask("remember", "Delta is in the attic")
    assert ask(*words, status=exits.INPUT)["error"]["code"].startswith("invalid_")
    assert ask("status")["memories"]["by_status"]["active"] == 1


def test_judging_an_unknown_memory_is_no_success(ask):
    ask("remember", "Gamma is in the cellar")
    assert ask("reflect", "7", "--reward", "1", status=exits.INPUT)["error"]["code"] == "not_found"
    assert ask("reflect", "1", "7", "--reward", "1", status=exits.ATTENTION)["touched"] == 1


def test_a_path_that_is_no_text_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["remember", "Gamma is in the cellar"], ["recall", "gamma"], ["verify"]):
        assert run(["--path", "m\udcff", *words]) == exits.INPUT, words
        assert "[invalid_path]" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_daemon_that_would_idle_for_no_number_of_seconds_is_refused(tmp_path, capsys):
    assert run(["--path", str(tmp_path), "serve", "--idle-timeout", "nan"]) == exits.INPUT
    assert "--idle-timeout" in capsys.readouterr().err


def test_a_turn_that_has_no_form_in_utf8_is_the_callers_fault(ask, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "hello there", "speaker": "a\\ud800"}\n')
    told = ask("conversation", "ingest", str(tmp_path / "t.jsonl"), status=exits.INPUT)
    assert told["error"]["code"] == "invalid_turn"


@pytest.mark.parametrize("row", ['{"speaker": "Ann"}', "{}", '{"message": "hello"}'])
def test_a_turn_without_a_text_is_named_and_not_skipped(ask, tmp_path, row):
    (tmp_path / "t.jsonl").write_text('{"text": "hello there"}\n' + row)
    told = ask("conversation", "ingest", str(tmp_path / "t.jsonl"), status=exits.INPUT)
    assert told["error"]["code"] == "invalid_turn"
    assert "turn 2 has no text" in told["error"]["message"]
    assert ask("list") == []


def test_a_mistyped_project_to_work_in_is_named_and_a_new_one_is_empty(ask):
    ask("remember", "The barista machine is descaled on Mondays", "--scope", "coffee-shop")
    question = ("recall", "when is the machine descaled?", "--project")
    told = ask(*question, "cofee-shop", status=exits.INPUT)
    assert "'coffee-shop'" in told["error"]["message"]
    assert ask(*question, "brand-new")["abstained"]
    assert ask(*question, "Coffee_Shop")["items"]


def test_a_file_of_another_format_is_named_with_what_became_of_it(ask, tmp_path):
    (tmp_path / "wrong.json").write_text("not an export")
    for name in ("chatgpt", "claude", "mem0", "trw", "realmemory"):
        told = ask("import", str(tmp_path / "wrong.json"), "--format", name, status=exits.INPUT)
        assert "wrong.json" in told["error"]["message"], name
        assert "nothing was imported" in told["error"]["message"], name


def test_an_empty_path_is_not_the_current_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["--path", "", "remember", "Gamma is in the cellar"]) == exits.INPUT
    assert "names no folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_notes_are_read_from_a_file_and_from_the_current_folder(ask, tmp_path, monkeypatch):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "places.md").write_text("- Gamma is in the cellar\n- Delta is in the attic\n")
    told = ask("import", str(notes / "places.md"), "--format", "notes")
    assert told["imported"] == 2
    monkeypatch.chdir(notes)
    assert ask("import", ".")["imported"] == 0


@pytest.mark.parametrize("group", ["backup", "conversation", "token"])
def test_a_group_alone_shows_its_commands_once(tmp_path, capsys, group):
    assert run(["--path", str(tmp_path / "m"), group]) == exits.INPUT
    shown = capsys.readouterr().err
    assert shown.count("Usage:") == 1
    assert "Commands:" in shown
    assert run(["--path", str(tmp_path / "m"), group, "--json"]) == exits.INPUT
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"


def test_nothing_is_asked_about_what_is_not_there(ask):
    ask("remember", "The lighthouse is 41 metres tall.", "--scope", "coast")
    for words, code, status in (
        (["list", "--scope", "coats"], "unknown_project", exits.INPUT),
        (["projects", "merge", "coats", "coast"], "unknown_project", exits.INPUT),
        (["projects", "merge", "coast", "coats"], "unknown_project", exits.INPUT),
        (["backup", "restore", "none.db"], "not_found", exits.INPUT),
        (["backup", "verify", "none.db"], "not_found", exits.INPUT),
    ):
        assert ask(*words, status=status)["error"]["code"] == code


def test_a_window_that_ends_before_it_begins_is_told_in_dates(ask):
    window = ("--since", "2025-01-01", "--until", "2024-01-01")
    told = ask("recall", "x", *window, status=exits.INPUT)
    assert "2025-01-01T00:00:00Z is later than" in told["error"]["message"]
