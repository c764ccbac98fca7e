"""Looking after a memory: status, report, verify, backups, repair, what is held back."""

from __future__ import annotations

import json
import re
import shutil
import time
from html.parser import HTMLParser

import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.agents import spool
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.clock import DAY
from realmemory.report import collect
from safety.corpus import ATTACKS


@pytest.fixture
def filled(ask):
    for n in range(6):
        ask("remember", f"Valve {n} opens at {n * 13} bar", "--scope", f"plant-{n % 2}")
    ask("remember", "Valve <b>seven</b> & 'eight' leak", "--scope", "<script>alert(1)<script>")
    ask("recall", "valve opens", "--all-scopes")
    ask("recall", "qwzx plugh", "--all-scopes")
    ask("reflect", "1", "--reward", "1")
    ask("sleep")
    return ask


def test_status_answers_on_one_screen(filled, told):
    lines = told("status").splitlines()
    assert len(lines) <= 24
    text = "\n".join(lines)
    used = "last asked just now, last written to just now"
    for fact in ("7 live", "plant-0 3", "2, 50% abstained", "last sleep just now", used):
        assert fact in text


def test_status_names_what_needs_attention(filled, told):
    filled("conversation", "ingest", "missing.json", status=exits.INPUT)
    with Hippocampus.open(filled.folder) as memory:
        held = memory.remember(ATTACKS["plain"], origin="tool").memory_id
    assert "held back" in told("status", "--check", status=exits.ATTENTION)
    assert filled("confirm", str(held)) == {"confirmed": 1}
    assert filled("show", str(held))["status"] == "active"
    assert filled("confirm", str(held), "--reject") == {"rejected": 0}
    assert "held back until" not in told("status")


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "link", "rect", "polyline", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_status_counts_hooks_that_failed_whether_or_not_anybody_took_note(filled, told):
    assert filled("status")["worries"] == []
    spool.leave_error(str(filled.folder), "claude", "stop", "no memory")
    assert filled("status", "--check", status=exits.ATTENTION)["worries"] == [
        "1 hooks failed: see `realmemory doctor agents`"
    ]
    with Hippocampus.open(filled.folder) as memory, memory.context.store.write() as tx:
        tx.journal.append("hook_error", {"host": "claude", "event": "stop", "message": "slow"})
    assert "! 2 hooks failed" in told("status")


def note(text, namespace=""):
    return {"ts": None, "text": text, "scope": "shop", "session": "s", "namespace": namespace}


@pytest.mark.parametrize(
    "words", [("sleep",), ("status",), ("remember", "Valves rust", "--scope", "shop")]
)
def test_what_hooks_left_is_taken_in_by_what_writes(filled, words):
    spool.leave_note(str(filled.folder), note("The rounding in payments was fixed by Dana"))
    filled(*words)
    assert not spool.pending_notes(str(filled.folder))
    found = filled("recall", "who fixed the rounding in payments?", "--scope", "shop")
    assert found["items"][0]["text"] == "The rounding in payments was fixed by Dana"


def test_what_hooks_left_for_another_namespace_is_named(filled):
    spool.leave_note(str(filled.folder), note("Somebody else's", namespace="other"))
    (worry,) = filled("status", "--check", status=exits.ATTENTION)["worries"]
    assert worry.startswith("1 note of hooks")
    filled("sleep", "--dry-run")
    assert spool.pending_notes(str(filled.folder)) == 1


def test_a_memory_to_which_nothing_was_added_for_long_is_no_sound_one(ask):
    clock, old = FakeClock(time.time() - 103.2 * DAY), ("--namespace", "old")
    with Hippocampus.open(ask.folder, namespace="old", clock=clock) as memory:
        memory.remember("The kiln is fired on Mondays")
        memory.consolidate()
    assert "last successful capture 103 days ago" in str(
        ask(*old, "status", "--check", status=exits.ATTENTION)["worries"]
    )
    (found,) = [item for item in ask(*old, "doctor", status=exits.ATTENTION) if not item["ok"]]
    assert found["detail"] == "last successful capture 103 days ago"
    ask(*old, "remember", "The kiln was repaired")
    assert ask(*old, "status", "--check")["worries"] == []


