"""The everyday commands, end to end, on a real store."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from realmemory import Hippocampus
from realmemory.cli import exits
from realmemory.cli.root import run


def pipe(folder, words, stdin, **environment):
    return subprocess.run(
        [sys.executable, "-m", "realmemory", *words, "--path", str(folder)],
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": "", **environment} if environment else None,
        cwd=folder.parent,
    )


def test_what_expired_before_it_was_told_is_kept_with_a_note(ask, told):
    words = ("remember", "The parking permit code is 7781", "--expires")

    assert "note: it expired at 2020-01-01T00:00:00Z" in told(*words, "2020-01-01")
    refused = ask(*words, "2025-01-01", "--when", "2026-01-01", status=exits.INPUT)
    assert refused["error"]["code"] == "invalid_range"


def test_what_is_remembered_is_recalled_with_confidence_and_source(ask, told):
    ask("remember", "The project uses PostgreSQL 16 with alembic migrations", "--scope", "shop")

    packet = ask("recall", "which database does the project use?", "--scope", "shop")

    assert packet["abstained"] is False
    assert packet["items"][0]["text"].startswith("The project uses PostgreSQL 16")
    shown = told("recall", "which database does the project use?", "--scope", "shop")
    assert shown.startswith("[0.")
    assert "#1 · direct · shop · just now" in shown


def test_a_question_without_an_answer_is_no_failure(told):
    assert told("recall", "what is the capital of Peru?").startswith("I don't know: ")


def test_a_scope_sees_itself_and_global_only(ask):
    ask("remember", "The blue team deploys on Monday", "--scope", "blue")
    ask("remember", "Deploys happen before noon", "--scope", "global")

    texts = {item["text"] for item in ask("recall", "deploys", "--scope", "red")["items"]}

    assert texts <= {"Deploys happen before noon"}
    assert len(ask("list", "--all-scopes")) == 2


def test_a_known_text_is_strengthened_and_a_new_number_is_not_merged(ask):
    first = ask("remember", "Timeout of the gateway is 30 seconds", "--scope", "global")
    again = ask("remember", "Timeout of the gateway is 30 seconds", "--scope", "global")
    other = ask("remember", "Timeout of the gateway is 45 seconds", "--scope", "global")

    assert again["memory_id"] == first["memory_id"]
    assert again["decision"]["action"] == "reinforce"
    assert other["memory_id"] != first["memory_id"]


def test_a_revised_fact_leaves_recall_and_stays_as_history(ask, told):
    old = ask("remember", "The office is in Oslo", "--scope", "global")["memory_id"]
    new = ask("revise", f"#{old}", "The office is in Bergen")["memory_id"]

    hits = ask("recall", "where is the office?", "--scope", "global")["items"]

    assert [hit["memory_id"] for hit in hits] == [new]
    assert [trace["id"] for trace in ask("history", str(new))] == [old, new]
    assert told("history", str(old)).splitlines()[-1] == "  The office is in Bergen"


def test_a_forgotten_memory_is_gone_until_it_is_restored(ask):
    number = str(ask("remember", "The spare key is red", "--scope", "global")["memory_id"])
    query = ("recall", "spare key", "--scope", "global")

    assert ask("forget", number)["forgotten"] == [int(number)]
    assert ask(*query)["items"] == []
    assert ask("forget", number)["already_forgotten"] == [int(number)]
    assert ask("restore", number) == {"restored": 1}
    assert [hit["memory_id"] for hit in ask(*query)["items"]] == [int(number)]


def test_history_comes_back_once_nothing_after_it_is_left(ask, told):
    first = ask("remember", "The office is in Oslo", "--scope", "global")["memory_id"]
    second = ask("revise", f"{first}", "The office is in Bergen")["memory_id"]
    third = ask("revise", f"{second}", "The office is in Bodø")["memory_id"]

    assert ask("forget", f"{second}")["uncovered"] == []
    assert f"#{first} was superseded: forget all that came after it" in told("restore", f"{first}")
    assert f"`realmemory restore {first}` makes it current again" in told("forget", f"{third}")
    assert ask("restore", f"{first}") == {"restored": 1}


def test_deleting_for_good_wants_a_yes(ask, capsys):
    number = str(ask("remember", "The spare key is red", "--scope", "global")["memory_id"])

    assert ask("forget", number, "--hard", status=exits.INPUT)["error"]["code"] == "usage"
    assert ask("show", number)["status"] == "active"
    assert ask("forget", number, "--hard", "--yes")["hard"] is True
    assert ask("show", number, status=exits.INPUT)["error"]["code"] == "not_found"


def test_everything_said_about_a_memory_is_shown(ask, told):
    number = ask(
        *("remember", "Ann joined the team", "--scope", "global", "--kind", "semantic"),
        *("--tag", "people", "--tag", "team", "--meta", '{"source": "wiki"}'),
        *("--when", "2026-03-01", "--importance", "0.5"),
    )["memory_id"]

    card = told("show", str(number))

    for fact in ("semantic", "people, team", "wiki", "2026-03-01T00:00:00Z"):
        assert fact in card


def test_the_channels_of_learning_answer_with_counts(ask):
    ids = [
        str(ask("remember", text, "--scope", "global")["memory_id"])
        for text in ("The cat is called Mia", "Tuesday is pizza day")
    ]

    assert ask("reflect", *ids, "--reward", "1") == {"touched": 2}
    assert ask("link", *ids)["pairs"] >= 1
    assert ask("pin", ids[0]) == {"pinned": 1}
    assert ask("pin", ids[0], "--off") == {"unpinned": 1}
    assert ask("sleep", "--dry-run")["edges_committed"] >= 0
    assert ask("stats")["memories_active"] == 2


def test_the_project_around_the_working_directory_counts(ask, tmp_path, monkeypatch):
    repository = tmp_path / "lighthouse"
    (repository / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    monkeypatch.chdir(repository / "src")
    ask("remember", "Releases are cut on Thursdays")

    assert ask("list")[0]["scope"] == "lighthouse"
    assert len(ask("recall", "when are releases cut?")["items"]) == 1
    monkeypatch.chdir(tmp_path)
    assert ask("recall", "when are releases cut?")["items"] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("remember", "   "), "empty_text"),
        (("remember", "x", "--scope", "../../etc"), "invalid_scope"),
        (("remember", "x", "--when", "yesterday"), "invalid_timestamp"),
        (("remember", "x", "--meta", "[1]"), "invalid_meta"),
        (("recall", "x", "-k", "0"), "invalid_k"),
        (("show", "99"), "not_found"),
        (("forget", "99"), "not_found"),
        (("revise", "99", "x"), "not_found"),
        (("reflect", "1", "--reward", "7"), "invalid_reward"),
    ],
)
def test_wrong_input_leaves_with_its_code(ask, words, code):
    assert ask(*words, status=exits.INPUT)["error"]["code"] == code


def test_a_folder_that_holds_something_else_is_refused_by_name(tmp_path, capsys):
    (tmp_path / "memory.db").write_bytes(b"\x89PNG" * 1000)
    before = (tmp_path / "memory.db").read_bytes()

    status = run(["--path", str(tmp_path), "recall", "x", "--json"])

    assert status == exits.REFUSED
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_a_store"
    assert (tmp_path / "memory.db").read_bytes() == before


def test_a_file_in_place_of_the_folder_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    status = run(["--path", str(tmp_path / "file"), "remember", "x"])
    assert status in {exits.INPUT, exits.REFUSED, exits.READ_ONLY, exits.STORE}
    assert "Traceback" not in capsys.readouterr().err


TRICKY = "Строка 1\r\nline 2\u2028東京 👩‍👩‍👧 e\u0301 \u05e9\u05dc\u05d5\u05dd \x1b[2J end  "


@pytest.mark.parametrize("encoding", [{}, {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}])
def test_standard_input_is_stored_byte_for_byte(ask, encoding):
    ask("stats")
    stored = pipe(
        ask.folder, ["remember", "-", "--scope", "global", "--json"], TRICKY.encode(), **encoding
    )
    assert stored.returncode == 0, stored.stderr
    number = json.loads(stored.stdout)["memory_id"]
    assert ask("show", str(number))["text"] == TRICKY

    shown = pipe(ask.folder, ["show", str(number)], b"", **encoding)
    assert b"\x1b" not in shown.stdout
    assert "東京" in shown.stdout.decode()


def test_standard_input_that_is_not_utf8_is_refused_with_its_place(ask):
    ask("stats")
    refused = pipe(ask.folder, ["remember", "--json"], b"abc\xff")
    assert refused.returncode == exits.INPUT
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "invalid_utf8"
    assert "byte 3" in error["message"]
    assert ask("stats")["memories_active"] == 0


@pytest.mark.parametrize("size", [10 * 2**20, 40 * 2**20])
def test_a_text_that_is_too_large_is_refused(ask, size):
    ask("stats")
    refused = pipe(ask.folder, ["remember", "--json"], b"x" * size)
    assert refused.returncode == exits.INPUT
    assert json.loads(refused.stdout)["error"]["code"] == "text_too_large"


def test_a_text_may_begin_with_a_dash(ask):
    number = ask("remember", "--scope", "global", "--", "--force is dangerous")["memory_id"]
    assert ask("show", str(number))["text"] == "--force is dangerous"


def test_a_reader_that_goes_away_is_no_error(ask):
    for number in range(3):
        ask("remember", f"Fact number {number} about topic {number * 7}", "--scope", "global")
    command = (
        f'"{sys.executable}" -m realmemory list --json --path "{ask.folder}" | head -c 1 >/dev/null;'
        ' echo "${PIPESTATUS[0]}"'
    )
    shown = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True
    )
    assert shown.stdout.strip() == "0"
    assert shown.stderr == ""


def test_two_terminals_at_once_work(ask):
    ask("stats")
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "realmemory",
                "remember",
                f"Terminal {n} wrote item {n}{n}",
                "--scope",
                f"t{n}",
                "--path",
                str(ask.folder),
                "--json",
            ],
            stdout=subprocess.PIPE,
        )
        for n in range(4)
    ]
    ids = {json.loads(writer.communicate(timeout=60)[0])["memory_id"] for writer in writers}

    assert len(ids) == 4
    assert {trace["id"] for trace in ask("list", "--all-scopes")} == ids


def test_a_namespace_is_a_separate_memory(ask):
    ask("remember", "Only here", "--scope", "global", "--namespace", "one")
    assert ask("stats")["memories_active"] == 0
    assert ask("stats", "--namespace", "one")["memories_active"] == 1


def test_a_memory_moves_by_export_and_import(ask, told, tmp_path, capsys):
    ask("remember", "The spare key hangs in the red cabinet", "--scope", "home")
    file = tmp_path / "out.jsonl"
    assert ask("export", str(file))["lines"] == 2
    other = str(tmp_path / "other")

    dry = ask("import", str(file), "--dry-run", "--namespace", "two")
    done = ask("import", str(file), "--namespace", "two")
    again = told("import", str(file), "--namespace", "two")

    assert (dry["imported"], dry["dry_run"], done["imported"]) == (1, True, 1)
    assert again.startswith("imported 0 of 1 records (realmemory)")
    capsys.readouterr()
    Hippocampus.open(other).close()
    assert run(["--path", other, "export"]) == exits.DONE
    assert capsys.readouterr().out.count("\n") == 1
    assert len(ask("export", str(tmp_path / "pages"), "--markdown")["pages"]) == 1


def test_a_dash_is_standard_output_for_an_export(ask, told, tmp_path, monkeypatch):
    ask("remember", "The boiler is in room nine")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    lines = told("export", "-").splitlines()
    assert "The boiler is in room nine" in lines[1]
    assert sorted(tmp_path.iterdir()) == before


def test_what_everybody_knows_is_said_to_be_global(ask, told):
    ask("remember", "The boiler is in room nine", "--scope", "global")
    assert "strengthened #1 in global" in told(
        "remember", "The boiler is in room nine", "--scope", "a"
    )


def test_what_has_a_tag_is_listed_by_it(ask, told):
    ask("remember", "The boiler is in room nine", "--tag", "house", "--tag", "heating")
    ask("remember", "Ann plays the cello", "--tag", "music")
    ask("remember", "Bob plays the cello")
    assert [trace["id"] for trace in ask("list", "--tag", "heating")] == [1]
    assert "nothing is remembered here" in told("list", "--tag", "heat")
    assert ask("list", "--tag", "", status=exits.INPUT)["error"]["code"] == "invalid_tags"


def test_a_list_of_any_status_shows_it(ask, told):
    ask("remember", "The boiler is in room nine")
    ask("remember", "Ann plays the cello")
    ask("forget", "1")
    shown = told("list", "--status", "any")
    assert "archived" in shown
    assert "active" in shown
    assert "status" not in told("list")


def test_one_of_a_thing_is_said_in_the_singular(ask, told, tmp_path, monkeypatch):
    ask("remember", "The boiler is in room nine")
    ask("remember", "The boiler is in room nine")
    assert "reinforced 1 time\n" in told("show", "1")
    assert "wrote 1 page to" in told("export", "--markdown", str(tmp_path / "pages"))
    assert told("verify").startswith("1 memory at rev")
    asked = []
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text))
    told("forget", "--hard", "1")
    assert asked == ["Delete 1 memory for good?"]


def test_an_import_with_bad_rows_leaves_with_one(ask, tmp_path):
    file = tmp_path / "m.json"
    file.write_text('[{"memory": "Likes tea very much"}, {"memory": 7}]', encoding="utf-8")
    report = ask("import", str(file), "--format", "mem0", status=exits.ATTENTION)
    assert (report["imported"], report["rejected"]) == (1, 1)
    assert report["rejected_file"].endswith("m.json.rejected.jsonl")


def test_other_wordings_of_a_memory_are_shown(ask, told):
    ask("remember", "The ferry leaves at 9:40", "--scope", "global")
    assert ask("remember", "The ferry leaves at 9:40!", "--scope", "global")["created"] is False
    assert ask("show", "1")["wordings"] == ["The ferry leaves at 9:40!"]
    assert "also told as: The ferry leaves at 9:40!" in told("show", "1")


def test_a_line_that_is_no_json_is_named_by_its_number(ask, tmp_path):
    file = tmp_path / "turns.jsonl"
    file.write_text('{"text": "first\u2028still first"}\n\n{"text": \n', encoding="utf-8")
    told = ask("conversation", "ingest", str(file), status=exits.INPUT)
    assert told["error"]["message"].startswith("line 3 of the file: ")
    file.write_text('{"text": "first\u2028still first"}\r\n', encoding="utf-8")
    assert ask("conversation", "ingest", str(file))["stored"] == 1


def test_a_folder_without_notes_says_what_notes_are(told, tmp_path):
    (tmp_path / "notes").mkdir()
    said = told("import", str(tmp_path / "notes"), status=exits.ATTENTION)
    assert "nothing that could be imported" in said
    assert "*.md" in said


def test_a_session_of_many_hits_is_told_in_one_short_line(told, tmp_path):
    turns = [{"speaker": "Ann", "text": f"The valve {n} of the boiler leaks"} for n in range(40)]
    (tmp_path / "turns.json").write_text(json.dumps(turns))
    told(
        "conversation",
        "ingest",
        str(tmp_path / "turns.json"),
        "--session-id",
        "s",
        "--scope",
        "global",
    )
    said = told("recall", "which valve of the boiler leaks?", "-k", "40", "--group-by", "session")
    line = next(line for line in said.splitlines() if "also" in line)
    assert line.endswith(" more")
    assert len(line) < 80


def test_of_a_long_text_the_part_that_answers_is_printed_and_all_of_it_on_request(ask, told):
    text = "Minutes of the garden committee about hedges and hoses. " * 600
    answer = "The emergency contact is Mr. Okonkwo at the boiler firm."
    ask("remember", f"{text}{answer} {text[:3000]}", "--scope", "global")
    shown = told("recall", "who is the emergency contact?")
    assert answer in shown
    assert len(shown) < 900
    assert "by --full" in shown
    assert text in told("recall", "who is the emergency contact?", "--full")


def test_the_origin_and_the_session_of_a_memory_are_kept(ask):
    words = ("--origin", "agent", "--session-id", "s7", "--scope", "shop")
    first = ask("remember", "Refunds go through Adyen", *words)["memory_id"]
    shown = ask("show", str(first))
    assert (shown["origin"], shown["session_id"]) == ("agent", "s7")
    ask("recall", "Adyen refunds", "--scope", "shop", "--session-id", "s7")
    second = ask("revise", str(first), "Refunds go through Stripe", "--origin", "user")["memory_id"]
    assert ask("show", str(second))["origin"] == "user"


def test_backups_are_written_anew_without_what_is_deleted(ask):
    ask("remember", "The code word is xylophone", "--scope", "global")
    ask("backup", "create")
    ask("forget", "1", "--backups", "rewrite", status=exits.INPUT)
    gone = ask("forget", "1", "--hard", "--backups", "rewrite", "--yes")
    assert gone["remaining_copies"] == []
    assert not any(b"xylophone" in path.read_bytes() for path in ask.folder.rglob("*.db"))


def test_a_search_in_the_wrong_project_names_the_way_out(ask, told):
    ask("remember", "The harbour crane is orange", "--scope", "port")
    ask("remember", "The mill grinds rye", "--scope", "mill")
    assert "--all-scopes" in told("search", "crane", "--scope", "mill")
    assert "--all-scopes" not in told("search", "zeppelin", "--scope", "mill")
