"""The MCP server: the same tools over stdio and over HTTP."""

from __future__ import annotations

import json
import logging
import uuid
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as McpTool

from realmemory.agents.guidance import INSTRUCTIONS
from realmemory.api.arguments import checked
from realmemory.api.results import rendered
from realmemory.api.tools import TEAM_TOOL, TOOLS, Tool
from realmemory.errors import RealMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio import CapacityLimiter
    from mcp.server import ServerRequestContext

    from realmemory.api.backend import Caller, MemoryBackend

_log = logging.getLogger(__name__)
_LIST_TTL_MS = 3_600_000


def build_server(
    backend: MemoryBackend,
    caller: Callable[[ServerRequestContext[dict[str, Any]]], Caller],
    *,
    version: str,
    limiter: CapacityLimiter | None = None,
) -> Server[dict[str, Any]]:
    """Return a server that answers with ``backend``.

    Args:
        backend: Answers the tools.
        caller: Says on whose behalf a request comes.
        version: Of realMemory.
        limiter: Bounds the calls that are worked on at once.
    """
    known = {tool.name: tool for tool in backend.tools}

    async def on_list_tools(
        ctx: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del ctx, params
        backend.warm()
        return ListToolsResult(tools=[_listed(tool) for tool in known.values()])

    async def on_call_tool(
        ctx: ServerRequestContext[dict[str, Any]], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = known.get(params.name)
        if tool is None:
            raise MCPError(
                INVALID_PARAMS, f"unknown tool {params.name[:80]!r}; known: {', '.join(known)}"
            )
        who = caller(ctx)
        # Abandoned, not interrupted: a write that began is finished in its thread even when the
        # client stops listening.
        return await anyio.to_thread.run_sync(
            lambda: answer(backend, tool, params.arguments, who),
            abandon_on_cancel=True,
            limiter=limiter,
        )

    return Server(
        "realmemory",
        version=version,
        title="realMemory",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_TTL_MS, scope="public")},
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )


def answer(
    backend: MemoryBackend, tool: Tool, arguments: dict[str, Any] | None, caller: Caller
) -> CallToolResult:
    """Run one tool and return its result, or its error as something the agent can act on."""
    try:
        result = backend.call(tool.name, checked(tool, arguments), caller)
    except RealMemoryError as error:
        return _failed(f"{error.code}: {error.message}")
    except Exception:  # noqa: BLE001 - the boundary: an agent must get an answer, not a broken pipe
        reference = uuid.uuid4().hex[:8]
        _log.exception("tool %s failed (%s)", tool.name, reference)
        return _failed(
            f"internal: {tool.name} failed inside realMemory (reference {reference}, see the "
            "server's log). Stored memories are unharmed; go on without memory."
        )
    return CallToolResult(
        content=[TextContent(type="text", text=rendered(result))], structured_content=result
    )


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


def _listed(tool: Tool) -> McpTool:
    meta: dict[str, Any] = {}
    if tool.always_loaded:
        meta["anthropic/alwaysLoad"] = True
    if tool.name == "forget":
        meta["anthropic/requiresUserInteraction"] = True
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta=meta or None,
    )


def listed_bytes() -> int:
    """Return the size of the answer to ``tools/list`` with every tool there may be."""
    listed = [_listed(tool) for tool in (*TOOLS, TEAM_TOOL)]
    tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed]
    return len(json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":")).encode())