def test_the_report_is_one_page_that_fetches_nothing(filled, tmp_path):
    page = tmp_path / "report.html"
    figures = tmp_path / "report.json"
    filled("report", "--html", str(page))
    assert run(["--path", str(filled.folder), "report", "--json", str(figures)]) == exits.DONE

    text = page.read_text(encoding="utf-8")
    parser = Page()
    parser.feed(text)
    assert parser.open == []
    names = [tag for tag, _ in parser.tags]
    assert names.count("svg") >= 5
    assert "script" not in names
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text)
    assert "&lt;script&gt;" in text
    assert json.loads(figures.read_text(encoding="utf-8"))["recall"]["recalls"] == 2


def test_the_report_of_an_empty_memory_is_a_page_too(ask, tmp_path):
    page = tmp_path / "report.html"
    ask("report", "--html", str(page))
    assert "nothing yet" in page.read_text(encoding="utf-8")


def test_why_shows_the_verdict_on_every_candidate(filled, told):
    shown = told("why", "at which pressure does valve 3 open?", "--scope", "plant-1")
    assert "kept" in shown
    assert "candidates" in shown
    assert "no memory shares" in told("why", "qwzx plugh") or "dropped" in told("why", "qwzx")


def test_search_lists_words_without_judging(filled, told):
    assert len(filled("search", "opening valves", "--all-scopes")) == 7
    assert filled("search", '"valve 3"', "--all-scopes")[0]["memory"]["text"].startswith("Valve 3")
    assert "no memory holds" in told("search", "giraffe")


def test_a_sound_memory_verifies_and_a_damaged_one_is_repaired(filled, told):
    assert filled("verify")["findings"] == []
    database = filled.folder / "memory.db"
    raw = bytearray(database.read_bytes())
    at = raw.rindex(b"Valve 3 opens")
    raw[at] ^= 1
    database.write_bytes(raw)

    found = filled("verify", status=exits.ATTENTION)
    assert {tuple(item["ids"]) for item in found["findings"]} - {()} == {(4,)}
    assert "realmemory repair" in told("verify", status=exits.ATTENTION)
    assert filled("repair", status=exits.INPUT)["error"]["code"] == "usage"
    report = filled("repair", "--yes", status=exits.ATTENTION)
    assert report["quarantined"] == [4]
    assert filled("repair", "--yes")["lost_rows"] == 0
    assert filled("verify")["findings"] == []
    assert filled("stats")["memories_active"] == 6


def test_a_repair_says_which_memories_it_could_not_save(ask, told):
    for number in range(60):
        ask("remember", f"Storage rack {number} holds the crates of customer {number * 91}")
    ask("sleep")
    database = ask.folder / "memory.db"
    raw = bytearray(database.read_bytes())
    start = raw.rindex(b"the crates of customer 2730") // 4096 * 4096
    raw[start + 100 : start + 612] = bytes(range(256)) * 2
    database.write_bytes(raw)

    report = ask("repair", "--yes", status=exits.ATTENTION)

    kept = ask("list", "--limit", "100", "--all-scopes")
    held = set(report["quarantined"])
    assert {item["id"] for item in kept} | held | set(report["lost_traces"]) == set(range(1, 61))
    assert report["traces"] + len(report["lost_traces"]) == 60
    assert report["traces"] > 40
    assert ask("verify")["findings"] == []


def test_a_verification_of_a_file_without_a_schema_says_each_thing_once_and_no_more(filled, told):
    database = filled.folder / "memory.db"
    raw = bytearray(database.read_bytes())
    raw[100:4096] = b"\xa5" * 3996
    database.write_bytes(raw)

    report = filled("verify", status=exits.ATTENTION)

    told_once = [(item["code"], item["message"]) for item in report["findings"]]
    assert told_once
    assert len(told_once) == len(set(told_once))
    assert "lost_commits" not in {code for code, _ in told_once}
    assert (report["traces"], report["rev"]) == (None, None)
    shown = told("verify", status=exits.ATTENTION)
    assert "0 memories" not in shown
    assert "cannot be read" in shown
    # It advises a repair, and a repair helps.
    assert filled("repair", "--yes", status=exits.ATTENTION)["traces"] == 7
    assert filled("verify")["findings"] == []


