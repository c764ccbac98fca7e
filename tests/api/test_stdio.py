"""The stdio server as a host sees it: a child process, lines of JSON, signals, a closing pipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest

from api.daemons import daemon
from realmemory.agents import spool
from realmemory.store import Store

PATIENCE_S = 60.0
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}


class Child:
    """A server process, spoken to in raw lines."""

    def __init__(self, folder, *words, cwd=None, stdin=subprocess.PIPE, **environ):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "realmemory", "--path", str(folder), "mcp", *words],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or folder.parent,
            env={"HOME": str(folder.parent), "PATH": "/usr/bin:/bin", **environ},
        )

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self, wanted):
        """Read lines, each of which must be JSON-RPC, until the answer to ``wanted``."""
        while line := self.process.stdout.readline():
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == wanted:
                return message
        pytest.fail(f"no answer: {self.process.stderr.read().decode()[-2000:]}")

    def ask(self, number, method, params=None):
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return self.answer(number)

    def initialize(self):
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        answer = self.ask(0, "initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, number, tool, **arguments):
        return self.ask(number, "tools/call", {"name": tool, "arguments": arguments})["result"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def test_handshake_and_a_conversation_of_the_older_era(folder):
    with Child(folder) as child:
        hello = child.initialize()
        assert hello["serverInfo"]["name"] == "realmemory"
        assert "recall before" in hello["instructions"]
        assert not folder.exists()  # nothing was loaded for the handshake
        tools = child.ask(1, "tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools][:2] == ["recall", "memorize"]
        assert tools[0]["annotations"]["readOnlyHint"] is True
        assert tools[0]["_meta"] == {"anthropic/alwaysLoad": True}
        written = child.call(2, "memorize", text="Deployments go through Argo CD")
        found = child.call(3, "recall", query="how do we run deployments?")
        item = found["structuredContent"]["items"][0]
        assert item["id"] == written["structuredContent"]["memory_id"]
        assert "> Deployments go through Argo CD" in found["content"][0]["text"]
        failed = child.ask(4, "tools/call", {"name": "recal", "arguments": {}})
        assert failed["error"]["code"] == -32602
        assert child.ask(5, "no/such/method")["error"]["code"] == -32601


def test_conversation_of_the_newer_era(folder):
    with Child(folder) as child:
        found = child.ask(1, "server/discover", {"_meta": META})["result"]
        assert MODERN in found["supportedVersions"]
        assert found["resultType"] == "complete"
        listed = child.ask(2, "tools/list", {"_meta": META})["result"]
        assert listed["ttlMs"] > 0
        assert listed["cacheScope"] == "public"
        params = {"name": "introspect", "arguments": {}, "_meta": META}
        result = child.ask(3, "tools/call", params)["result"]
        assert result["structuredContent"]["stats"]["memories_active"] == 0


@pytest.mark.parametrize(
    "line",
    [
        b"not json at all",
        b"{",
        b"[]",
        b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]',
        b"\xff\xfe\xfa",
        b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"1.0","id":3,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":3}',
        b"null",
        b"",
        b"\x00" * 1000,
        b'{"jsonrpc":"2.0","method":"notifications/nobody/knows"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
        b'"' + b"x" * 10_000_000 + b'"',
    ],
    ids=lambda line: repr(line[:24]),
)
def test_malformed_line_does_not_end_the_conversation(shared_child, line):
    child, numbers = shared_child
    child.send(line)
    assert child.ask(next(numbers), "ping")["result"] is not None


@pytest.fixture(scope="module", params=["alone", "relayed"])
def shared_child(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("shared") / "memory"
    shared = daemon(folder) if request.param == "relayed" else nullcontext()
    with shared, Child(folder) as child:
        child.initialize()
        yield child, iter(range(100, 10_000))


@pytest.mark.parametrize("arguments", [None, [], "x", {"query": "x" * 1_000_000}, {"query": 3}])
def test_wrong_arguments_are_answered(shared_child, arguments):
    child, numbers = shared_child
    number = next(numbers)
    answer = child.ask(number, "tools/call", {"name": "recall", "arguments": arguments})
    assert ("error" in answer) or answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    "line",
    [
        b"not json at all",
        b"{",
        b"\x00" * 9,
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","id":2}',
        b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % 2**64,
    ],
)
def test_a_line_that_is_not_json_is_answered_as_a_parse_error(shared_child, line):
    child, _ = shared_child
    child.send(line)
    assert child.answer(None)["error"]["code"] == -32700


@pytest.mark.parametrize(
    "value", [b'{"b":1,"b":2}', b"NaN", b"1e999", b"%d" % 10**30, b"9" * 5_000], ids=len
)
@pytest.mark.parametrize("number", [9_101, "nine"])
def test_a_request_with_a_value_that_is_not_json_is_answered_to_who_waits(
    shared_child, number, value
):
    child, _ = shared_child
    head = b'{"jsonrpc":"2.0","method":"tools/call","id":' + json.dumps(number).encode()
    child.send(head + b',"params":{"name":"get","arguments":{"memory_ids":[' + value + b"]}}}")
    assert child.answer(number)["error"]["code"] == -32700


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ({"jsonrpc": "2.0", "id": 9_001}, 9_001),
        ({"jsonrpc": "1.0", "id": 9_002, "method": "ping"}, 9_002),
        ({"jsonrpc": "2.0", "id": 9_003, "method": 5}, 9_003),
        ({"jsonrpc": "2.0", "id": 9_004, "method": "ping", "params": 5}, 9_004),
        ([{"jsonrpc": "2.0", "id": 9_005, "method": "ping"}], None),
        (None, None),
    ],
)
def test_a_line_that_is_no_message_is_answered_as_an_invalid_request(shared_child, message, number):
    child, _ = shared_child
    child.send(json.dumps(message).encode())
    assert child.answer(number)["error"]["code"] == -32600


@pytest.mark.parametrize(("text", "code"), [("a \ud800 b", -32602), ("a \ud83d\ude00 b", None)])
def test_a_lone_surrogate_is_refused_and_a_pair_is_a_character(shared_child, text, code):
    child, numbers = shared_child
    params = {"name": "memorize", "arguments": {"text": text}}
    answer = child.ask(next(numbers), "tools/call", params)
    assert answer.get("error", {}).get("code") == code


def test_same_id_twice_is_answered_twice(shared_child):
    child, numbers = shared_child
    number = next(numbers)
    assert child.ask(number, "ping")["result"] == child.ask(number, "ping")["result"]


def test_cancelled_call_is_finished_and_the_server_lives(shared_child):
    child, numbers = shared_child
    number = next(numbers)
    params = {"name": "memorize", "arguments": {"text": "written although cancelled"}}
    child.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    cancel = {"requestId": number, "reason": "changed my mind"}
    child.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
    assert child.ask(next(numbers), "ping")["result"] is not None


def test_library_that_prints_does_not_reach_the_pipe(folder, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import sys, importlib.abc\n"
        "class Loud(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('numpy', 'mcp', 'anyio'): print('LOADING', name, flush=True)\n"
        "sys.meta_path.insert(0, Loud())\n"
    )
    with Child(folder, PYTHONPATH=str(tmp_path / "site"), PYTHONUNBUFFERED="1") as child:
        child.initialize()
        assert child.call(1, "introspect")["structuredContent"]
        child.process.stdin.close()
        assert child.process.stdout.read() == b""
        assert b"LOADING mcp" in child.process.stderr.read()


def test_code_pages_do_not_matter(folder):
    with Child(folder, PYTHONIOENCODING="cp1252", PYTHONUTF8="0", LC_ALL="C") as child:
        child.initialize()
        text = "Пользователь любит 抹茶 🌒"
        child.call(1, "memorize", text=text)
        items = child.call(2, "recall", query="抹茶")["structuredContent"]["items"]
        assert items[0]["text"] == text


def leaves(child):
    """Return the exit status and how long the process took to go."""
    started = time.monotonic()
    status = child.process.wait(PATIENCE_S)
    return status, time.monotonic() - started


@pytest.fixture(params=["alone", "relayed"])
def served(request, folder):
    """The folder of a memory, which a daemon serves or not."""
    with daemon(folder) if request.param == "relayed" else nullcontext():
        yield folder


def test_closing_the_pipe_ends_the_process(served):
    folder = served
    with Child(folder) as child:
        child.initialize()
        child.call(1, "memorize", text="kept before the end")
        child.process.stdin.close()
        assert leaves(child)[0] == 0
    assert stored(folder) == ["kept before the end"]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_process_cleanly(served, number):
    folder = served
    with Child(folder) as child:
        child.initialize()
        child.call(1, "memorize", text="kept before the end")
        child.process.send_signal(number)
        assert leaves(child)[0] == 0
    assert stored(folder) == ["kept before the end"]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_death_of_the_parent_ends_the_process_though_the_pipe_stays_open(served, tmp_path):
    folder = served
    # The grandparent keeps the write end open, so only the watch on the parent can notice.
    reader, writer = os.pipe()
    script = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-m', 'realmemory', '--path', {str(folder)!r},"
        " 'mcp'], stdin=0, stdout=1)\n"
        "print(p.pid, file=sys.stderr, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(reader)
    with parent:
        parent.stderr.readline()
        hello = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        os.write(writer, json.dumps(hello).encode() + b"\n")
        assert json.loads(parent.stdout.readline())["id"] == 0
        parent.kill()
        # The pipe of the answers closes when the last process that holds it is gone.
        assert parent.stdout.read() == b""
    os.close(writer)


def stored(folder):
    store = Store.open(folder)
    try:
        with store.read() as view:
            return [trace.text for trace in view.traces.page()]
    finally:
        store.close()


@pytest.mark.parametrize("beside", ["nobody", "a daemon"])
def test_four_servers_share_one_memory(folder, beside):
    with daemon(folder) if beside == "a daemon" else nullcontext():
        _four_servers(folder)
    assert len(stored(folder)) == 4


def _four_servers(folder):
    children = [Child(folder, "--no-daemon") for _ in range(4)]
    try:
        for child in children:
            child.initialize()
        for number, child in enumerate(children):
            child.send(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {
                        "name": "memorize",
                        "arguments": {"text": f"fact {number}: {'ABCD'[number] * 4} is a code"},
                    },
                }
            )
        for child in children:
            assert not child.answer(1)["result"].get("isError")
        for number, child in enumerate(children):
            word = "ABCD"[(number + 1) % 4] * 4
            found = child.call(2, "recall", query=f"what is {word}?")["structuredContent"]["items"]
            assert any(word in item["text"] for item in found)
    finally:
        for child in children:
            child.__exit__()


def test_a_missing_library_is_named_with_the_extra_that_brings_it(tmp_path):
    blocked = "import sys; sys.modules['anyio'] = None; "
    run = subprocess.run(
        [
            *(sys.executable, "-c", blocked + "from realmemory.cli.root import run; run()"),
            *("--path", str(tmp_path / "memory"), "mcp"),
        ],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert "pip install 'realmemory[mcp]'" in run.stderr
    assert "ModuleNotFoundError" not in run.stderr


def test_a_server_of_its_own_takes_in_what_hooks_left(folder):
    fact = "The rounding in payments was fixed by Dana"
    note = {"ts": None, "text": fact, "scope": "global", "session": "s", "namespace": ""}
    spool.leave_note(str(folder), note)
    with Child(folder, "--no-daemon") as child:
        child.initialize()
        child.ask(1, "tools/list")
        while spool.pending_notes(str(folder)):
            child.ask(2, "ping")
        params = {"name": "recall", "arguments": {"query": fact}}
        found = child.ask(3, "tools/call", params)["result"]["structuredContent"]
    assert found["items"][0]["text"] == fact
