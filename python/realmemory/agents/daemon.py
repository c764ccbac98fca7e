"""The running daemon: where it is, and how to ask it. Hooks use it, so it stays light."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from realmemory.agents.files import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MEMORY_PREFIX = "/v1/memory/"
"""Where a daemon serves the facade of its memory to its owner."""
MAX_BODY = 1024 * 1024
"""Most bytes of a request that a daemon takes."""

_FILE = "daemon.json"
_ANSWER_LIMIT = 4 * 1024 * 1024
_PRIVATE = 0o077


class DaemonGoneError(ConnectionError):
    """No daemon answers: it ended, or was never there."""


class DaemonRecord:
    """What a daemon publishes about itself in the memory's directory.

    Args:
        pid: Its process.
        port: Its port on the loopback interface.
        token: The owner's bearer token.
        namespace: The memory it serves, ``""`` for the main one.
    """

    __slots__ = ("namespace", "pid", "port", "token")

    def __init__(self, pid: int, port: int, token: str, namespace: str) -> None:
        self.pid = pid
        self.port = port
        self.token = token
        self.namespace = namespace


def record_path(directory: str) -> str:
    """Return where the record of a directory's daemon lies."""
    return os.path.join(directory, _FILE)


def read_record(directory: str) -> DaemonRecord | None:
    """Return the record, or ``None`` when there is none that may be trusted.

    A record that others can read or that somebody else wrote is not believed: it would send the
    user's memories to a stranger.
    """
    path = record_path(directory)
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            content = json.loads(file.read(4096))
        if sys.platform != "win32" and (
            status.st_mode & _PRIVATE or status.st_uid not in (os.getuid(), 0)
        ):
            return None
        return DaemonRecord(
            int(content["pid"]),
            int(content["port"]),
            str(content["token"]),
            str(content.get("namespace") or ""),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_record(directory: str, record: DaemonRecord) -> None:
    """Publish a record, readable by its owner only."""
    content = {
        "version": 1,
        "pid": record.pid,
        "port": record.port,
        "token": record.token,
        "namespace": record.namespace,
    }
    replace_file(record_path(directory), json.dumps(content).encode() + b"\n")


def remove_record(directory: str, pid: int) -> bool:
    """Remove the record if it names process ``pid``; return whether it did."""
    record = read_record(directory)
    if record is None or record.pid != pid:
        return False
    try:
        os.unlink(record_path(directory))
    except FileNotFoundError:
        return False
    return True


def ask(
    record: DaemonRecord, path: str, body: Mapping[str, Any], *, timeout_s: float
) -> tuple[int, dict[str, Any]]:
    """Send one request and return the status and the JSON of the answer.

    Raises:
        DaemonGoneError: Nobody answered in time, or what answered does not speak HTTP and JSON.
    """
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    status, answer = post(record, path, content, {}, timeout_s=timeout_s)
    try:
        loaded = json.loads(answer)
    except ValueError as error:
        raise DaemonGoneError(f"the daemon does not answer: {error}") from error
    if not isinstance(loaded, dict):
        raise DaemonGoneError("the daemon does not answer with a JSON object")
    return status, loaded


def post(
    record: DaemonRecord,
    path: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    timeout_s: float,
) -> tuple[int, bytes]:
    """Send one JSON document and return the status and the body of the answer.

    Raises:
        DaemonGoneError: Nobody answered in time, or what answered does not speak HTTP.
    """
    import socket  # noqa: PLC0415 - only paid for when a daemon runs
    import time  # noqa: PLC0415

    deadline = time.monotonic() + timeout_s
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{record.port}\r\n"
        f"Authorization: Bearer {record.token}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n"
        + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        + "\r\n"
    )
    answer = bytearray()
    try:
        with socket.create_connection(("127.0.0.1", record.port), timeout=timeout_s) as link:
            # Refused before it was read to its end: the answer says why.
            with suppress(ConnectionError):
                link.sendall(head.encode("ascii") + content)
            while len(answer) < _ANSWER_LIMIT:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise DaemonGoneError("the daemon did not answer in time")
                link.settimeout(left)
                part = link.recv(65536)
                if not part:
                    break
                answer += part
        return _parsed(bytes(answer))
    except (OSError, ValueError) as error:
        raise DaemonGoneError(f"the daemon does not answer: {error}") from error


def _parsed(answer: bytes) -> tuple[int, bytes]:
    head, separator, content = answer.partition(b"\r\n\r\n")
    first = head.split(b"\r\n", 1)[0].split(b" ")
    if not separator or not first[0].startswith(b"HTTP/1."):
        raise ValueError("no HTTP answer")
    return int(first[1]), content
