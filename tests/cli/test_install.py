"""`install` and `uninstall` as somebody with several coding agents meets them."""

from __future__ import annotations

import json

import pytest

from realmemory.cli import exits

UNREADABLE = "{"


@pytest.fixture
def home(ask, tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude.json").write_text("{}")
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text(UNREADABLE)
    return tmp_path


def outcomes(told):
    by_host = {one["host"]: one for one in told}
    return by_host["claude"], by_host["cursor"]


def test_settings_that_cannot_be_read_keep_no_other_agent_waiting(ask, home):
    claude, cursor = outcomes(ask("install", status=exits.ATTENTION))
    assert claude["error"] is None
    assert "realmemory" in json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert "left as it is" in cursor["error"]
    assert cursor["files"] == []
    assert (home / ".cursor" / "mcp.json").read_text() == UNREADABLE


def test_rehearsing_says_who_would_be_left_out(told, home):
    said = told("install", "--dry-run", status=exits.ATTENTION)
    assert "would be installed into Claude Code" in said
    assert "Cursor: " in said
    assert (home / ".claude.json").read_text() == "{}"


def test_taking_out_goes_on_behind_settings_that_were_broken_since(ask, home):
    (home / ".cursor" / "mcp.json").write_text("{}")
    ask("install")
    (home / ".claude.json").write_text(UNREADABLE)
    claude, cursor = outcomes(ask("uninstall", status=exits.ATTENTION))
    assert claude["error"]
    assert cursor["error"] is None
    assert (home / ".cursor" / "mcp.json").read_text() == "{}"


@pytest.mark.usefixtures("home")
def test_nothing_done_for_anybody_is_an_error(ask):
    assert ask("install", "cursor", status=exits.INPUT)["error"]["code"] == "unreadable_host_config"