def test_status_says_that_the_disk_is_full(filled, monkeypatch):
    assert filled("status")["worries"] == []
    usage = shutil.disk_usage(filled.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    (worry,) = filled("status", "--check", status=exits.ATTENTION)["worries"]
    assert worry.startswith("0 MiB free on the disk")


def test_whoever_changes_a_memory_has_written_to_it(tmp_path):
    clock = FakeClock(1.8e9)
    with Hippocampus.open(tmp_path / "m", clock=clock) as memory:
        first = memory.remember("Valve 1 opens at 13 bar").memory_id
        for change in (
            lambda: memory.pin([first]),
            lambda: memory.update_fact(first, "Valve 1 opens at 14 bar"),
            lambda: memory.forget([first]),
        ):
            clock.advance(200 * DAY)
            change()
            assert collect(memory)["discipline"]["last_write"] == clock.now()
        clock.advance(DAY)
        memory.consolidate()
        assert collect(memory)["discipline"]["last_write"] == clock.now() - DAY


def test_a_backup_is_made_checked_listed_and_put_back(filled, told):
    made = filled("backup", "create", "--label", "before")
    filled("forget", "1", "2", "3", "--hard", "--yes")
    listed = filled("backup", "list")
    assert made["path"] in [item["path"] for item in listed]
    name = made["path"].rpartition("/")[2]
    assert filled("backup", "verify", name)["rev"] == made["rev"]
    assert filled("backup", "restore", name, status=exits.INPUT)["error"]["code"] == "usage"
    changed = filled.folder / "changed.db"
    raw = (filled.folder / "backups" / name).read_bytes()
    changed.write_bytes(raw.replace(b"Valve 3 opens", b"Valve 8 opens"))
    error = filled("backup", "verify", str(changed), status=exits.CORRUPT)["error"]
    assert "do not match their hash" in error["message"]

    report = filled("backup", "restore", name, "--yes")

    assert report["kept"]
    assert filled("stats")["memories_active"] == 7
    assert filled("verify")["findings"] == []
    assert "backup" in told("backup", "list")
    assert filled("backup", "verify", "none.db", status=exits.INPUT)["error"]["code"] == "not_found"


def test_rotation_keeps_the_newest(filled):
    names = [filled("backup", "create")["path"] for _ in range(3)]
    filled("backup", "rotate", "--keep", "2")
    left = [item["path"] for item in filled("backup", "list")]
    assert left[-2:] == names[-2:]
    assert names[0] not in left


def test_a_conversation_is_kept_from_lines_or_an_array(ask, tmp_path):
    turns = [
        {"speaker": "Ann", "text": "I moved to Rome", "observed_at": "2026-01-05T10:00:00Z"},
        {"speaker": "Ben", "content": "   "},
        {"speaker": "Ben", "content": "Since when?"},
    ]
    array, lines = tmp_path / "a.json", tmp_path / "l.jsonl"
    array.write_text(json.dumps(turns), encoding="utf-8")
    lines.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    options = ("--session-id", "s1", "--scope", "global")

    assert ask("conversation", "ingest", str(array), *options)["stored"] == 2
    assert ask("conversation", "ingest", str(lines), *options)["stored"] == 0
    assert ask("show", "1")["observed_at"] == 1767607200.0


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{", "invalid_json"), (b"[1]", "invalid_turn"), (b"\xff", "invalid_utf8")],
)
def test_a_file_that_is_no_conversation_is_refused(ask, tmp_path, content, code):
    file = tmp_path / "c.json"
    file.write_bytes(content)
    assert ask("conversation", "ingest", str(file), status=exits.INPUT)["error"]["code"] == code


def test_what_the_memory_is_made_of_is_shown(filled, told):
    assert filled("config")["changed"] == [] or filled("config")["values"]
    assert "tau_episodic" in told("config")
    assert {row["name"]: row["memories"] for row in filled("projects")}["plant-0"] == 3
    assert filled("audit")["first_broken"] is None
    assert "the chain holds" in told("audit")


def test_a_constant_is_changed_by_name_and_the_journal_knows(filled, told):
    assert filled("config", "get", "backups_keep") == {"backups_keep": 10}
    before = filled("config")["changed"]
    would = filled("config", "set", "backups_keep=20", "--dry-run")
    assert would == {"changed": {"backups_keep": [10, 20]}, "dry_run": True}
    assert told("config", "set", "backups_keep=20", "tau_turn=inf") == (
        "changed backups_keep from 10 to 20\n"
    )
    after = filled("config")["changed"]
    assert set(after) - set(before) == {"backups_keep"}
    for wrong in ("backups=1", "backups_keep=many", "theta_link=2", "dim=7", "ranking=best"):
        error = filled("config", "set", wrong, status=exits.INPUT)["error"]
        assert error["code"] == "invalid_configuration", wrong
        assert wrong.split("=")[0].removesuffix("s") in error["message"]
    assert filled("config")["changed"] == after
    with Hippocampus.open(filled.folder) as memory, memory.context.store.read() as view:
        (event,) = view.journal.page(types=["reconfigure"])
        assert event.data == {"backups_keep": ["10", "20"]}


def test_projects_are_listed_renamed_and_merged(filled, told):
    assert "plant-0" in told("projects")
    assert filled("projects", "rename", "plant-0", "works")["new"] == "works"
    assert filled("projects", "merge", "plant-1", "works", "--yes") == {"moved": 3}
    counts = {row["name"]: row["memories"] for row in filled("projects", "list")}
    assert counts["works"] == 6
    filled("projects", "merge", "works", "nowhere", status=exits.INPUT)
    error = filled("projects", "rename", "work", "x", status=exits.INPUT)["error"]
    assert "works" in error["message"]


def test_shared_options_may_stand_before_a_command_of_a_group(filled, tmp_path, capsys):
    capsys.readouterr()
    assert run(["config", "--path", str(filled.folder), "get", "backups_keep"]) == exits.DONE
    assert capsys.readouterr().out == "10\n"
    assert run(["backup", "--json", "--path", str(filled.folder), "list"]) == exits.DONE
    assert json.loads(capsys.readouterr().out)


def test_the_embedder_is_changed_from_the_shell(filled, told):
    report = filled("reembed", "--to", "hashing")
    assert (report["reembedded"], report["already_current"]) == (7, 0)
    assert "hashing" in filled("status")["embedder"]
    assert "7 had been already" in told("reembed", "--to", "hashing")


def test_a_conflict_is_resolved_as_both_true(ask):
    ask("remember", "The pump runs at 30 bar", "--scope", "global")
    ask("remember", "The pump runs at 45 bar", "--scope", "global")
    assert ask("stats")["conflicts"] == 1
    assert ask("resolve", "1", "2") == {"resolved": True}
    assert ask("resolve", "1", "2") == {"resolved": False}
    assert ask("stats")["conflicts"] == 0


def test_a_conflict_is_resolved_for_one_side(ask, told):
    ask("remember", "The pump runs at 30 bar", "--scope", "global")
    ask("remember", "The pump runs at 45 bar", "--scope", "global")
    error = ask("resolve", "1", "2", "--keep", "7", status=exits.INPUT)["error"]
    assert error["code"].startswith("invalid")
    assert "#2 holds" in told("resolve", "1", "2", "--keep", "#2")
    assert [row["text"] for row in ask("list", "--all-scopes")] == ["The pump runs at 45 bar"]
    assert ask("stats")["conflicts"] == 0


def test_a_sleep_is_taken_back(filled):
    assert filled("undo")["restored"] == []
    assert filled("undo", "no-such-run", status=exits.INPUT)["error"]["code"] == "not_found"


def test_a_young_memory_is_not_told_that_it_slept_no_month_ago(tmp_path, ask):
    lines = "\n".join(f'{{"memory": "Valve v{n} opens at {n * 13} bar"}}' for n in range(120))
    (tmp_path / "m.json").write_text("[" + lines.replace("\n", ",") + "]")
    ask("import", str(tmp_path / "m.json"), "--format", "mem0")
    assert not any("for a month" in worry for worry in ask("status")["worries"])
    with Hippocampus.open(ask.folder) as memory, memory.context.store.write() as tx:
        tx.meta.set("created_at", memory.context.clock.now() - 40 * DAY)
    assert sum("for a month" in worry for worry in ask("status")["worries"]) == 2


def test_what_keeps_a_memory_out_or_has_faded_is_named_wherever_one_looks(ask, told):
    folder, then = ask.folder, FakeClock(time.time() - 80 * DAY)
    with Hippocampus.open(folder, clock=then) as memory:
        for text in ("The valve opens at 13 bar", "Lunch is at noon", "Fog stops the ferry"):
            memory.remember(text)
        memory.pin(2)
        memory.forget(3)

    assert "archive" in told("recall", "when does the valve open?")
    # It took part for all its age, so what keeps it out is that it does not answer.
    assert "below the floor of a hit" in told("why", "when is lunch?", "1")
    assert "forgotten on request" in told("why", "when is lunch?", "3")
    assert "faded:" in told("show", "1")
    assert "2 of 2 memories are found" in told("doctor", "--deep")
    assert "restored 1" in told("restore", "1")
    assert "faded:" not in told("show", "1")
    told("revise", "1", "The valve opens at 15 bar")
    assert "superseded by #4" in told("why", "when does the valve open?", "1")
    told("forget", "4", "--hard", "--yes")
    assert "superseded it was erased" in told("why", "when does the valve open?", "1")
