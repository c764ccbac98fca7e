"""One gate around the whole HTTP application: nothing behind it sees a request it did not check.

A web page in the user's browser can reach the loopback interface, so the gate refuses foreign
names (DNS rebinding), every ``Origin`` (no page is a client of ours) and every request without a
token, on every route, before a byte of the body is read.
"""

from __future__ import annotations

import json
import logging
import uuid
from itertools import chain
from typing import TYPE_CHECKING, Any

import anyio

from realmemory.agents.daemon import MAX_BODY, MEMORY_PREFIX
from realmemory.api.messages import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from realmemory.api.grants import Grant

_log = logging.getLogger(__name__)

BODY_S = 5.0
HEAD_BYTES = 16 * 1024
_MOST_HEADERS = 100
GRANT_KEY = "realmemory.grant"
ROUTES = {"/mcp": ("POST",), "/healthz": ("GET",)}
TOOLS_PREFIX = "/v1/tools/"


class Refusal(Exception):  # noqa: N818 - not an error of ours but an answer
    """Why a request is not let through, and what it is told."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers


class Guard:
    """Wraps an ASGI application.

    Args:
        app: What is behind the gate.
        match: Returns the grant of a token.
        port: The port that is served, as part of the allowed names.
        workers: Requests that are worked on at once.
        queue: Requests that may wait beside them; more are told to come back.
    """

    def __init__(
        self,
        app: ASGIApp,
        match: Callable[[str], Grant | None],
        port: int,
        *,
        workers: int = 8,
        queue: int = 32,
    ) -> None:
        self._app = app
        self._match = match
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
        self._most = workers + queue
        self._inside = 0
        self.served = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            scope[GRANT_KEY] = self._checked(scope)
        except Refusal as why:
            await _refuse(send, why)
            return
        self._inside += 1
        self.served += 1
        try:
            await self._pass(scope, receive, send)
        finally:
            self._inside -= 1

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            body = await _body(scope, receive)
            refused = refusal(body.decode()) if scope["raw_path"] == b"/mcp" else None
            if refused is not None:
                await _answer(send, 400, json.dumps(refused).encode())
                return
            await self._app(scope, _replayed(body, receive), watched)
        except Refusal as why:
            await _refuse(send, why)
        except Exception:
            reference = uuid.uuid4().hex[:8]
            _log.exception("a request failed (%s)", reference)
            if started:
                raise
            message = f"The request failed inside realMemory; see the log for {reference}."
            await _refuse(send, Refusal(500, "internal", message))

    def _checked(self, scope: Scope) -> Grant:
        headers = scope["headers"]
        _check_size(headers)
        self._check_origin(headers)
        grant = self._authenticated(headers)
        _check_route(scope)
        _check_body_headers(scope["method"], headers)
        if self._inside >= self._most:
            raise Refusal(
                503,
                "busy",
                "The daemon has too much to do; nothing was done. Try again in a second.",
                ((b"retry-after", b"1"),),
            )
        return grant

    def _check_origin(self, headers: list[tuple[bytes, bytes]]) -> None:
        hosts = _all(headers, b"host")
        if len(hosts) != 1:
            raise Refusal(400, "bad_host", "Exactly one Host is expected.")
        if hosts[0].lower() not in self._hosts:
            raise Refusal(403, "bad_host", "This name is not served here.")
        if _all(headers, b"origin"):
            raise Refusal(403, "bad_origin", "Web pages are not served here.")

    def _authenticated(self, headers: list[tuple[bytes, bytes]]) -> Grant:
        given = _all(headers, b"authorization")
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        grant = None
        if scheme.lower() == b"bearer":
            grant = self._match(token.strip().decode("latin-1"))
        if grant is None:
            raise Refusal(
                401,
                "unauthorized",
                "A bearer token is needed: `realmemory token mint`.",
                ((b"www-authenticate", b"Bearer"),),
            )
        return grant


def _check_size(headers: list[tuple[bytes, bytes]]) -> None:
    """Refuse a large head: the server's own limit counts only what comes in several pieces."""
    if len(headers) > _MOST_HEADERS or sum(map(len, chain(*headers))) > HEAD_BYTES:
        told = f"A request has at most {_MOST_HEADERS} headers of {HEAD_BYTES} bytes in all."
        raise Refusal(431, "large_headers", told)


