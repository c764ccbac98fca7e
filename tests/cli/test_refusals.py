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
    assert run(["--path", str(tmp_path / "m"), *words]) == status
    assert f"[{code}]" in capsys.readouterr().err
