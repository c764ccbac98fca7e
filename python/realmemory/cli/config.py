"""`config`: the constants of a memory, and the explicit way to change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from realmemory.cli.output import table
from realmemory.cli.session import Session, command_group, memory_command
from realmemory.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@command_group(default="show")
def config() -> None:
    """Show the constants of the memory, or change them for good."""


@config.command()
@memory_command
def show(session: Session) -> None:
    """Show every constant, those that differ from the defaults marked."""
    from realmemory.config import MemoryConfig  # noqa: PLC0415 - not needed for --help

    with session.memory() as memory:
        values = memory.config.snapshot_fields()
        path = memory.path
    defaults = MemoryConfig().snapshot_fields()
    changed = [name for name, value in values.items() if value != defaults[name]]
    rows = [(name, str(value), "*" if name in changed else "") for name, value in values.items()]
    session.answer(
        {"path": path, "values": values, "changed": changed},
        [f"{path}", *table(("constant", "value", ""), rows)],
    )


@config.command()
@click.argument("name")
@memory_command
def get(session: Session, name: str) -> None:
    """Print the constant NAME."""
    with session.memory() as memory:
        values = memory.config.snapshot_fields()
    _check_known(name, values)
    session.answer({name: values[name]}, [str(values[name])])


@config.command("set")
@click.argument("changes", nargs=-1, required=True, metavar="NAME=VALUE...")
@click.option("--dry-run", is_flag=True, help="Say what would change, change nothing.")
@memory_command
def set_values(session: Session, changes: Sequence[str], *, dry_run: bool) -> None:
    """Change constants for good; the journal keeps what they were.

    Other processes that have the memory open work by them from their next opening on.
    """
    from realmemory.flows.reconfigure import changed  # noqa: PLC0415 - brings numpy

    wanted = dict(_change(text) for text in changes)
    with session.memory(create=not dry_run) as memory:
        before = memory.config.snapshot_fields()
        for name in wanted:
            _check_known(name, before)
        typed = {name: _typed(name, text, before[name]) for name, text in wanted.items()}
        after = changed(memory.config, typed) if dry_run else memory.reconfigure(**typed)
    moved = {
        name: [before[name], value]
        for name, value in after.snapshot_fields().items()
        if value != before[name]
    }
    verb = "would change" if dry_run else "changed"
    lines = [f"{verb} {name} from {old} to {new}" for name, (old, new) in moved.items()]
    session.answer({"changed": moved, "dry_run": dry_run}, lines or ["nothing to change"])


def _change(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise click.UsageError(f"{text[:60]!r} is not NAME=VALUE, such as backups_keep=20")
    return name.strip(), value.strip()


def _check_known(name: str, values: Mapping[str, object]) -> None:
    if name in values:
        return
    from difflib import get_close_matches  # noqa: PLC0415 - only a miss needs it

    near = get_close_matches(name, values, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "See `realmemory config`."
    raise ConfigurationError(f"there is no constant {name[:60]!r}; nothing was changed. {hint}")


def _typed(name: str, text: str, before: object) -> float | str:
    """Return a value of the kind that the constant has."""
    if isinstance(before, str) and before != "inf":
        return text
    try:
        return int(text) if isinstance(before, int) else float(text)
    except ValueError:
        kind = "a whole number" if isinstance(before, int) else "a number"
        raise ConfigurationError(
            f"{name} is {kind}, got {text[:60]!r}; nothing was changed"
        ) from None