def _check_route(scope: Scope) -> None:
    path = scope["raw_path"].decode("latin-1")
    if path.startswith((TOOLS_PREFIX, MEMORY_PREFIX)):
        allowed: tuple[str, ...] = ("POST",)
    elif path in ROUTES:
        allowed = ROUTES[path]
    else:
        raise Refusal(404, "not_found", "There is nothing at this path.")
    if scope["method"] not in allowed:
        listed = ", ".join(allowed).encode()
        raise Refusal(405, "bad_method", "This method is not served here.", ((b"allow", listed),))


def _check_body_headers(method: str, headers: list[tuple[bytes, bytes]]) -> None:
    lengths = _all(headers, b"content-length")
    codings = _all(headers, b"transfer-encoding")
    if len(lengths) > 1 or (lengths and codings):
        raise Refusal(400, "bad_length", "The length of the body is stated twice.")
    if lengths and not lengths[0].isdigit():
        raise Refusal(400, "bad_length", "The length of the body is not a number.")
    if lengths and (len(lengths[0]) > 12 or int(lengths[0]) > MAX_BODY):
        raise Refusal(413, "too_large", f"A request has at most {MAX_BODY} bytes.")
    if method == "GET":
        if codings or (lengths and int(lengths[0])):
            raise Refusal(400, "bad_length", "This method takes no body.")
        return
    if not lengths and not codings:
        raise Refusal(411, "length_required", "The length of the body is needed.")
    if _all(headers, b"content-encoding"):
        raise Refusal(415, "bad_encoding", "Compressed bodies are not accepted.")
    kinds = _all(headers, b"content-type")
    if len(kinds) != 1 or not _is_json(kinds[0]):
        raise Refusal(415, "bad_type", "The body has to be application/json in UTF-8.")


def _is_json(kind: bytes) -> bool:
    name, _, rest = kind.decode("latin-1").partition(";")
    charset = rest.strip().casefold().replace('"', "")
    return name.strip().casefold() == "application/json" and charset in {"", "charset=utf-8"}


def _all(headers: list[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key == name]


async def _body(scope: Scope, receive: Receive) -> bytes:
    """Read the whole body within its limits; the application gets it in one piece."""
    if scope["method"] == "GET":
        return b""
    parts: list[bytes] = []
    size, more = 0, True
    try:
        with anyio.fail_after(BODY_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "disconnected", "The client went away.")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MAX_BODY:
                    raise Refusal(413, "too_large", f"A request has at most {MAX_BODY} bytes.")
                more = message.get("more_body", False)
    except TimeoutError as error:
        raise Refusal(408, "too_slow", "The body did not arrive in time.") from error
    body = b"".join(parts)
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise Refusal(
            400, "invalid_utf8", f"The body is not UTF-8 at byte {error.start}."
        ) from error
    if body.startswith(b"\xef\xbb\xbf"):
        raise Refusal(400, "invalid_json", "The body starts with a byte order mark.")
    return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(send: Send, why: Refusal) -> None:
    await _answer(send, why.status, error_body(why.code, why.message), why.headers)


async def _answer(
    send: Send, status: int, content: bytes, more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        # What follows on this connection may be the rest of a body that nobody read.
        (b"connection", b"close"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def error_body(code: str, message: str, kind: str = "RealMemoryError") -> bytes:
    """Return the body of an error: the same shape on every route."""
    error: dict[str, Any] = {"code": code, "message": message, "kind": kind}
    return json.dumps({"error": error}, ensure_ascii=False).encode()
