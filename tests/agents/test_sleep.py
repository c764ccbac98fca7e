"""The slow half of the hooks: notes become memories, failures become journal, then sleep."""

from __future__ import annotations

import subprocess
import sys

from realmemory import Hippocampus
from realmemory.agents import spool
from realmemory.agents.hook_state import may_sleep
from realmemory.agents.sleep import take_in
from realmemory.store import Store


def note(text, **fields):
    return {"ts": 1.7e9, "text": text, "scope": "shop", "session": "s", "namespace": "", **fields}


def test_sleep_takes_in_what_hooks_left(tmp_path):
    folder = tmp_path / "memory"
    spool.leave_note(str(folder), note("The rounding in payments was fixed"))
    spool.leave_error(str(folder), "codex", "prompt", "busy")
    command = [sys.executable, "-P", "-m", "realmemory.hook_cli", "sleep", "--path", str(folder)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not spool.pending_notes(str(folder))
    assert not spool.pending_errors(str(folder))
    with Hippocampus.open(folder) as memory:
        trace = memory.list(scope="shop")[0]
    assert trace.text == "The rounding in payments was fixed"
    assert (trace.origin, trace.session_id, trace.tags) == ("agent", "s", ("session",))
    assert trace.observed_at == 1.7e9
    store = Store.open(folder)
    with store.read() as view:
        assert view.journal.counts()["hook_error"] == 1
    store.close()
    assert not may_sleep(str(folder))


def test_bad_note_is_dropped_and_the_next_is_kept(tmp_path):
    for content in (note(""), note("x" * 100_000), note("fine", scope="a/b"), note("kept")):
        spool.leave_note(str(tmp_path), content)
    (tmp_path / "inbox" / "note-0-0.json").write_text("{ torn")
    with Hippocampus.open(tmp_path) as memory:
        assert take_in(memory, str(tmp_path), None) == 1
        assert [trace.text for trace in memory.list(all_scopes=True)] == ["kept"]
    assert not spool.pending_notes(str(tmp_path))


def test_notes_of_another_namespace_wait_for_it(tmp_path):
    spool.leave_note(str(tmp_path), note("private", namespace="second"))
    with Hippocampus.open(tmp_path) as memory:
        assert take_in(memory, str(tmp_path), None) == 0
    with Hippocampus.open(tmp_path, namespace="second") as memory:
        assert take_in(memory, str(tmp_path), "second") == 1


def test_same_note_again_does_not_grow_the_memory(tmp_path):
    with Hippocampus.open(tmp_path) as memory:
        for _ in range(20):
            spool.leave_note(str(tmp_path), note("The rounding in payments was fixed"))
            take_in(memory, str(tmp_path), None)
        assert len(memory.list(all_scopes=True)) == 1
