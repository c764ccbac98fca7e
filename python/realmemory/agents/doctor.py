"""Is realMemory well connected to the coding agents here? Runs what they would run and looks."""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from realmemory.agents import jsonc, tomltext
from realmemory.agents.hosts import HOOK_PROGRAM, HOSTS, SERVER_NAME, Commands, Places
from realmemory.agents.install import Installer
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.agents.hosts import Host

_HANDSHAKE_S = 30.0
_HOOK_S = 10.0
_SERVER_KEYS = ("mcpServers", "servers", "context_servers", "mcp", "mcp_servers")
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "realmemory-doctor", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: fine or not, and what to do about it."""

    host: str
    check: str
    ok: bool
    detail: str


def examine(places: Places, data: Path, host: Host) -> list[Finding]:
    """Return what is found for one host; nothing when it is neither here nor installed into."""
    installer = Installer(places, data, Commands.installed())
    if not host.detected(places) and not installer.installed(host):
        return []
    found: list[Finding] = []
    programs = 0
    for path in host.edits(places, Commands.installed()):
        content = _parsed(path)
        if isinstance(content, str):
            found.append(Finding(host.name, str(path), ok=False, detail=content))
        elif content is not None:
            for command in _servers(content):
                programs += 1
                found.append(_try_server(host, command, places))
            for words in dict.fromkeys(_hooks(content)):
                programs += 1
                found.append(_try_hook(host, list(words), places))
            found += _switches(host, path, content)
    if not programs:
        advice = f"not installed; run `realmemory install {host.name}`"
        # Who never asked for it misses nothing.
        asked = installer.installed(host)
        return [*found, Finding(host.name, "installed", ok=not asked, detail=advice)]
    return [*found, _up_to_date(places, data, host)]


def examine_all(places: Places, data: Path) -> list[Finding]:
    """Return what is found for every host that is here."""
    return [finding for host in HOSTS.values() for finding in examine(places, data, host)]


def outdated(places: Places, data: Path) -> list[Finding]:
    """Return which installed hosts have another installation than this version makes.

    Nothing is run for it, unlike :func:`examine`.
    """
    installer = Installer(places, data, Commands.installed())
    here = (host for host in HOSTS.values() if installer.installed(host))
    return [_up_to_date(places, data, host) for host in here]


def _parsed(path: Path) -> Any:  # noqa: ANN401 - whatever the host's file holds
    """Return the content of a configuration, a complaint about it, or ``None`` without one."""
    if path.suffix not in {".json", ".jsonc", ".toml"} or not path.exists():
        return None
    try:
        text = path.read_text("utf-8")
        return tomltext.parse(text) if path.suffix == ".toml" else jsonc.parse(text).value
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"


def _servers(content: dict[str, Any]) -> Iterator[list[str]]:
    for key in _SERVER_KEYS:
        servers = content.get(key)
        entry = servers.get(SERVER_NAME) if isinstance(servers, dict) else None
        if not isinstance(entry, dict):
            continue
        command = entry.get("command")
        if isinstance(command, list):
            yield [str(word) for word in command]
        elif isinstance(command, str):
            yield [command, *map(str, entry.get("args", []))]


def _hooks(content: object) -> Iterator[tuple[str, ...]]:
    if isinstance(content, dict):
        command = content.get("command")
        if isinstance(command, str) and HOOK_PROGRAM in command:
            arguments = content.get("args")
            if isinstance(arguments, list):
                yield (command, *map(str, arguments))
            else:
                yield tuple(shlex.split(command, posix=sys.platform != "win32"))
        for value in content.values():
            yield from _hooks(value)
    elif isinstance(content, list):
        for value in content:
            yield from _hooks(value)


def _bare(places: Places) -> dict[str, str]:
    """Return the environment of a program that a desktop starts: hardly any."""
    kept = ("HOME", "USERPROFILE", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "REALMEMORY_PATH")
    environ = {key: places.environ[key] for key in kept if key in places.environ}
    return {"HOME": str(places.home), "PATH": os.defpath, **environ}


def _try_server(host: Host, command: list[str], places: Places) -> Finding:
    """Start the server as the host does and wait for the answer to its first message."""
    started = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603 - the command that the host runs too
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_bare(places),
            cwd=tempfile.gettempdir(),
        )
    except OSError as error:
        return Finding(host.name, "server", ok=False, detail=f"{command[0]}: {error.strerror}")
    with process:
        try:
            line = _first_line(process)
        finally:
            process.kill()
    try:
        name = json.loads(line)["result"]["serverInfo"]["name"]
    except (ValueError, KeyError, TypeError):
        shown = line[:80].decode("utf-8", "replace") or "nothing"
        return Finding(host.name, "server", ok=False, detail=f"answered {shown!r} instead of MCP")
    seconds = time.monotonic() - started
    return Finding(host.name, "server", ok=True, detail=f"{name} answers after {seconds:.1f} s")


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    lines: queue.Queue[bytes] = queue.Queue()
    source, sink = process.stdout, process.stdin
    if source is None or sink is None:
        return b""
    threading.Thread(target=lambda: lines.put(source.readline()), daemon=True).start()
    try:
        sink.write(json.dumps(_HELLO).encode() + b"\n")
        sink.flush()
        return lines.get(timeout=_HANDSHAKE_S)
    except (OSError, queue.Empty):
        return b""


def _try_hook(host: Host, command: list[str], places: Places) -> Finding:
    check = f"hook {command[-1]}"
    if command[-1] not in {"session-start", "prompt"}:
        # The others write; it is enough that the program is there.
        found = os.access(command[0], os.X_OK)
        return Finding(host.name, check, ok=found, detail="" if found else f"no {command[0]}")
    try:
        done = subprocess.run(  # noqa: S603 - the command that the host runs too
            command,
            input=b'{"session_id": "", "prompt": "realmemory doctor"}',
            capture_output=True,
            env=_bare(places),
            cwd=tempfile.gettempdir(),
            timeout=_HOOK_S,
            check=False,
        )
    except OSError as error:
        return Finding(host.name, check, ok=False, detail=f"{command[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Finding(host.name, check, ok=False, detail=f"no answer within {_HOOK_S:.0f} s")
    problem = _hook_problem(done)
    return Finding(host.name, check, ok=not problem, detail=problem)


def _hook_problem(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode:
        return f"ended with status {done.returncode}"
    if done.stdout:
        try:
            json.loads(done.stdout)
        except ValueError:
            return "printed something that is not JSON"
    return done.stderr.decode("utf-8", "replace").strip()[:200]


def _switches(host: Host, path: Path, content: dict[str, Any]) -> list[Finding]:
    """Settings with which a user or an administrator silenced all hooks, perhaps unknowingly."""
    found = []
    if content.get("disableAllHooks"):
        found.append(Finding(host.name, str(path), ok=False, detail="disableAllHooks is set"))
    plugins = content.get("enabledPlugins")
    if isinstance(plugins, dict) and any(
        name.startswith(SERVER_NAME) and enabled for name, enabled in plugins.items()
    ):
        detail = "the plugin is enabled beside the installed hooks; keep one of the two"
        found.append(Finding(host.name, str(path), ok=False, detail=detail))
    return found


def _up_to_date(places: Places, data: Path, host: Host) -> Finding:
    """Compare with what an installation would make, whether it was told where the memory lies."""
    stale: list[Path] = []
    for stated in (None, str(data)):
        installer = Installer(places, data, Commands.installed(stated))
        try:
            stale = [change.path for change in installer.plan_install(host) if change.changes]
        except ConfigurationError as error:
            return Finding(host.name, "up to date", ok=False, detail=error.message)
        if not stale:
            return Finding(host.name, "up to date", ok=True, detail="")
    detail = f"run `realmemory install {host.name}`: {stale[0]} differs"
    return Finding(host.name, "up to date", ok=False, detail=detail)
