"""What is published beside the package: the plugin and the registry entry say the same as it."""

from __future__ import annotations

import json
from pathlib import Path

import realmemory
from realmemory.agents import guidance
from realmemory.agents.hosts import HOOK_PROGRAM, HOSTS, Commands, Places
from realmemory.api.tools import TOOLS

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"


def loaded(path):
    return json.loads(path.read_text())


def test_versions_are_those_of_the_package():
    server = loaded(ROOT / "server.json")
    package = server["packages"][0]
    assert server["version"] == package["version"] == realmemory.__version__
    assert package["runtimeArguments"][0]["value"].endswith(f"=={realmemory.__version__}")
    assert loaded(PLUGIN / ".claude-plugin/plugin.json")["version"] == realmemory.__version__


def test_readme_carries_the_name_that_proves_ownership():
    name = loaded(ROOT / "server.json")["name"]
    assert f"mcp-name: {name}" in (ROOT / "README.md").read_text()


def test_plugin_has_the_hooks_and_the_skill_of_the_installer(tmp_path):
    commands = Commands(("realmemory", "mcp"), (HOOK_PROGRAM,))
    places = Places(tmp_path, {})
    edits = HOSTS["claude"].edits(places, commands)
    text = ""
    for edit in edits[tmp_path / ".claude" / "settings.json"]:
        text = edit.apply(text)
    assert loaded(PLUGIN / "hooks/hooks.json")["hooks"] == json.loads(text)["hooks"]
    assert (PLUGIN / "skills/realmemory/SKILL.md").read_text() == guidance.SKILL


def test_marketplace_leads_to_the_plugin():
    market = loaded(ROOT / ".claude-plugin/marketplace.json")
    entry = market["plugins"][0]
    folder = ROOT / entry["source"]
    assert loaded(folder / ".claude-plugin/plugin.json")["name"] == entry["name"]


def test_guidance_names_the_tools_that_exist_and_fits_its_budget():
    names = {tool.name for tool in TOOLS}
    for name in ("recall", "memorize", "revise", "reflect"):
        assert name in names
        assert name in guidance.INSTRUCTIONS
        assert f"`{name}`" in guidance.SKILL
    assert len(guidance.INSTRUCTIONS.encode()) <= 1024
