"""What the daemon serves behind its guard: MCP, the tools as plain JSON, and its health."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import anyio
import anyio.to_thread
from starlette.responses import Response
from starlette.routing import Route

from realmemory import strict_json
from realmemory.agents.daemon import MEMORY_PREFIX
from realmemory.agents.quoting import one_line
from realmemory.api import facade
from realmemory.api.agent import AUTHOR_HEADER, PROJECT_HEADER, SESSION_HEADER
from realmemory.api.arguments import checked
from realmemory.api.backend import Caller
from realmemory.api.grants import OWNER_ID
from realmemory.api.guard import GRANT_KEY, error_body
from realmemory.api.server import build_server
from realmemory.errors import (
    InvalidInputError,
    NotFoundError,
    RealMemoryError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from realmemory.scopes import validate_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server import ServerRequestContext
    from starlette.applications import Starlette
    from starlette.requests import Request

    from realmemory.api.direct import DirectBackend
    from realmemory.api.grants import Grant

_AUTHOR_CHARS = 64
_CALL_KEYS = frozenset(["arguments", "project", "session", "author"])


class BadBodyError(InvalidInputError):
    """What was sent is no JSON object; unlike a wrong argument it is answered with 400."""

    default_code = "bad_json"


_JSON_NAMES: dict[type, str] = {dict: "an object", list: "an array"}
_STATUS = (
    (BadBodyError, 400),
    (InvalidInputError, 422),
    (NotFoundError, 422),
    (StoreBusyError, 503),
    (StoreFullError, 507),
)


def build_application(backend: DirectBackend, *, version: str, workers: int) -> Starlette:
    """Return the application; every request in it carries a grant."""
    limiter = anyio.CapacityLimiter(workers)
    known = {tool.name: tool for tool in backend.tools}
    server = build_server(backend, _mcp_caller, version=version, limiter=limiter)

    async def call(request: Request) -> Response:
        tool = known.get(request.path_params["tool"])
        if tool is None:
            return _error(NotFoundError("there is no such tool"), status=404)
        try:
            body = _object(await request.body())
            _refuse_others(body)
            arguments = checked(tool, body.get("arguments"))
            stated = (body.get(name) for name in ("project", "session", "author"))
            caller = _caller(request.scope[GRANT_KEY], *stated)
            result = await anyio.to_thread.run_sync(
                lambda: backend.call(tool.name, arguments, caller), limiter=limiter
            )
        except RealMemoryError as error:
            return _error(_told_to(request.scope[GRANT_KEY], error))
        content = json.dumps({"result": result}, ensure_ascii=False).encode()
        return Response(content, media_type="application/json")

    async def own(request: Request) -> Response:
        method = request.path_params["method"]
        if request.scope[GRANT_KEY].id != OWNER_ID or method not in facade.CALLS:
            return _error(NotFoundError("there is no such call"), status=404)
        try:
            body = _object(await request.body(), arguments=list)
            result = await anyio.to_thread.run_sync(
                lambda: facade.served(backend.opened(), method, body), limiter=limiter
            )
        except RealMemoryError as error:
            return _error(error)
        content = json.dumps({"result": result}, ensure_ascii=False).encode()
        return Response(content, media_type="application/json")

    async def health(request: Request) -> Response:
        del request
        return Response(b'{"status":"ok"}', media_type="application/json")

    return server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        custom_starlette_routes=[
            Route("/v1/tools/{tool}", call, methods=["POST"]),
            Route(MEMORY_PREFIX + "{method}", own, methods=["POST"]),
            Route("/healthz", health, methods=["GET"]),
        ],
    )


def _mcp_caller(context: ServerRequestContext[dict[str, Any]]) -> Caller:
    request = context.request
    if request is None:
        raise RealMemoryError("the request came without its grant", code="unauthorized")
    stated = (request.headers.get(name) for name in (PROJECT_HEADER, SESSION_HEADER, AUTHOR_HEADER))
    decoded = (unquote(text) if text else None for text in stated)
    return _caller(request.scope[GRANT_KEY], *decoded)


def _caller(
    grant: Grant, project: object = None, session: object = None, author: object = None
) -> Caller:
    """Return who asks: the stated project, else the only one that the grant reaches."""
    named = validate_scope(str(project)) if project is not None else None
    if named is None and grant.scopes is not None and len(grant.scopes) == 1:
        named = grant.scopes[0]
    return Caller(
        project=named,
        session=str(session)[:128] if session is not None else None,
        reach=grant.reach,
        writes=grant.writes,
        author=one_line(str(author), _AUTHOR_CHARS) if author is not None else "",
    )


def _object(body: bytes, arguments: type = dict) -> Mapping[str, Any]:
    """Return the JSON object of a body, by the letter of the standard.

    Raises:
        InvalidInputError: Not strict JSON (the message names the place), or not an object.
    """
    try:
        loaded = strict_json.parse(body)
    except InvalidInputError as error:
        raise BadBodyError(f"the body is {error}; nothing was done", code=error.code) from error
    if not isinstance(loaded, dict):
        raise BadBodyError("the body is not a JSON object; nothing was done")
    given = loaded.get("arguments")
    if given is not None and not isinstance(given, arguments):
        raise BadBodyError(f"arguments is not {_JSON_NAMES[arguments]}; nothing was done")
    return loaded


def _refuse_others(body: Mapping[str, Any]) -> None:
    """Refuse what a call of a tool does not know, as arguments that stand outside of theirs."""
    unknown = sorted(body.keys() - _CALL_KEYS)
    if unknown:
        raise BadBodyError(
            f"the body has an unknown key {unknown[0][:64]!r}; nothing was done. What a tool is "
            'given goes into "arguments".',
            code="unknown_argument",
        )


def _told_to(grant: Grant, error: RealMemoryError) -> RealMemoryError:
    """Keep paths and what the system said from whoever reaches only a part."""
    if grant.scopes is None or not isinstance(error, StoreError):
        return error
    told = "the memory cannot be used at the moment; nothing was done. Its owner can find out more."
    return type(error)(told, code=error.code)


def _error(error: RealMemoryError, status: int | None = None) -> Response:
    if status is None:
        status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    headers = {"retry-after": "1"} if status == 503 else None
    content = error_body(error.code, error.message, type(error).__name__)
    return Response(content, status, headers, media_type="application/json")
