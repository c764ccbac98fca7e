"""Talking to the MCP server in memory, its answers checked against what it promises of them."""

from __future__ import annotations

import json

import anyio
import jsonschema
from mcp import Client

from realmemory.api.backend import Caller
from realmemory.api.results import FULL_BYTES, RESULT_BYTES
from realmemory.api.server import build_server
from realmemory.api.tools import TOOLS

BY_NAME = {tool.name: tool for tool in TOOLS}


def talk(backend, conversation, *, mode="auto", project="shop", reach=None, writes=None):
    caller = Caller(project=project, session="s", reach=reach, writes=writes)
    server = build_server(backend, lambda _: caller, version="1")

    async def run():
        async with Client(server, mode=mode) as client:
            return await conversation(client)

    return anyio.run(run)


def call(backend, tool, arguments=None, **options):
    """Call one tool and check its result against its own promises."""
    result = talk(backend, lambda client: client.call_tool(tool, arguments or {}), **options)
    if not result.is_error:
        jsonschema.validate(result.structured_content, BY_NAME[tool].output_schema)
        limit = FULL_BYTES if tool == "get" else RESULT_BYTES
        assert len(json.dumps(result.structured_content, ensure_ascii=False).encode()) <= limit
        _same_facts(result.content[0].text, result.structured_content)
    return result


def _same_facts(text, value):
    if isinstance(value, dict):
        for key, item in value.items():
            assert key in {"items", "text", "id", "speaker"} or key in text
            _same_facts(text, item)
    elif isinstance(value, list):
        for item in value:
            _same_facts(text, item)
    elif isinstance(value, str):
        assert all(line in text for line in value.split("\n"))
    elif not isinstance(value, bool):
        assert str(value) in text


def ok(backend, tool, arguments=None, **options):
    result = call(backend, tool, arguments, **options)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def error(backend, tool, arguments=None, **options):
    result = call(backend, tool, arguments, **options)
    assert result.is_error
    return result.content[0].text
