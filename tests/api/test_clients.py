"""The SDK's own client over a child process, in both eras, alone and through a daemon."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters

from api.conversing import BY_NAME
from api.daemons import daemon
from realmemory.api.tools import TOOLS

FACT = "The nightly backup runs at three in the morning"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("way", ["alone", "relayed"])
def test_client_over_a_child_process(tmp_path, mode, way):
    folder = tmp_path / "memory"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "realmemory", "--path", str(folder), "--project", "shop", "mcp"],
        cwd=tmp_path,
    )

    async def conversation():
        async with Client(server, mode=mode) as client:
            tools = (await client.list_tools()).tools
            results = {
                "memorize": await client.call_tool("memorize", {"text": FACT}),
                "recall": await client.call_tool("recall", {"query": "nightly backup"}),
                "get": await client.call_tool("get", {"memory_ids": [1, 99]}),
                "reflect": await client.call_tool("reflect", {"memory_ids": [1], "reward": 1}),
                "revise": await client.call_tool(
                    "revise", {"old_id": 1, "new_text": "The nightly backup runs at four"}
                ),
                "forget": await client.call_tool("forget", {"memory_ids": [2]}),
                "introspect": await client.call_tool("introspect", {}),
                "dream_log": await client.call_tool("dream_log", {}),
            }
            misspelt = await client.call_tool("recall", {"query": "x", "limt": 3})
            with pytest.raises(MCPError):
                await client.call_tool("recal", {"query": "x"})
            return tools, results, misspelt

    with daemon(folder) if way == "relayed" else nullcontext():
        tools, results, misspelt = anyio.run(conversation)
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    assert set(results) == set(BY_NAME)
    for name, result in results.items():
        assert not result.is_error, result.content
        jsonschema.validate(result.structured_content, BY_NAME[name].output_schema)
    assert results["recall"].structured_content["items"][0]["text"] == FACT
    assert results["get"].structured_content["unknown"] == [99]
    assert misspelt.is_error
    assert "Did you mean 'k'" in misspelt.content[0].text
