"""A daemon as a child process, and raw requests to it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from realmemory.agents.daemon import DaemonRecord, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 60.0


@contextmanager
def daemon(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], DaemonRecord]]:
    """Run ``realmemory serve`` until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "realmemory", "--path", str(folder), "serve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder.parent,
    )
    with process:
        line = process.stdout.readline() if process.stdout else b""
        record = read_record(str(folder))
        if not line or record is None:
            process.kill()
            raise AssertionError(process.stderr.read().decode() if process.stderr else "")
        try:
            yield process, record
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(PATIENCE_S)
                except subprocess.TimeoutExpired:
                    process.kill()


def exchange(port: int, content: bytes, *, end: bool = False) -> bytes:
    """Send raw bytes and return everything that comes back until the connection closes.

    With ``end`` the sending half is closed at once, for what is not a complete request.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as link:
        received = bytearray()
        try:
            link.sendall(content)
            if end:
                link.shutdown(socket.SHUT_WR)
            while part := link.recv(65536):
                received += part
        except (ConnectionResetError, BrokenPipeError):
            # Closed by the other side with something unread: what was received counts.
            pass
        return bytes(received)


def status_of(answer: bytes) -> int:
    """Return the status of the first answer, 0 when there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def request(
    record: DaemonRecord,
    path: str,
    body: object = None,
    *,
    method: str = "POST",
    **headers: str | None,
) -> bytes:
    """Return a raw request; headers are replaced by name, and dropped when ``None``."""
    content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
    usual: dict[str, str | None] = {
        "Host": f"127.0.0.1:{record.port}",
        "Authorization": f"Bearer {record.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(content)),
        "Connection": "close",
    }
    for name, value in headers.items():
        usual[name.replace("_", "-").title()] = value
    if method == "GET":
        usual["Content-Type"] = usual["Content-Length"] = None
        content = b""
    lines = [f"{method} {path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in usual.items() if value is not None]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content
