"""Stdio servers that share a daemon: they load nothing, and outlive it without a loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest

from api.daemons import PATIENCE_S, daemon
from api.test_stdio import META, MODERN, Child, stored
from realmemory.agents.daemon import DaemonRecord, read_record, write_record
from realmemory.api.relay import quoted_header
from realmemory.store import Store

FACT = "The nightly backup runs at three in the morning"
HEAVY = ("mcp", "numpy", "pydantic", "anyio", "apsw", "asyncio", "realmemory._native")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def test_a_server_that_shares_a_daemon_loads_nothing_heavy(folder):
    command = [sys.executable, "-X", "importtime", "-m", "realmemory", "--path", str(folder), "mcp"]
    with daemon(folder):
        done = subprocess.run(
            command,
            input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}\n',
            capture_output=True,
            check=True,
            timeout=PATIENCE_S,
        )
    assert b'"name":"recall"' in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "realmemory.api.relay" in loaded
    assert not loaded.intersection(HEAVY)


def test_both_eras_get_the_answers_that_the_daemon_gives(folder):
    with daemon(folder), Child(folder) as older, Child(folder) as newer:
        hello = older.initialize()
        assert hello["serverInfo"]["name"] == "realmemory"
        assert hello["protocolVersion"] == "2025-06-18"
        written = older.call(1, "memorize", text=FACT)["structuredContent"]
        found = newer.ask(1, "server/discover", {"_meta": META})["result"]
        assert MODERN in found["supportedVersions"]
        params = {"name": "recall", "arguments": {"query": "nightly backup"}, "_meta": META}
        result = newer.ask(2, "tools/call", params)["result"]
        assert result["resultType"] == "complete"
        assert result["structuredContent"]["items"][0]["id"] == written["memory_id"]
        unknown = newer.ask(3, "tools/call", {"name": "вспомни", "arguments": {}, "_meta": META})
        assert unknown["error"]["code"] == -32602
        assert newer.ask(4, "no/such/method", {"_meta": META})["error"]["code"] == -32601


def test_project_of_any_script_and_author_reach_the_daemon(folder, tmp_path):
    with (
        daemon(folder),
        Child(folder, "--author", "Зоя 100%", REALMEMORY_PROJECT="магазин 50%") as child,
    ):
        child.initialize()
        assert child.call(1, "memorize", text=FACT)["structuredContent"]["scope"] == "магазин 50%"
        item = child.call(2, "recall", query="nightly backup")["structuredContent"]["items"][0]
        assert item["author"] == "Зоя 100%"
        assert item["scope"] == "магазин 50%"


def test_header_is_plain_and_says_the_same_again():
    for text in ("shop", "магазин", "50 % off\r\nHost: evil", 'a,b;c="d"'):
        header = quoted_header(text)
        assert header.isascii()
        assert header.isprintable()
        assert unquote(header) == text


def test_message_that_is_too_large_for_the_daemon_is_answered(folder):
    with daemon(folder), Child(folder) as child:
        child.initialize()
        big = child.ask(1, "tools/call", {"name": "recall", "arguments": {"query": "x" * 2**21}})
        assert big["error"]["code"] == -32600
        assert not uses_numpy(child)
        assert child.ask(2, "ping")["result"] is not None


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_daemon_that_ends_amid_writes_loses_none(folder, number):
    """Four agents write as fast as they can while the daemon goes; all they heard of is there."""
    acknowledged: list[list[str]] = [[] for _ in range(4)]
    begun = threading.Barrier(5)

    def write(child, kept, who):
        for turn in range(12):
            if turn == 4:
                begun.wait(PATIENCE_S)
            answer = child.call(turn + 1, "memorize", text=measured(who, turn))
            assert not answer.get("isError"), answer
            kept.append(answer["structuredContent"]["memory_id"])

    with daemon(folder) as (process, _):
        children = [Child(folder) for _ in range(4)]
        try:
            for child in children:
                child.initialize()
            threads = [
                threading.Thread(target=write, args=(child, acknowledged[who], who))
                for who, child in enumerate(children)
            ]
            for thread in threads:
                thread.start()
            begun.wait(PATIENCE_S)
            process.send_signal(number)
            for thread in threads:
                thread.join(PATIENCE_S)
            assert [len(kept) for kept in acknowledged] == [12] * 4
            found = children[0].call(99, "recall", query="how many crates in hall 113?", k=3)
            assert "hall 113" in found["content"][0]["text"]
        finally:
            for child in children:
                child.__exit__()
    wanted = {measured(who, turn) for who in range(4) for turn in range(12)}
    assert wanted <= wordings(folder)


def measured(who, turn):
    return f"agent {who} measured {turn * 37 + who * 1009} crates in hall {turn}{who}"


def wordings(folder):
    """Return every text that is kept, merged wordings included."""
    store = Store.open(folder)
    try:
        with store.read() as view:
            traces = {trace.id: trace.text for trace in view.traces.page(limit=1000)}
            kept = view.variants.of_many(traces)
            return {*traces.values(), *(item.text for held in kept.values() for item in held)}
    finally:
        store.close()


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="reads /proc")
def test_next_daemon_is_used_without_a_new_handshake(folder):
    with daemon(folder) as (first, _), Child(folder) as child:
        child.initialize()
        child.call(1, "memorize", text=FACT)
        first.kill()
        first.wait()
        with daemon(folder):
            found = child.call(2, "recall", query="nightly backup")["structuredContent"]
            assert found["items"][0]["text"] == FACT
            assert not uses_numpy(child)


def test_record_of_a_dead_daemon_is_no_obstacle(folder):
    folder.mkdir()
    write_record(str(folder), DaemonRecord(2**22 + 1, 9, "t", ""))
    with Child(folder) as child:
        assert child.initialize()["serverInfo"]["name"] == "realmemory"
        assert not child.call(1, "memorize", text=FACT).get("isError")
    assert stored(folder) == [FACT]
    assert read_record(str(folder)) is not None


def uses_numpy(child):
    return "numpy" in Path(f"/proc/{child.process.pid}/maps").read_text()


def test_requests_sent_in_one_breath_are_answered_before_the_end(folder):
    client = b'"capabilities":{},"clientInfo":{"name":"t","version":"1"}'
    params = b'{"protocolVersion":"2025-06-18",%b}' % client
    lines = [
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":%b}' % params,
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    ]
    command = [sys.executable, "-m", "realmemory", "--path", str(folder), "mcp"]
    with daemon(folder):
        done = subprocess.run(
            command, input=b"\n".join(lines) + b"\n", capture_output=True, check=True, timeout=60
        )
    assert [b'"id":%d' % number in done.stdout for number in range(3)] == [True] * 3
    assert len(done.stdout.splitlines()) == 3
