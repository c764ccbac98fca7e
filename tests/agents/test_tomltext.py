"""Our block in a TOML file: added at the end, removed without a trace."""

from __future__ import annotations

import tomllib

import pytest

from realmemory.agents import tomltext

PATH = ("mcp_servers", "realmemory")
VALUES = {"command": 'C:\\Программы\\real"memory', "args": ["mcp"], "startup_timeout_sec": 30}

GOLDEN = {
    "empty": "",
    "comments": '# mine\nmodel = "x" # why\n\n[mcp_servers.other]\ncommand = "y"\n',
    "no line break at the end": '[mcp_servers.other]\ncommand = "y"',
    "windows": 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    "blank lines at the end": 'model = "x"\n\n\n',
    "byte order mark": '\ufeffmodel = "x"\n',
}


@pytest.mark.parametrize("text", GOLDEN.values(), ids=GOLDEN)
def test_adding_and_removing_gives_the_same_bytes(text):
    added = tomltext.set_table(text, PATH, VALUES)
    assert added.startswith(text)
    content = tomllib.loads(added.removeprefix("\ufeff").replace("\r\n", "\n"))
    assert content["mcp_servers"]["realmemory"] == VALUES
    assert tomltext.set_table(added, PATH, VALUES) == added
    assert tomltext.remove_table(added) == text


def test_changed_values_replace_the_block():
    first = tomltext.set_table('model = "x"\n', PATH, VALUES)
    second = tomltext.set_table(first, PATH, VALUES | {"command": "/new"})
    assert tomllib.loads(second)["mcp_servers"]["realmemory"]["command"] == "/new"
    assert second.count("realmemory: begin") == 1


def test_what_follows_our_block_stays():
    text = tomltext.set_table('model = "x"\n', PATH, VALUES) + "[later]\nz = 1\n"
    assert tomltext.remove_table(text) == 'model = "x"\n[later]\nz = 1\n'


@pytest.mark.parametrize(
    "text",
    [
        "model = ",
        '[mcp_servers.realmemory]\ncommand = "by hand"\n',
        'mcp_servers = { other = { command = "x" } }\n',
    ],
    ids=["broken", "foreign entry", "inline table"],
)
def test_broken_or_foreign_content_is_refused(text):
    with pytest.raises(tomltext.TomlError):
        tomltext.set_table(text, PATH, VALUES)
