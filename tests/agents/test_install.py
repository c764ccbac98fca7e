"""Installing into every host and out again, in a throw-away home."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from realmemory.agents import jsonc
from realmemory.agents.hosts import HOSTS, Commands, Places
from realmemory.agents.install import Installer
from realmemory.errors import ConfigurationError

COMMANDS = Commands(
    server=("/opt/real memory/bin/realmemory", "mcp"),
    hook=("/opt/real memory/bin/realmemory-hook",),
)

CONFIGS = {
    "claude": {
        ".claude.json": '{"numStartups": 3, "mcpServers": {"other": {"command": "x"}}}',
        ".claude/settings.json": (
            '{\n  "permissions": {"allow": ["Bash(ls)"]},\n  "hooks": {\n    "Stop": [\n'
            '      {"hooks": [{"type": "command", "command": "say done"}]}\n    ]\n  }\n}\n'
        ),
    },
    "zcode": {".zcode/config.json": '\ufeff{\r\n  "model": "glm",\r\n  "mcpServers": {}\r\n}\r\n'},
    "codex": {
        ".codex/config.toml": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # why',
        ".codex/AGENTS.md": "# My rules\n\nBe brief.",
    },
    "cursor": {
        ".cursor/mcp.json": '{"mcpServers":{}}',
        ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}',
    },
    "gemini": {
        ".gemini/settings.json": '{\n\t// theme\n\t"theme": "Default",\n}\n',
        ".gemini/GEMINI.md": "Всегда отвечай по-русски.\r\n",
    },
    "vscode": {".config/Code/User/mcp.json": '{\n    "servers": {},\n    "inputs": [], // none\n}'},
    "opencode": {".config/opencode/opencode.jsonc": '{\n  // models\n  "model": "a/b"\n}\n'},
    "zed": {
        ".config/zed/settings.json": (
            '// Zed settings\n{\n  "ui_font_size": 16, // px\n  "context_servers": {\n'
            '    "other": { "command": "x", "args": [] },\n  },\n}\n'
        )
    },
    "windsurf": {".codeium/windsurf/mcp_config.json": ""},
    "claude-desktop": {
        ".config/Claude/claude_desktop_config.json": '{"globalShortcut": "", "mcpServers": {"a": 1}}'
    },
}


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home with пробел"
    for files in CONFIGS.values():
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
    (folder / ".claude.json").chmod(0o640)
    return folder


@pytest.fixture
def installer(home):
    return installer_for(home)


def installer_for(home, commands=COMMANDS):
    places = Places(home, {"HOME": str(home)})
    return Installer(places, home / ".local" / "share" / "realmemory", commands)


def tree(folder):
    """Hash of every path, mode and content below ``folder``."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {stat.filemode(path.stat().st_mode)}".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def install(installer, host):
    installer.install(host, installer.plan_install(host))


def uninstall(installer, host):
    installer.uninstall(host, installer.plan_uninstall(host))


def parsed(path):
    text = path.read_text("utf-8").removeprefix("\ufeff")
    return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value


@pytest.fixture(params=HOSTS)
def host(request):
    return HOSTS[request.param]


def test_the_ten_hosts_are_known():
    assert len(HOSTS) == 10
    assert set(HOSTS) == set(CONFIGS)


def test_detection_follows_the_traces_of_a_host(tmp_path, home, host):
    assert host.detected(Places(home, {}))
    assert not host.detected(Places(tmp_path / "nobody", {}))


def test_planning_changes_nothing_and_shows_each_change(home, installer, host):
    before = tree(home)
    changes = installer.plan_install(host)
    shown = "".join(change.diff() for change in changes)
    assert "realmemory" in shown
    assert "+++ " in shown
    assert tree(home) == before


def test_uninstall_gives_the_same_tree(home, installer, host):
    before = tree(home)
    install(installer, host)
    assert tree(home) != before
    assert installer.installed(host)
    uninstall(installer, host)
    assert tree(home) == before
    assert not installer.installed(host)


def test_all_hosts_together_and_out_again_in_another_order(home, installer):
    before = tree(home)
    for host in HOSTS.values():
        install(installer, host)
    for host in reversed(HOSTS.values()):
        uninstall(installer, host)
    assert tree(home) == before


def test_empty_home_is_empty_again(tmp_path, host):
    home = tmp_path / "new"
    home.mkdir()
    installer = installer_for(home)
    install(installer, host)
    assert any(home.iterdir())
    uninstall(installer, host)
    assert not any(home.iterdir())


def test_empty_home_is_empty_again_after_all_hosts_in_any_order(tmp_path):
    for order in (list(HOSTS.values()), list(reversed(HOSTS.values()))):
        home = tmp_path / f"home-{order[0].name}"
        home.mkdir()
        installer = installer_for(home)
        for host in HOSTS.values():
            install(installer, host)
        for host in order:
            uninstall(installer, host)
        assert not any(home.iterdir())


def test_installing_twice_changes_nothing(home, installer, host):
    install(installer, host)
    before = tree(home)
    assert not any(change.changes for change in installer.plan_install(host))
    install(installer, host)
    assert tree(home) == before


def test_foreign_entries_and_comments_stay(home, installer, host):
    install(installer, host)
    for name, content in CONFIGS[host.name].items():
        after = (home / name).read_bytes().decode()
        for line in content.splitlines():
            for word in line.split():
                assert word.rstrip(",}]") in after
        if name.endswith("json") and content.strip():
            assert _contains(parsed(home / name), jsonc.parse(content).value)


def _contains(after, before):
    if isinstance(before, dict):
        return all(key in after and _contains(after[key], before[key]) for key in before)
    if isinstance(before, list):
        return all(item in after for item in before)
    return after == before


