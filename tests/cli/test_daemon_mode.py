"""The command line says the same whether a daemon holds the memory or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from api.daemons import daemon, exchange, request, status_of
from realmemory import Hippocampus
from realmemory.agents.daemon import MEMORY_PREFIX
from realmemory.api import facade
from realmemory.api.facade import DaemonMemory
from realmemory.api.grants import GrantBook
from realmemory.api.wire import from_wire, to_wire
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.cli.session import Session
from realmemory.errors import NotFoundError, StoreError

OWN = {"at", "backup", "disk", "now", "path", "run", "uid", "valid_from", "valid_to"}
CALLS = (
    ("remember", "The gateway runs nginx 1.27", "--scope", "global", "--tag", "web"),
    ("remember", "Die Straße heißt Зоя 東京 👩‍👩‍👧", "--scope", "global", "--when", "2024-05-01"),
    ("remember", "The gateway runs nginx 1.27!", "--scope", "global"),
    ("remember", "The database is PostgreSQL 16", "--scope", "shop", "--meta", '{"a": [1, null]}'),
    ("remember", "", "--scope", "global"),
    ("remember", "\udcff", "--scope", "global"),
    ("remember", "x" * 70_000, "--scope", "global"),
    ("recall", "which web server does the gateway run?"),
    ("recall", "qwzx plugh"),
    ("recall", "database", "--scope", "shop", "-k", "3"),
    ("recall", "database", "-k", "0"),
    ("why", "which web server?"),
    ("search", "nginx"),
    ("show", "1"),
    ("show", "99"),
    ("list", "--all-scopes"),
    ("revise", "1", "The gateway runs nginx 1.29"),
    ("revise", "1", "The gateway runs nginx 1.31"),
    ("history", "1"),
    ("recall", "which web server?", "--include-superseded"),
    ("reflect", "2", "--reward", "1"),
    ("link", "2", "3"),
    ("pin", "2"),
    ("pin", "2"),
    ("forget", "2"),
    ("restore", "2"),
    ("forget", "77"),
    ("forget", "3", "--hard", "--yes"),
    ("stats",),
    ("projects",),
    ("config", "get", "backups_keep"),
    ("conversation", "ingest", "{turns}", "--session-id", "s1", "--scope", "shop"),
    ("recall", "what did Ann adopt?", "--scope", "shop"),
    ("recall", "what did Ann adopt?", "--scope", "shop", "--window", "1", "--group-by", "session"),
    ("recall", "what was said yesterday?", "--scope", "shop", "--now", "2024-05-02"),
    ("recall", "cat", "--scope", "shop", "--window", "21"),
    ("recall", "cat", "--scope", "shop", "--now", "yesterday"),
    ("sleep",),
    ("verify",),
    ("reembed",),
    ("status",),
)


@pytest.fixture
def turns(tmp_path):
    file = tmp_path / "turns.jsonl"
    rows = [{"speaker": "Ann", "text": "I adopted a cat"}, {"speaker": "Ben", "text": "Its name?"}]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return file


def same(value):
    """Leave out what differs between any two runs."""
    if isinstance(value, dict):
        return {
            key: same(item)
            for key, item in value.items()
            if key not in OWN and not key.endswith(("_at", "_ms", "_bytes")) and "last_" not in key
        }
    if isinstance(value, list):
        return [same(item) for item in value]
    # The age of a memory of some milliseconds is not the same twice.
    return round(value, 3) if isinstance(value, float) else value


def answers(folder, turns, capsys):
    told = []
    for call in CALLS:
        words = [word.replace("{turns}", str(turns)) for word in call]
        capsys.readouterr()
        code = run(["--path", str(folder), "--json", *words])
        told.append((words[:2], code, same(json.loads(capsys.readouterr().out))))
    return told


def test_every_command_answers_alike_with_and_without_a_daemon(
    tmp_path, turns, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    direct = answers(tmp_path / "direct", turns, capsys)
    with daemon(tmp_path / "shared"):
        shared = answers(tmp_path / "shared", turns, capsys)
    for one, other in zip(direct, shared, strict=True):
        assert one == other


def test_what_needs_the_model_is_asked_of_the_daemon(tmp_path, monkeypatch):
    opened = []
    here = Session._opened
    monkeypatch.setattr(
        Session, "_opened", lambda self, **options: opened.append(self) or here(self, **options)
    )
    folder = tmp_path / "memory"
    with daemon(folder):
        session = Session(path=folder, namespace=None, project=None, as_json=False)
        with session.memory() as memory:
            assert isinstance(memory, DaemonMemory)
            written = memory.remember("The gateway runs nginx 1.27", tags=["web"])
            packet = memory.recall("what does the gateway run?")
            assert [hit.memory_id for hit in packet.items] == [written.memory_id]
            assert memory.get(written.memory_id).tags == ("web",)
            with pytest.raises(NotFoundError):
                memory.get(99)
            assert not opened
            assert memory.stats()["recalls"] == 1  # the daemon left nothing in its queue
            assert opened == [session]
        other = replace(session, namespace="other")
        with other.memory(create=True) as memory:
            assert isinstance(memory, Hippocampus)


def test_a_recall_through_the_daemon_loads_neither_numpy_nor_the_engine(tmp_path):
    folder = tmp_path / "memory"
    script = (
        "import sys\nfrom realmemory.cli.root import run\n"
        f"code = run(['--path', {str(folder)!r}, 'recall', 'what does the gateway run?'])\n"
        "heavy = {'numpy', 'apsw', 'realmemory._native', 'starlette'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else code)\n"
    )
    with daemon(folder):
        fact = ("remember", "The gateway runs nginx 1.27", "--scope", "global")
        assert run(["--path", str(folder), *fact]) == exits.DONE
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "nginx 1.27" in done.stdout


def test_a_daemon_that_died_is_no_obstacle(tmp_path, capsys):
    folder = tmp_path / "memory"
    with daemon(folder) as (process, _):
        fact = ("remember", "The gateway runs nginx 1.27", "--scope", "global")
        assert run(["--path", str(folder), *fact]) == exits.DONE
        process.send_signal(signal.SIGKILL)
        process.wait()
        capsys.readouterr()
        assert run(["--path", str(folder), "recall", "what does the gateway run?"]) == exits.DONE
        assert "nginx 1.27" in capsys.readouterr().out
        assert run(["--path", str(folder), "reflect", "1", "--reward", "1"]) == exits.DONE


def test_a_change_whose_answer_is_lost_is_not_made_twice(tmp_path):
    class Record:
        port, token = 1, "x"

    memory = DaemonMemory(Record(), lambda: pytest.fail("opened"))

    def dies(*_, **__):
        raise facade.DaemonGoneError("gone") from ConnectionResetError()

    facade_ask, facade.ask = facade.ask, dies
    try:
        with pytest.raises(StoreError) as caught:
            memory.feedback([1], 1.0)
    finally:
        facade.ask = facade_ask
    assert caught.value.code == "unknown_outcome"


def test_only_the_owner_reaches_the_facade_and_only_its_calls(tmp_path):
    folder = tmp_path / "memory"
    with daemon(folder) as (_, record):
        grant, token = GrantBook(folder).mint(None)
        assert grant.scopes is None
        body = {"arguments": ["what?"]}

        def status(method, content=body, **headers):
            return status_of(
                exchange(record.port, request(record, MEMORY_PREFIX + method, content, **headers))
            )

        assert status("recall") == 200
        assert status("recall", authorization=f"Bearer {token}") == 404
        assert status("close") == 404
        assert status("context") == 404
        assert status("__class__") == 404
        assert status("recall", {"arguments": {}}) == 400
        assert status("recall", {"arguments": [], "options": {"wrong": 1}}) == 422
        assert status("recall", {"arguments": ["x"], "options": {"k": 0}}) == 422


def test_every_value_comes_back_as_it_was(memory):
    memory.remember("The gateway runs nginx 1.27", tags=["a"], meta={"x": [1, {"y": None}]})
    memory.remember("The gateway runs nginx 1.29")
    written = memory.update_fact(1, "The gateway runs nginx 1.31")
    values = {
        "remember": written,
        "recall": memory.recall("which web server?", include_superseded=True),
        "get": memory.get(1),
        "list": memory.list(),
        "history": memory.history(1),
        "forget": memory.forget([1]),
        "pin": 3,
    }
    for method, value in values.items():
        plain = json.loads(json.dumps(to_wire(value), allow_nan=False))
        assert from_wire(facade.CALLS[method], plain) == value
    assert os.fspath(memory.path)
