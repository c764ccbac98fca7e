"""What the command line refuses, and in whose name: the caller's, the disk's, never its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from realmemory import Hippocampus, InvalidInputError
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.report import collect


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


@pytest.mark.parametrize("ids", [b"1", "1", 1.5, None, [b"1"]])
def test_what_is_no_id_forgets_nothing(tmp_path, ids):
    with Hippocampus.open(tmp_path / "m") as memory:
        for number in range(60):
            memory.remember(f"Valve {number} opens at {number * 13} bar")
        with pytest.raises(InvalidInputError):
            memory.forget(ids)
        assert memory.stats()["memories_active"] == 60


@pytest.mark.parametrize("requests", ["abc", b"abc", None, [None], [5], [{"text": "x"}]])
def test_what_is_no_list_of_texts_stores_nothing(tmp_path, requests):
    with Hippocampus.open(tmp_path / "m") as memory:
        with pytest.raises(InvalidInputError):
            memory.remember_many(requests)
        assert memory.stats()["memories_active"] == 0


def test_a_question_is_noted_when_it_was_asked_not_when_it_pretends_to_be(tmp_path, clock):
    with Hippocampus.open(tmp_path / "m", clock=clock) as memory:
        memory.remember("The cat is called Odile")
        memory.recall("what is the cat called?", now=clock.now() + 1e9)
        memory.consolidate()
        assert collect(memory)["discipline"]["last_recall"] == clock.now()
