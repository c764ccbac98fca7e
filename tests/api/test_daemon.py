"""The daemon's life: found by others, alone, drained, outlived without a loss."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from api.daemons import PATIENCE_S, daemon, exchange, request, status_of
from api.test_stdio import Child
from realmemory import Hippocampus
from realmemory.agents import spool
from realmemory.agents.daemon import DaemonRecord, read_record, record_path, write_record
from realmemory.api.backend import Caller
from realmemory.api.connect import SharedBackend, opener
from realmemory.api.direct import DirectBackend
from realmemory.api.grants import GrantBook
from realmemory.api.remote import DaemonBackend
from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.store import Store

FACT = "The nightly backup runs at three in the morning"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def texts(folder):
    store = Store.open(folder)
    try:
        with store.read() as view:
            return sorted(trace.text for trace in view.traces.page())
    finally:
        store.close()


def call(record, tool, arguments, token=None, **fields):
    raw = request(
        record,
        f"/v1/tools/{tool}",
        {"arguments": arguments, **fields},
        authorization=f"Bearer {token or record.token}",
    )
    answer = exchange(record.port, raw)
    return status_of(answer), json.loads(answer.partition(b"\r\n\r\n")[2])


def test_record_is_private_and_goes_with_the_daemon(folder):
    with daemon(folder) as (process, record):
        assert record.pid == process.pid
        mode = stat.S_IMODE(Path(record_path(str(folder))).stat().st_mode)
        assert os.name == "nt" or mode == 0o600
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert read_record(str(folder)) is None


def test_a_port_that_was_served_is_served_again_at_once(folder):
    with daemon(folder) as (_, first):
        # The side that closes a connection keeps its port for a while.
        assert status_of(exchange(first.port, request(first, "/mcp", b"none"))) == 400
    with daemon(folder, "--port", str(first.port)) as (_, second):
        assert second.port == first.port


def test_only_one_daemon_serves_a_memory(folder):
    with daemon(folder) as (process, _):
        command = [sys.executable, "-m", "realmemory", "--path", str(folder), "serve"]
        second = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
        assert second.returncode == 2
        assert f"process {process.pid}".encode() in second.stderr
        assert read_record(str(folder)).pid == process.pid


def test_record_of_a_killed_daemon_is_reaped(folder):
    with daemon(folder) as (process, first):
        process.kill()
        process.wait()
    assert read_record(str(folder)).pid == first.pid
    with daemon(folder) as (_, second):
        assert second.pid != first.pid
        assert call(second, "introspect", {})[0] == 200


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_record_that_others_may_read_is_not_believed(folder):
    folder.mkdir()
    write_record(str(folder), DaemonRecord(1, 2, "t", ""))
    assert read_record(str(folder)) is not None
    Path(record_path(str(folder))).chmod(0o644)
    assert read_record(str(folder)) is None


def test_daemon_ends_when_nobody_asks(folder):
    with daemon(folder, "--idle-timeout", "1") as (process, _):
        assert process.wait(PATIENCE_S) == 0
    assert read_record(str(folder)) is None


def test_signal_lets_a_running_call_finish(folder):
    with daemon(folder) as (process, record):
        raw = request(record, "/v1/tools/memorize", {"arguments": {"text": FACT}})
        with socket.create_connection(("127.0.0.1", record.port), timeout=PATIENCE_S) as link:
            # The first call waits until the memory is open, so the signal comes in between.
            link.sendall(raw)
            exchange(record.port, request(record, "/healthz", method="GET"))
            process.send_signal(signal.SIGTERM)
            answer = b""
            while part := link.recv(65536):
                answer += part
        assert status_of(answer) == 200
        assert process.wait(PATIENCE_S) == 0
    assert texts(folder) == [FACT]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_mcp_over_http(folder, mode):
    with daemon(folder) as (_, record):

        async def conversation():
            headers = {
                "Authorization": f"Bearer {record.token}",
                "RealMemory-Project": "shop",
            }
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(
                    f"http://127.0.0.1:{record.port}/mcp", http_client=http
                )
                async with Client(transport, mode=mode) as client:
                    tools = await client.list_tools()
                    written = await client.call_tool("memorize", {"text": FACT})
                    found = await client.call_tool("recall", {"query": "nightly backup"})
                    return len(tools.tools), written, found

        tools, written, found = anyio.run(conversation)
    assert tools == 8
    assert written.structured_content["scope"] == "shop"
    assert found.structured_content["items"][0]["text"] == FACT


def test_stdio_servers_use_the_daemon_and_survive_it(folder):
    with daemon(folder) as (process, record), Child(folder) as one, Child(folder) as two:
        one.initialize()
        two.initialize()
        one.call(1, "memorize", text=FACT)
        found = two.call(1, "recall", query="nightly backup")
        assert found["structuredContent"]["items"][0]["text"] == FACT
        assert call(record, "introspect", {})[1]["result"]["stats"]["memories_active"] == 1
        process.kill()
        process.wait()
        again = one.call(2, "memorize", text="The restore drill is on Mondays")
        assert not again.get("isError")
        found = two.call(2, "recall", query="restore drill")
        assert "Mondays" in found["structuredContent"]["items"][0]["text"]
    assert len(texts(folder)) == 2


def test_errors_of_the_daemon_are_those_of_the_memory(folder):
    with daemon(folder):
        backend = DaemonBackend(str(folder))
        with pytest.raises(InvalidInputError) as error:
            backend.call("memorize", {"text": "", "kind": "episodic"}, Caller())
        assert error.value.code == "empty_text"
        arguments = {"query": "x", "k": 5, "include_superseded": False, "project": "none"}
        with pytest.raises(NotFoundError) as error:
            backend.call("recall", arguments, Caller())
        assert error.value.code == "unknown_project"


def test_stranger_on_the_port_of_a_dead_daemon_is_not_trusted(folder):
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(PATIENCE_S)
        write_record(str(folder), DaemonRecord(1, stranger.getsockname()[1], "t", ""))
        direct = DirectBackend(opener(str(folder), None, "hashing"))
        backend = SharedBackend(DaemonBackend(str(folder)), direct)

        def rude():
            link, _ = stranger.accept()
            link.recv(65536)
            link.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            link.close()

        thread = threading.Thread(target=rude)
        thread.start()
        result = backend.call("memorize", {"text": FACT, "kind": "episodic"}, Caller())
        thread.join()
        backend.close()
    assert result["created"]
    assert texts(folder) == [FACT]


def test_tokens_reach_their_scopes_until_they_are_revoked(folder):
    with daemon(folder) as (_, record):
        call(record, "memorize", {"text": "canary of the other project"}, project="other")
        call(record, "memorize", {"text": "a fact of the shop project"}, project="shop")
        book = GrantBook(folder)
        grant, token = book.mint(["shop"], label="laptop")
        assert token not in (folder / "grants.json").read_text()

        status, found = call(record, "recall", {"query": "fact of the shop"}, token)
        assert status == 200
        assert found["result"]["items"][0]["scope"] == "shop"
        for arguments, fields in (
            ({"query": "canary", "project": "other"}, {}),
            ({"query": "canary"}, {"project": "other"}),
        ):
            status, answer = call(record, "recall", arguments, token, **fields)
            assert (status, answer["error"]["code"]) == (422, "out_of_reach")
        assert call(record, "get", {"memory_ids": [1, 2]}, token)[1]["result"]["unknown"] == [1]
        everywhere = {"text": "x y z", "project": "global"}
        assert call(record, "memorize", everywhere, token)[0] == 422

        book.revoke(grant.id)
        assert call(record, "recall", {"query": "x"}, token)[0] == 401


def test_damaged_grants_let_nobody_in_but_the_owner(folder):
    with daemon(folder) as (_, record):
        _, token = GrantBook(folder).mint(["shop"])
        (folder / "grants.json").write_text("{")
        assert call(record, "introspect", {}, token)[0] == 401
        assert call(record, "introspect", {})[0] == 200


def test_notes_of_hooks_are_taken_in(folder):
    spool.leave_note(
        str(folder),
        {"ts": None, "text": FACT, "scope": "shop", "session": "s", "namespace": ""},
    )
    spool.leave_error(str(folder), "claude", "prompt", "busy")
    with daemon(folder) as (_, record):
        while spool.pending_notes(str(folder)) or spool.pending_errors(str(folder)):
            call(record, "introspect", {})
        found = call(record, "recall", {"query": "nightly backup"}, project="shop")[1]["result"]
    assert found["items"][0]["text"] == FACT
    store = Store.open(folder)
    with store.read() as view:
        assert view.journal.counts()["hook_error"] == 1
    store.close()


def test_a_hook_shows_of_a_long_note_the_part_that_answers(folder):
    answer = "The emergency contact for the boiler is Mr. Okonkwo in Leiden."
    note = "Minutes of the garden committee about hedges, hoses and the weather. " * 400 + answer
    sent = {"cwd": "/", "prompt": "who is the emergency contact for the boiler?"}
    with Hippocampus.open(folder) as memory:
        memory.remember(note)
    with daemon(folder):
        done = subprocess.run(
            [sys.executable, "-m", "realmemory.hook_cli", "--path", folder, "claude", "prompt"],
            input=json.dumps(sent).encode(),
            capture_output=True,
            check=True,
        )
    assert answer in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
