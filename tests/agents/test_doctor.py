"""The doctor runs what hosts would run, and says what fails."""

from __future__ import annotations

import json

import pytest

from realmemory.agents.doctor import examine, outdated
from realmemory.agents.hosts import HOSTS, Commands, Places
from realmemory.agents.install import Installer


@pytest.fixture
def places(tmp_path):
    (tmp_path / "home" / ".claude").mkdir(parents=True)
    return Places(tmp_path / "home", {"HOME": str(tmp_path / "home")})


@pytest.fixture
def data(places):
    return places.home / ".local" / "share" / "realmemory"


def installed(places, data, commands):
    installer = Installer(places, data, commands)
    host = HOSTS["claude"]
    installer.install(host, installer.plan_install(host))


def findings(places, data):
    return {item.check: item for item in examine(places, data, HOSTS["claude"])}


def test_host_that_is_not_here_is_not_mentioned(places, data):
    assert examine(places, data, HOSTS["zed"]) == []


def test_an_agent_that_was_never_asked_for_is_no_fault_and_told_with_the_command(places, data):
    found = findings(places, data)["installed"]
    assert found.ok
    assert "realmemory install claude" in found.detail


def test_sound_installation_is_fine_throughout(places, data):
    installed(places, data, Commands.installed())
    found = findings(places, data)
    assert [item for item in found.values() if not item.ok] == []
    assert "answers after" in found["server"].detail
    assert {"hook session-start", "hook prompt", "hook stop", "up to date"} <= found.keys()


def test_installation_that_was_told_where_the_memory_lies_is_up_to_date(places, data):
    installed(places, data, Commands.installed(str(data)))
    assert [item.ok for item in outdated(places, data)] == [True]
    assert [item.ok for item in outdated(places, data.parent / "another")] == []


def test_programs_that_moved_or_fail_are_named(places, data, tmp_path):
    broken = tmp_path / "realmemory-hook"
    broken.write_text("#!/bin/sh\necho plain text\n")
    broken.chmod(0o755)
    installed(places, data, Commands(("/nowhere/realmemory", "mcp"), (str(broken),)))
    found = findings(places, data)
    assert "/nowhere/realmemory" in found["server"].detail
    assert found["hook prompt"].detail == "printed something that is not JSON"
    assert not found["up to date"].ok


def test_silenced_hooks_and_a_second_copy_are_noticed(places, data):
    installed(places, data, Commands(("/nowhere/realmemory", "mcp"), ("/nowhere/realmemory-hook",)))
    path = places.home / ".claude" / "settings.json"
    settings = json.loads(path.read_text())
    settings |= {"disableAllHooks": True, "enabledPlugins": {"realmemory@realmemory": True}}
    path.write_text(json.dumps(settings))
    said = " ".join(item.detail for item in examine(places, data, HOSTS["claude"]))
    assert "disableAllHooks is set" in said
    assert "the plugin is enabled beside" in said


def test_unreadable_settings_are_said(places, data):
    (places.home / ".claude" / "settings.json").write_text("{")
    found = examine(places, data, HOSTS["claude"])
    assert any("cannot be read: line 1" in item.detail for item in found)
