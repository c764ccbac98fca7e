"""The coding agents we can be installed into, and what that means for each."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from realmemory.agents import guidance, opencode
from realmemory.agents.edits import Edit, JsonItem, JsonMember, MarkedBlock, TomlTable, WholeFile
from realmemory.places import home_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERVER_NAME = "realmemory"
HOOK_PROGRAM = "realmemory-hook"


@dataclass(frozen=True, slots=True)
class Commands:
    """Absolute command lines that a host runs; hosts often have a bare ``PATH``."""

    server: tuple[str, ...]
    hook: tuple[str, ...]

    @classmethod
    def installed(cls, path: str | None = None) -> Commands:
        """Return the console scripts beside this interpreter.

        Args:
            path: Directory of the memory, when it is not the user's own.
        """
        folder = Path(sys.executable).parent
        suffix = ".exe" if sys.platform == "win32" else ""
        where = ("--path", path) if path else ()
        return cls(
            server=(str(folder / f"realmemory{suffix}"), *where, "mcp"),
            hook=(str(folder / f"{HOOK_PROGRAM}{suffix}"), *where),
        )


@dataclass(frozen=True, slots=True)
class Places:
    """Where hosts keep their files, from one environment."""

    home: Path
    environ: Mapping[str, str]

    @classmethod
    def of(cls, environ: Mapping[str, str] | None = None) -> Places:
        """Return the places of this user."""
        environ = os.environ if environ is None else environ
        return cls(Path(home_directory(environ)), environ)

    def named(self, variable: str, *default: str) -> Path:
        """Return the directory that ``variable`` names, else one below the home."""
        stated = self.environ.get(variable, "").strip()
        return Path(stated) if stated else self.home.joinpath(*default)

    @property
    def config(self) -> Path:
        """Directory of per-user settings, as the operating system has it."""
        if sys.platform == "win32":
            return self.named("APPDATA", "AppData", "Roaming")
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.named("XDG_CONFIG_HOME", ".config")

    @property
    def xdg(self) -> Path:
        """Like :attr:`config`, for hosts that use ``~/.config`` on macOS too."""
        return self.config if sys.platform == "win32" else self.named("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Host:
    """A coding agent: how to notice it, and the edits that install us."""

    name: str
    title: str
    signs: Callable[[Places], tuple[Path, ...]]
    edits: Callable[[Places, Commands], dict[Path, tuple[Edit, ...]]]

    def detected(self, places: Places) -> bool:
        """Whether the host seems to be in use here."""
        return any(sign.exists() for sign in self.signs(places))


def _stdio(commands: Commands, **extra: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    program, *arguments = commands.server
    return {**extra, "command": program, "args": arguments}


def _shell(words: tuple[str, ...]) -> str:
    if sys.platform == "win32":
        return subprocess.list2cmdline(words)
    return shlex.join(words)


def _server(commands: Commands, key: str = "mcpServers", **extra: Any) -> JsonMember:  # noqa: ANN401
    return JsonMember((key, SERVER_NAME), _stdio(commands, **extra))


# One table per family of hooks: the host's event, our event, what it is matched by.
_CLAUDE_EVENTS = (
    ("SessionStart", "session-start", "startup|resume|clear|compact|fork"),
    ("UserPromptSubmit", "prompt", None),
    ("PreCompact", "pre-compact", None),
    ("PostCompact", "post-compact", None),
    ("Stop", "stop", None),
    ("SessionEnd", "session-end", None),
)
_CODEX_EVENTS = tuple(
    (event, ours, None if matcher else matcher) for event, ours, matcher in _CLAUDE_EVENTS
)
_GEMINI_EVENTS = (
    ("SessionStart", "session-start"),
    ("BeforeAgent", "prompt"),
    ("PreCompress", "pre-compact"),
    ("AfterAgent", "stop"),
    ("SessionEnd", "session-end"),
)
_CURSOR_EVENTS = (
    ("sessionStart", "session-start"),
    ("preCompact", "pre-compact"),
    ("stop", "stop"),
    ("sessionEnd", "session-end"),
)
_TIMEOUT_S = 5


def _exec_hooks(commands: Commands, host: str) -> tuple[JsonItem, ...]:
    """Hooks in exec form: no shell takes part, so no quoting can go wrong."""
    program, *fixed = commands.hook
    items = []
    for event, ours, matcher in _CLAUDE_EVENTS:
        handler: dict[str, Any] = {
            "type": "command",
            "command": program,
            "args": [*fixed, host, ours],
            "timeout": _TIMEOUT_S,
        }
        entry: dict[str, Any] = {"matcher": matcher} if matcher else {}
        entry["hooks"] = [handler]
        items.append(JsonItem(("hooks", event), entry, HOOK_PROGRAM))
    return tuple(items)


def _shell_hooks(commands: Commands, host: str) -> tuple[JsonItem, ...]:
    return tuple(
        JsonItem(
            ("hooks", event),
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": _shell((*commands.hook, host, ours)),
                        # SessionEnd is cut off after three seconds whatever is asked for.
                        "timeout": 3 if ours == "session-end" else _TIMEOUT_S,
                    }
                ]
            },
            HOOK_PROGRAM,
        )
        for event, ours, _ in _CODEX_EVENTS
    )


def _gemini_hooks(commands: Commands) -> tuple[JsonItem, ...]:
    return tuple(
        JsonItem(
            ("hooks", event),
            {
                "hooks": [
                    {
                        "name": f"realmemory-{ours}",
                        "type": "command",
                        "command": _shell((*commands.hook, "gemini", ours)),
                        "timeout": _TIMEOUT_S * 1000,
                    }
                ]
            },
            HOOK_PROGRAM,
        )
        for event, ours in _GEMINI_EVENTS
    )


def _cursor_hooks(commands: Commands) -> tuple[Edit, ...]:
    return (
        JsonMember(("version",), 1, only_if_missing=True),
        *(
            JsonItem(
                ("hooks", event),
                {"command": _shell((*commands.hook, "cursor", ours)), "timeout": _TIMEOUT_S},
                HOOK_PROGRAM,
            )
            for event, ours in _CURSOR_EVENTS
        ),
    )


def _claude_home(places: Places) -> Path:
    return places.named("CLAUDE_CONFIG_DIR", ".claude")


def _claude_state(places: Places) -> Path:
    stated = places.environ.get("CLAUDE_CONFIG_DIR", "").strip()
    return (Path(stated) if stated else places.home) / ".claude.json"


def _claude(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    home = _claude_home(places)
    return {
        _claude_state(places): (_server(commands, type="stdio"),),
        home / "settings.json": _exec_hooks(commands, "claude"),
        home / "skills" / guidance.SKILL_NAME / "SKILL.md": (WholeFile(guidance.SKILL),),
    }


def _zcode(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    enabled = JsonMember(("hooks", "enabled"), value=True, only_if_missing=True)
    return {
        places.home / ".zcode" / "config.json": (
            _server(commands, type="stdio"),
            enabled,
            *_exec_hooks(commands, "zcode"),
        )
    }


def _codex(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    home = places.named("CODEX_HOME", ".codex")
    table = _stdio(commands) | {"startup_timeout_sec": 30}
    return {
        home / "config.toml": (TomlTable(("mcp_servers", SERVER_NAME), table),),
        home / "hooks.json": _shell_hooks(commands, "codex"),
        home / "AGENTS.md": (MarkedBlock(guidance.RULES),),
    }


def _cursor(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    home = places.home / ".cursor"
    return {
        home / "mcp.json": (_server(commands),),
        home / "hooks.json": _cursor_hooks(commands),
    }


def _gemini(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    home = places.home / ".gemini"
    return {
        home / "settings.json": (_server(commands), *_gemini_hooks(commands)),
        home / "GEMINI.md": (MarkedBlock(guidance.RULES),),
    }


def _vscode(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    settings = places.config / "Code" / "User" / "mcp.json"
    return {settings: (_server(commands, "servers", type="stdio"),)}


def _opencode(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    home = places.xdg / "opencode"
    commented = home / "opencode.jsonc"
    settings = commented if commented.exists() else home / "opencode.json"
    entry = {"type": "local", "command": list(commands.server), "enabled": True}
    return {
        settings: (JsonMember(("mcp", SERVER_NAME), entry),),
        home / "plugins" / "realmemory.js": (WholeFile(opencode.plugin(commands.hook)),),
        home / "AGENTS.md": (MarkedBlock(guidance.RULES),),
    }


def _zed(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    return {_zed_home(places) / "settings.json": (_server(commands, "context_servers"),)}


def _zed_home(places: Places) -> Path:
    return places.xdg / ("Zed" if sys.platform == "win32" else "zed")


def _windsurf(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    return {places.home / ".codeium" / "windsurf" / "mcp_config.json": (_server(commands),)}


def _claude_desktop(places: Places, commands: Commands) -> dict[Path, tuple[Edit, ...]]:
    return {places.config / "Claude" / "claude_desktop_config.json": (_server(commands),)}


HOSTS = {
    host.name: host
    for host in (
        Host("claude", "Claude Code", lambda p: (_claude_home(p), _claude_state(p)), _claude),
        Host("zcode", "ZCode", lambda p: (p.home / ".zcode",), _zcode),
        Host("codex", "Codex CLI", lambda p: (p.named("CODEX_HOME", ".codex"),), _codex),
        Host("cursor", "Cursor", lambda p: (p.home / ".cursor",), _cursor),
        Host("gemini", "Gemini CLI", lambda p: (p.home / ".gemini",), _gemini),
        Host("vscode", "VS Code", lambda p: (p.config / "Code",), _vscode),
        Host("opencode", "opencode", lambda p: (p.xdg / "opencode",), _opencode),
        Host("zed", "Zed", lambda p: (_zed_home(p),), _zed),
        Host("windsurf", "Windsurf", lambda p: (p.home / ".codeium" / "windsurf",), _windsurf),
        Host("claude-desktop", "Claude Desktop", lambda p: (p.config / "Claude",), _claude_desktop),
    )
}
"""Every host by the name that the command line takes."""