def test_upgrade_replaces_our_entries_only_and_uninstall_still_restores(home, installer, host):
    before = tree(home)
    install(installer, host)
    newer = installer_for(home, Commands(("/new/realmemory", "mcp"), ("/new/realmemory-hook",)))
    install(newer, host)
    for path in host.edits(Places(home, {"HOME": str(home)}), COMMANDS):
        text = path.read_text("utf-8")
        assert "/opt/real memory" not in text
    uninstall(newer, host)
    assert tree(home) == before


def test_edits_made_by_the_host_in_between_survive_the_uninstall(home, installer):
    host = HOSTS["claude"]
    install(installer, host)
    path = home / ".claude.json"
    path.write_text(jsonc.set_member(path.read_text(), ("numStartups",), 4))
    settings = home / ".claude" / "settings.json"
    settings.write_text(jsonc.set_member(settings.read_text(), ("model",), "opus"))
    uninstall(installer, host)
    assert path.read_text() == CONFIGS["claude"][".claude.json"].replace("3", "4")
    left = parsed(settings)
    expected = json.loads(CONFIGS["claude"][".claude/settings.json"])
    assert left == expected | {"model": "opus"}


def test_a_file_that_only_we_filled_goes_even_when_the_host_rewrote_it(home, installer):
    host = HOSTS["codex"]
    install(installer, host)
    hooks = home / ".codex" / "hooks.json"
    hooks.write_text(json.dumps(json.loads(hooks.read_text()), indent=4))
    uninstall(installer, host)
    assert not hooks.exists()


def test_uninstall_without_a_receipt_removes_our_entries(home, installer, host):
    originals = {name: (home / name).read_bytes() for name in CONFIGS[host.name]}
    install(installer, host)
    for receipt in (home / ".local/share/realmemory/agents").glob("*.json"):
        receipt.unlink()
    uninstall(installer, host)
    for name, content in originals.items():
        if content:
            assert (home / name).read_bytes() == content
    for path in host.edits(Places(home, {"HOME": str(home)}), COMMANDS):
        assert not path.exists() or "realmemory" not in path.read_text("utf-8")


@pytest.mark.parametrize("broken", [b"{", b'{"a": \xff}', b'{"mcpServers": [], "hooks": 3}'])
def test_unreadable_configuration_is_refused_unchanged(home, installer, broken):
    path = home / ".cursor" / "mcp.json"
    path.write_bytes(broken)
    before = tree(home)
    with pytest.raises(ConfigurationError, match="left as it is"):
        installer.plan_install(HOSTS["cursor"])
    assert tree(home) == before


def test_change_between_plan_and_write_is_noticed(home, installer):
    host = HOSTS["windsurf"]
    changes = installer.plan_install(host)
    path = home / ".codeium" / "windsurf" / "mcp_config.json"
    path.write_text('{"mcpServers": {"new": {}}}')
    with pytest.raises(ConfigurationError) as error:
        installer.install(host, changes)
    assert error.value.code == "host_config_changed"
    assert path.read_text() == '{"mcpServers": {"new": {}}}'


@pytest.mark.skipif(os.name == "nt", reason="modes and links are POSIX")
def test_mode_and_symbolic_link_are_kept(home, installer):
    target = home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    (home / ".claude.json").rename(target)
    (home / ".claude.json").symlink_to(target)
    install(installer, HOSTS["claude"])
    assert (home / ".claude.json").is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert "realmemory" in target.read_text()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_backups_are_private_and_hold_the_old_content(home, installer):
    install(installer, HOSTS["claude"])
    backups = list((home / ".local/share/realmemory/agents/backups").iterdir())
    assert {path.read_text() for path in backups} == set(CONFIGS["claude"].values())
    assert {stat.S_IMODE(path.stat().st_mode) for path in backups} == {0o600}


def test_own_directories_of_hosts_are_respected(tmp_path):
    home = tmp_path / "home"
    environ = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "c"),
        "CODEX_HOME": str(tmp_path / "x"),
        "XDG_CONFIG_HOME": str(tmp_path / "conf"),
    }
    places = Places(home, environ)
    for host in HOSTS.values():
        for path in host.edits(places, COMMANDS):
            assert path.is_relative_to(tmp_path)
    assert tmp_path / "c" / ".claude.json" in HOSTS["claude"].edits(places, COMMANDS)
    assert tmp_path / "x" / "config.toml" in HOSTS["codex"].edits(places, COMMANDS)
    assert tmp_path / "conf" / "zed" / "settings.json" in HOSTS["zed"].edits(places, COMMANDS)


def test_hook_commands_name_the_program_by_its_absolute_path(home, installer):
    for name in ("claude", "codex", "gemini", "cursor", "zcode"):
        install(installer, HOSTS[name])
        for path in HOSTS[name].edits(Places(home, {"HOME": str(home)}), COMMANDS):
            if path.suffix == ".json" and "hooks" in parsed(path):
                commands = list(_commands(parsed(path)["hooks"]))
                assert commands
                for command in commands:
                    if "realmemory-hook" in command:
                        assert command.strip("'\"").startswith("/opt/real memory/bin/")


def _commands(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "command" and isinstance(item, str):
                yield item
            else:
                yield from _commands(item)
    elif isinstance(value, list):
        for item in value:
            yield from _commands(item)


def test_commands_of_this_installation_exist():
    commands = Commands.installed()
    assert Path(commands.server[0]).is_absolute()
    assert Path(commands.server[0]).exists()
    assert Commands.installed("/m").hook[1:] == ("--path", "/m")
