"""Every command by section: its name, its home and its line in the overview.

`realmemory --help` is made from this table alone, without click; a command's module is imported
when it is called.
"""

from __future__ import annotations

from realmemory.cli import exits

Entry = tuple[str, str, str]
"""Module below ``realmemory.cli``, object in it, and summary of a command."""

SECTIONS: dict[str, dict[str, Entry]] = {
    "Remember and recall": {
        "remember": ("remember", "remember", "Remember a text."),
        "recall": ("recall", "recall", "Ask the memory; it may answer that it does not know."),
        "search": ("search", "search", "List memories that hold certain words."),
        "why": ("search", "why", "Answer, and show why each memory was kept or dropped."),
        "conversation": ("manage", "conversation", "Keep conversations turn by turn."),
        "revise": ("remember", "revise", "Replace a fact by a newer one; the old is kept."),
        "forget": ("forget", "forget", "Take memories out of recall, or delete them."),
        "restore": ("forget", "restore", "Bring forgotten memories back."),
    },
    "Look around": {
        "show": ("browse", "show", "Show one memory with everything known about it."),
        "list": ("browse", "list_memories", "List memories, newest first."),
        "history": ("browse", "history", "Show what a fact said before, and since when."),
        "status": ("report", "status", "Say whether the memory is healthy and used."),
        "report": (
            "report",
            "write_report",
            "Show growth, use, strength and fading; with pictures.",
        ),
        "projects": ("projects", "projects", "List, rename and merge projects."),
        "config": ("config", "config", "Show the constants of the memory, or change them."),
        "stats": ("browse", "stats", "Count what is stored and what was asked."),
    },
    "Teach": {
        "reflect": ("teach", "reflect", "Say whether recalled memories helped."),
        "link": ("teach", "link", "Associate memories with one another."),
        "confirm": ("manage", "confirm", "Let memories that were held back into recall."),
        "resolve": ("manage", "resolve", "Settle what two memories say differently."),
        "pin": ("teach", "pin", "Keep memories from fading, or let them fade again."),
        "calibrate": (
            "calibrate",
            "calibrate",
            "Let feedback refine the confidences; shows first, changes on demand.",
        ),
        "sleep": ("teach", "sleep", "Consolidate: commit, fade, archive, back up."),
        "undo": ("teach", "undo", "Take back what a sleep archived and promoted."),
    },
    "Keep it whole": {
        "backup": ("care", "backup", "Make, list, check, restore and rotate backups."),
        "verify": ("care", "verify", "Check everything the store promises about itself."),
        "repair": ("care", "repair", "Save what can be read into a new database."),
        "encrypt": ("encrypt", "encrypt", "Encrypt the memory and its backups."),
        "decrypt": ("encrypt", "decrypt", "Write an encrypted memory in the clear again."),
        "rekey": ("encrypt", "rekey", "Encrypt the memory anew, with another key."),
        "reembed": ("manage", "reembed", "Change the embedder, or fill in missing vectors."),
        "audit": ("manage", "audit", "Show the audit log and whether its chain holds."),
    },
    "Move data": {
        "export": ("transfer", "export_memory", "Write everything to a file, or pages for people."),
        "import": (
            "transfer",
            "import_memory",
            "Bring in an export, chats, notes, other memories.",
        ),
    },
    "Team": {
        "team": ("team", "team", "Let others read chosen memories, and read theirs."),
    },
    "Coding agents": {
        "install": ("install", "install", "Connect the memory to coding agents."),
        "uninstall": ("install", "uninstall", "Take the memory out of coding agents."),
        "doctor": ("doctor", "doctor", "Look for what is wrong, and say what to do."),
        "mcp": ("mcp", "mcp", "Serve an agent over MCP; agents start this themselves."),
        "serve": ("serve", "serve", "Hold the memory in one process for all agents."),
        "token": ("token", "token", "Hand out tokens for that process."),
        "hook": ("hook", "hook", "Answer an event of an agent; agents run this themselves."),
    },
    "Get started": {
        "demo": ("demo", "demo", "Watch a memory at work on real text."),
        "bench": ("bench", "bench", "Measure recall on our corpus and on public benchmarks."),
        "torture": ("torture", "torture", "Kill processes at work and see that nothing is lost."),
        "completion": ("completion", "completion", "Print the completion script of a shell."),
    },
}
"""Section title to command name to entry, in the order of the overview."""

ALIASES = {
    "store": "remember",
    "feedback": "reflect",
    "consolidate": "sleep",
}
"""Other names under which people look for a command."""

OPTIONS = {
    "--path PATH": "Directory of the memory.  [env: REALMEMORY_PATH]",
    "--namespace NAME": "A separate memory below that directory.  [env: REALMEMORY_NAMESPACE]",
    "--project NAME": "Project to work in; else the repository around you.  [env: REALMEMORY_PROJECT]",
    "--json": "Answer with one JSON document.",
    "--version": "Print the version.",
    "-h, --help": "Explain a command.",
}
"""What every command understands, before or after its name."""

_INTRODUCTION = """\
Usage: realmemory [OPTIONS] COMMAND [ARGS]...

  A persistent, local-first memory: remember facts, recall them, and know what is unknown.

  realmemory remember "The project uses PostgreSQL 16" --scope shop
  realmemory recall "which database?" --scope shop
"""


def entry_of(name: str) -> Entry | None:
    """Return the entry of a command or alias."""
    wanted = ALIASES.get(name, name)
    for commands in SECTIONS.values():
        if wanted in commands:
            return commands[wanted]
    return None


def names() -> list[str]:
    """Return every command name, sorted."""
    return sorted(name for commands in SECTIONS.values() for name in commands)


def overview() -> str:
    """Return what `realmemory --help` prints."""
    parts = [_INTRODUCTION, _section("Options", OPTIONS)]
    for title, commands in SECTIONS.items():
        parts.append(_section(title, {name: summary for name, (_, _, summary) in commands.items()}))
    parts.append(_section("Exit codes", {str(code): text for code, text in exits.MEANINGS.items()}))
    return "\n".join(parts)


def _section(title: str, rows: dict[str, str]) -> str:
    width = max(len(name) for name in rows)
    return "".join(
        [f"{title}:\n", *(f"  {name:<{width}}  {text}\n" for name, text in rows.items())]
    )
