"""Nothing is sent anywhere: a whole session never touches a socket, and needs no network."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from encoding.tiny_reranker import build

SESSION = """
import sys
from pathlib import Path

SPOKE = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request",
         "subprocess.Popen", "os.system")


def listen(event, arguments):
    if event in SPOKE:
        raise SystemExit(f"{event} {arguments!r}")


sys.addaudithook(listen)
folder = Path(sys.argv[1])
from realmemory.cli.root import run

path = ("--path", str(folder / "memory"), "--json")
for words in (
    ("remember", "The gateway runs nginx 1.27", "--scope", "global"),
    ("recall", "which web server?"),
    ("why", "which web server?"),
    ("search", "nginx"),
    ("revise", "1", "The gateway runs nginx 1.29"),
    ("sleep",),
    ("status",),
    ("report", "--html", str(folder / "report.html")),
    ("export", str(folder / "export.jsonl")),
    ("import", str(folder / "export.jsonl"), "--namespace", "two"),
    ("backup", "create"),
    ("verify",),
    ("reembed",),
):
    assert run([*path, *words]) == 0, words
try:
    import socket
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except SystemExit as heard:
    print("the listener hears:", heard)
"""


def test_a_whole_session_is_silent(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SESSION, str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    assert "the listener hears: socket." in done.stdout


ALONE = """
import subprocess, sys
from pathlib import Path

folder = Path(sys.argv[1])
path = ("--path", str(folder / "memory"), "--json")
program = (sys.executable, "-m", "realmemory", *path)
hook = (sys.executable, "-m", "realmemory.hook_cli", "--path", str(folder / "memory"))


def call(*words, stdin=None):
    done = subprocess.run(words, input=stdin, capture_output=True, encoding="utf-8", timeout=90)
    assert done.returncode == 0, (words, done.stdout[-300:], done.stderr[-600:])
    return done.stdout


for words in (
    ("remember", "The gateway runs nginx 1.27", "--scope", "global"),
    ("recall", "which web server?"),
    ("sleep",),
    ("status",),
    ("doctor", "--deep"),
    ("report", "--html", str(folder / "report.html")),
    ("export", str(folder / "export.jsonl")),
    ("import", str(folder / "export.jsonl"), "--namespace", "two"),
    ("backup", "create"),
    ("reembed",),
):
    call(*program, *words)
for event in ("session-start", "prompt"):
    call(*hook, "claude", event, stdin='{"session_id": "s", "prompt": "which web server?"}')
hello = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    '"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get",'
    '"arguments":{"memory_ids":[1]}}}\\n'
)
server = subprocess.Popen((*program[:-1], "mcp"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          encoding="utf-8")
server.stdin.write(hello)
server.stdin.flush()
answers = [server.stdout.readline() for _ in range(2)]
server.stdin.close()
server.wait(60)
assert "nginx 1.27" in answers[1], answers
print("all of it works")
"""


@pytest.mark.timeout(400)  # a dozen processes, one after the other
@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are a thing of Linux")
def test_everything_works_where_there_is_no_network_at_all(tmp_path):
    alone = ["unshare", "--net", *([] if os.getuid() == 0 else ["--map-root-user"])]
    try:
        subprocess.run([*alone, "true"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a namespace without routes cannot be made here: {error}")
    done = subprocess.run(
        [*alone, sys.executable, "-c", ALONE, str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-1500:]
    assert "all of it works" in done.stdout


MODEL = """
import os, sys, socket
from realmemory.encoding.local import LocalEmbedder

def never(*_, **__):
    raise SystemExit("a connection was tried")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = never
try:
    LocalEmbedder().embed(["text"])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("switch", ["REALMEMORY_OFFLINE", "HF_HUB_OFFLINE"])
def test_a_model_is_never_fetched_when_that_is_switched_off(tmp_path, switch):
    pytest.importorskip("fastembed")
    done = subprocess.run(
        [sys.executable, "-c", MODEL, str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        env={**os.environ, switch: "1", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "EmbeddingError" in done.stdout or "ConfigurationError" in done.stdout


def test_a_local_model_reports_to_nobody(tmp_path):
    pytest.importorskip("fastembed")
    folder = build(tmp_path / "likes", {"boat": 3.0})
    script = (
        "import sys; from realmemory.encoding.cross_encoder import CrossEncoder\n"
        "print(CrossEncoder.named(sys.argv[1]).scores('q', ['a boat']))\n"
    )
    # onnxruntime keeps still by itself where it believes to be tested.
    environ = {key: value for key, value in os.environ.items() if key in {"PATH", "LANG"}}
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        env={**environ, "HOME": str(tmp_path / "home")},
    )
    assert done.stdout == "[3.0]\n", done.stderr
    # What it would send waits in a file there.
    assert list((tmp_path / "home").rglob("*onnxruntime*")) == []
