"""Nothing is sent anywhere: a whole session never touches a socket and starts no process."""

from __future__ import annotations

import subprocess
import sys

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
