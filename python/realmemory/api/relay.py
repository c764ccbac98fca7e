"""A stdio server that loads nothing: it hands each message to the daemon and its answer back.

Five agents then cost one protocol library, one model and one index, not five. The daemon serves
the same tools with the same library, so the messages need no understanding here beyond their
method and id. When the daemon goes, what is unanswered is handed to a server in this process.
"""

from __future__ import annotations

import json
import threading
import time

from realmemory.agents.daemon import MAX_BODY, DaemonGoneError, post, read_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from realmemory.agents.daemon import DaemonRecord
    from realmemory.api.pipes import Inbox, Outbox

_CALL_S = 60.0
_OTHER_S = 5.0
_BUSY_S = 10.0
_BUSY_PAUSE_S = 0.1
_LAST_ANSWERS_S = 0.8
_AT_ONCE = 16
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NOT_OURS = (401, 403, 404, 421)
_TOO_LARGE, _BUSY = 413, 503
_GREETED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
_INVALID_REQUEST, _SERVER_ERROR = -32600, -32000


class Relay:
    """Passes messages between the pipes and the daemon of a directory.

    Args:
        inbox: Lines of the agent.
        outbox: Lines to the agent.
        find: Returns the record of the daemon, or ``None`` when there is none.
        who: Headers that say on whose behalf it asks.
        before: Called with each request before it is passed on.
    """

    def __init__(
        self,
        inbox: Inbox,
        outbox: Outbox,
        find: Callable[[], DaemonRecord | None],
        who: dict[str, str],
        before: Callable[[dict[str, Any]], None],
    ) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._find = find
        self._who = who
        self._before = before
        self._version = ""
        self._hello = ""
        self._lock = threading.Lock()
        self._running: set[threading.Thread] = set()
        self._cancelled: set[int | str] = set()
        self._lost: list[str] = []

    def run(self) -> bool:
        """Pass messages on; return whether the agent is done.

        Otherwise the daemon is gone, and the inbox begins with what is not answered yet.
        """
        while (line := self._inbox.get()) is not None:
            if line:
                self._take(line)
            if self._lost:
                self._settle(None)
                self._inbox.put_back(([self._hello, _GREETED] if self._hello else []) + self._lost)
                return False
        self._settle(time.monotonic() + _LAST_ANSWERS_S)
        return True

    def _take(self, line: str) -> None:
        message = _parsed(line)
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            return
        if number is None:
            if method == "notifications/cancelled":
                self._cancel(message)
            return
        if isinstance(number, bool) or not isinstance(number, (int, str)):
            return
        self._before(message)
        if method == "initialize":
            # What follows needs the version that this one agrees upon.
            self._forward(line, message)
            return
        self._wait_for_room()
        thread = threading.Thread(target=self._forward, args=(line, message), daemon=True)
        with self._lock:
            self._running.add(thread)
        thread.start()

    def _cancel(self, message: dict[str, Any]) -> None:
        """Keep the answer back; what was begun is finished, so that no write is torn."""
        params = message.get("params")
        number = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(number, (int, str)):
            self._cancelled.add(number)

    def _forward(self, line: str, message: dict[str, Any]) -> None:
        number = message["id"]
        try:
            answer = self._asked(line, message)
        except DaemonGoneError:
            with self._lock:
                self._lost.append(line)
            self._inbox.wake()
        else:
            if number in self._cancelled:
                self._cancelled.discard(number)
            else:
                self._outbox.say(answer)
            if message["method"] == "initialize":
                self._agreed(line, number, answer)
        finally:
            with self._lock:
                self._running.discard(threading.current_thread())

    def _agreed(self, line: str, number: int | str, answer: str) -> None:
        result = json.loads(answer).get("result")
        if isinstance(result, dict):
            self._version = str(result.get("protocolVersion", ""))
            self._hello = line
            self._outbox.answered(number)

    def _asked(self, line: str, message: dict[str, Any]) -> str:
        """Return the daemon's answer as one line.

        Raises:
            DaemonGoneError: There is none.
        """
        content = line.encode()
        if len(content) > MAX_BODY:
            return _failure(message["id"], _TOO_LARGE, f"a message has at most {MAX_BODY} bytes")
        headers = {**self._who, **_described(message, self._version)}
        wait = _CALL_S if message["method"] == "tools/call" else _OTHER_S
        deadline = time.monotonic() + _BUSY_S
        while True:
            record = self._find()
            if record is None:
                raise DaemonGoneError("no daemon runs")
            status, body = post(record, "/mcp", content, headers, timeout_s=wait)
            loaded = _parsed(body.decode("utf-8", "replace"))
            if loaded.get("jsonrpc") == "2.0":
                return json.dumps(loaded, ensure_ascii=False, separators=(",", ":"))
            if status in _NOT_OURS or not loaded:
                # Another program got the port of a daemon that died: not ours to talk to.
                raise DaemonGoneError(f"the daemon answers with status {status}")
            if status != _BUSY or time.monotonic() > deadline:
                return _failure(message["id"], status, _told(loaded, status))
            time.sleep(_BUSY_PAUSE_S)

    def _wait_for_room(self) -> None:
        while True:
            with self._lock:
                if len(self._running) < _AT_ONCE:
                    return
                oldest = next(iter(self._running))
            oldest.join()

    def _settle(self, deadline: float | None) -> None:
        """Wait until what was passed on is answered or lost."""
        with self._lock:
            running = list(self._running)
        for thread in running:
            thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))


def daemon_of(directory: str, namespace: str | None) -> DaemonRecord | None:
    """Return the record of the daemon that serves this memory."""
    record = read_record(directory)
    return record if record is not None and record.namespace == (namespace or "") else None


def quoted_header(text: str) -> str:
    """Return any text as a header: UTF-8, percent-encoded where it is not plain."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._ "
    return "".join(
        chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode("utf-8", "replace")
    )


def _parsed(text: str) -> dict[str, Any]:
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _described(message: dict[str, Any], agreed: str) -> dict[str, str]:
    """Return the headers that must repeat what the body says."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    stated = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(stated, str):
        return {"MCP-Protocol-Version": _header(agreed)} if agreed else {}
    headers = {
        "MCP-Protocol-Version": _header(stated),
        "Mcp-Method": _header(message["method"]),
    }
    name = params.get("uri" if message["method"] == "resources/read" else "name")
    if isinstance(name, str):
        headers["Mcp-Name"] = _header(name)
    return headers


def _header(value: str) -> str:
    """Return a value as the protocol wants it: in base64 unless it is plain."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not value.startswith("=?"):
        return value
    import base64  # noqa: PLC0415 - names that no tool of ours has

    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'replace')).decode()}?="


def _told(loaded: dict[str, Any], status: int) -> str:
    error = loaded.get("error")
    told = error.get("message") if isinstance(error, dict) else None
    return str(told or f"the daemon answered with status {status}")


def _failure(number: int | str, status: int, told: str) -> str:
    code = _INVALID_REQUEST if status == _TOO_LARGE else _SERVER_ERROR
    message = {"code": code, "message": told}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": message}, ensure_ascii=False)
