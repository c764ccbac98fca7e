"""`encrypt`, `decrypt` and `rekey` as a person runs them, and every other command on such a memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from realmemory import Hippocampus, Key, keys
from realmemory.agents import spool
from realmemory.agents.sleep import take_in
from realmemory.api.connect import opener
from realmemory.api.direct import DirectBackend
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.errors import StoreRefusedError
from realmemory.places import FILE_VARIABLE, KEY_VARIABLE
from realmemory.store import Store

PLANTED = "The planted heliotrope stands in Vienna"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    for name in ("XDG_CONFIG_HOME", KEY_VARIABLE, FILE_VARIABLE):
        monkeypatch.delenv(name, raising=False)


def showing(folder):
    return [
        path for path in folder.rglob("*") if path.is_file() and b"heliotrop" in path.read_bytes()
    ]


def test_a_memory_is_encrypted_rekeyed_and_decrypted(ask, told, tmp_path):
    ask("remember", PLANTED)
    ask("backup", "create")
    answer = ask("encrypt")
    assert answer["encrypted"]
    assert len(answer["converted"]) == 2
    assert not showing(ask.folder)
    kept = tmp_path / ".config" / "realmemory" / "memory.key"
    assert answer["key_file"] == str(kept)
    assert kept.stat().st_mode & 0o077 == 0
    first = keys.read(str(kept))
    # Every command finds the key by itself.
    assert ask("recall", "where is the heliotrope?")["items"][0]["text"] == PLANTED
    assert ask("search", "heliotrope")
    assert ask("verify")["findings"] == []
    assert "encryption" in told("doctor")
    ask("status")
    (backup,) = ask("backup", "list")
    ask("backup", "verify", backup["path"])
    ask("sleep")
    ask("rekey")
    assert keys.read(str(kept))[1:] == first
    assert ask("recall", "where is the heliotrope?")["items"][0]["text"] == PLANTED
    ask("backup", "restore", backup["path"], "--yes")
    ask("repair", "--yes")
    assert not showing(ask.folder)
    assert ask("encrypt")["converted"] == []
    assert not ask("decrypt")["encrypted"]
    assert ask("recall", "where is the heliotrope?")["items"][0]["text"] == PLANTED
    assert showing(ask.folder)
    assert run(["--path", str(ask.folder), "decrypt"]) == exits.INPUT


def test_where_there_is_no_memory_an_encrypted_one_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    folder, kept = tmp_path / "new", tmp_path / "stick" / "memory.key"
    assert run(["--path", str(folder), "encrypt", "--key-file", str(kept)]) == exits.DONE
    assert str(kept) in capsys.readouterr().out
    with Hippocampus.open(folder) as memory:
        memory.remember(PLANTED)
    assert not showing(folder)


def test_a_key_in_the_environment_is_used_and_not_written_down(ask, tmp_path, monkeypatch):
    ask("remember", PLANTED)
    key = Key.generate()
    monkeypatch.setenv(KEY_VARIABLE, key.hex())
    refused = run(["--path", str(ask.folder), "recall", "heliotrope"])
    assert refused == exits.REFUSED
    assert ask("encrypt")["key_file"] is None
    assert ask("recall", "where is the heliotrope?")["items"][0]["text"] == PLANTED
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in written if key.hex().encode() in path.read_bytes()]
    monkeypatch.setenv(KEY_VARIABLE, Key.generate().hex())
    assert run(["--path", str(ask.folder), "verify"]) == exits.REFUSED
    assert run(["--path", str(ask.folder), "repair", "--yes"]) == exits.REFUSED
    assert run(["--path", str(ask.folder), "rekey"]) == exits.REFUSED


def test_an_export_in_the_clear_is_asked_for(ask, tmp_path, capsys):
    ask("remember", PLANTED)
    ask("encrypt")
    target = tmp_path / "out.jsonl"
    assert run(["--path", str(ask.folder), "export", str(target)]) == exits.INPUT
    assert "plain_export" in capsys.readouterr().err
    assert not target.exists()
    ask("export", str(target), "--plain")
    assert PLANTED in target.read_text()


def test_notes_of_hooks_beside_an_encrypted_memory_are_encrypted(ask):
    note = {"ts": 1.7e9, "text": PLANTED, "scope": "global", "session": "s", "namespace": ""}
    spool.leave_note(str(ask.folder), note)
    ask("encrypt")
    spool.leave_note(str(ask.folder), {**note, "text": f"{PLANTED} in summer"})
    assert spool.pending_notes(str(ask.folder)) == 1
    assert not showing(ask.folder)
    with Hippocampus.open(ask.folder) as memory:
        assert take_in(memory, str(ask.folder), None) == 1
        texts = {trace.text for trace in memory.list(all_scopes=True)}
    assert texts == {PLANTED, f"{PLANTED} in summer"}
    assert spool.pending_notes(str(ask.folder)) == 0


def test_a_hook_without_the_key_leaves_no_note_in_the_clear(ask, tmp_path):
    ask("encrypt")
    (tmp_path / ".config" / "realmemory" / "memory.key").unlink()
    with pytest.raises(StoreRefusedError) as caught:
        spool.leave_note(str(ask.folder), {"text": PLANTED})
    assert caught.value.code == "encrypted"
    assert not showing(ask.folder)


def hook(ask, tmp_path, event, **call):
    done = subprocess.run(
        [sys.executable, "-m", "realmemory.hook_cli", "--path", str(ask.folder), "claude", event],
        input=json.dumps({"cwd": str(tmp_path), "session_id": "s1", **call}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hooks_read_an_encrypted_memory(ask, tmp_path):
    ask("remember", PLANTED, "--kind", "semantic")
    ask("encrypt")
    assert "heliotrope" in hook(ask, tmp_path, "session-start")
    assert "heliotrope" in hook(ask, tmp_path, "prompt", prompt="where does the heliotrope stand?")


def test_an_older_copy_with_another_key_is_named(ask, tmp_path, told):
    ask("remember", PLANTED)
    ask("encrypt")
    (backup,) = [ask("backup", "create")]
    stranger = tmp_path / "other"
    with Store.open(stranger, key=Key.generate()) as store:
        store.backup()
        (foreign,) = store.backups()
    foreign.path.rename(ask.folder / "backups" / foreign.path.name.replace("000001", "000009"))
    answer = ask("rekey", status=exits.ATTENTION)
    assert [item.endswith("r0.db") for item in answer["left"]] == [True], answer
    assert backup["path"] in answer["converted"]


def test_a_server_that_runs_already_goes_on_with_the_encrypted_memory(ask):
    backend = DirectBackend(opener(str(ask.folder), None))
    try:
        backend.opened().remember(PLANTED)
        ask("encrypt")
        assert backend.opened().recall("where is the heliotrope?").items[0].text == PLANTED
        backend.opened().remember("The heliotrope was watered")
    finally:
        backend.close()
    assert not showing(ask.folder)
