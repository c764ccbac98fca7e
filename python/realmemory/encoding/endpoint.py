"""One address that JSON is posted to, and nothing else: no redirect, no proxy, no plain text abroad."""

from __future__ import annotations

import ipaddress
import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    import http.client
    import socket

MOST_BYTES = 64 * 1024 * 1024
"""Of an answer: many times what the vectors of a batch take."""
_CHUNK = 64 * 1024
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class RefusedError(Exception):
    """A request without an answer that can be used; the text says why, without what was sent.

    Args:
        message: A clause whose subject is the server.
        is_passing: The same request may be answered later.
        wait_s: How long the server wants to be left alone.
    """

    def __init__(
        self, message: str, *, is_passing: bool = False, wait_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.is_passing = is_passing
        self.wait_s = wait_s


class Endpoint:
    """Where a server is, with the key to it.

    Args:
        url: Base of its addresses.
        key: Sent as a bearer token; it appears in no message.
        allow_http: Send to another machine without encryption.

    Raises:
        ConfigurationError: ``unsafe_url`` or ``invalid_configuration``.
    """

    def __init__(self, url: str, key: str | None, *, allow_http: bool = False) -> None:
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError(
                "the address of an embedder begins with https:// or http:// and names a host, such "
                "as http://127.0.0.1:11434/v1; nothing was sent"
            )
        if parts.username is not None or parts.query or parts.fragment:
            raise ConfigurationError(
                "the address of an embedder holds no password, question mark or #; nothing was "
                "sent. Give its key by itself."
            )
        self.host = parts.hostname
        self._port, self._secure = port, parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self.is_here = _is_loopback(self.host)
        named = f"[{self.host}]" if ":" in self.host else self.host
        self.shown = f"{parts.scheme}://{named}{f':{port}' if port else ''}{self._path}"
        if not self._secure and not self.is_here and not allow_http:
            raise ConfigurationError(
                f"{self.shown} would carry texts and the key in the clear to another machine; "
                "nothing was sent. Use https, or allow it with REALMEMORY_EMBED_ALLOW_HTTP=1.",
                code="unsafe_url",
            )
        if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
            raise ConfigurationError(
                "the key of an embedder is one word of printable ASCII; nothing was sent"
            )
        self._key = key

    def post(self, path: str, body: bytes, *, deadline: float) -> bytes:
        """Send a JSON document and return the document of the answer.

        Args:
            path: Below the base.
            body: The document.
            deadline: When to give up, by ``time.monotonic``.

        Raises:
            RefusedError: There is no answer in time, or it is not a document.
        """
        import http.client  # noqa: PLC0415 - only for who has a remote embedder

        left = deadline - time.monotonic()
        if left <= 0:
            raise RefusedError("did not answer in time")
        connection = self._connection(left)
        try:
            connection.connect()
            link = connection.sock
            connection.request("POST", self._path + path, body, self._headers())
            answer = connection.getresponse()
            _check_status(answer)
            return _read(answer, link, deadline)
        except TimeoutError:
            raise RefusedError("did not answer in time") from None
        except (OSError, http.client.HTTPException) as error:
            # Not the text of the error: some repeat what was sent.
            raise RefusedError(f"cannot be reached ({_kind(error)})", is_passing=True) from None
        finally:
            connection.close()

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        import http.client  # noqa: PLC0415 - as above

        if not self._secure:
            return http.client.HTTPConnection(self.host, self._port, timeout=timeout_s)
        return http.client.HTTPSConnection(self.host, self._port, timeout=timeout_s)

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "User-Agent": "realmemory",
        }
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers


def _kind(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return reason or type(error).__name__


def _is_loopback(host: str) -> bool:
    if host.casefold() == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _check_status(answer: http.client.HTTPResponse) -> None:
    status = answer.status
    if 300 <= status < 400:
        raise RefusedError(f"answered {status}, a redirect, which is not followed")
    if status == 200:
        return
    wait_s = _wait(answer.getheader("Retry-After"))
    raise RefusedError(f"answered {status}", is_passing=status in _PASSING, wait_s=wait_s)


def _wait(stated: str | None) -> float | None:
    """Return the seconds of a ``Retry-After``; a date counts as none."""
    with suppress(ValueError, TypeError):
        seconds = float(stated or "")
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _read(answer: http.client.HTTPResponse, link: socket.socket, deadline: float) -> bytes:
    content = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise RefusedError("did not finish its answer in time")
        link.settimeout(left)
        part = answer.read1(_CHUNK)
        if not part:
            break
        content += part
        if len(content) > MOST_BYTES:
            raise RefusedError(f"answered with more than {MOST_BYTES >> 20} MiB")
    if answer.length:
        raise RefusedError("closed the connection within its answer", is_passing=True)
    return bytes(content)
