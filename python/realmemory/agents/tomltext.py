"""TOML edited as text: one marked block at the end of the file, everything else untouched."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_BEGIN = "# realmemory: begin"
_END = "# realmemory: end"
_NO_NEWLINE = " (the file had no line break at its end)"
_BLOCK = re.compile(
    rf"(?P<lead>\r?\n)?{_BEGIN}(?P<joined>{re.escape(_NO_NEWLINE)})?\r?\n.*?{_END}\r?\n", re.DOTALL
)


class TomlError(ValueError):
    """The text is not TOML, or the table belongs to somebody else."""


def parse(text: str) -> dict[str, Any]:
    """Return the content of a document.

    Raises:
        TomlError: The text is not TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from error


def set_table(text: str, path: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """Return ``text`` with our block holding the table at ``path``.

    Raises:
        TomlError: The text is not TOML, or the table exists outside of our block.
    """
    current: Any = parse(text)
    for key in path:
        current = current.get(key) if isinstance(current, dict) else None
    if current == dict(values) and _BLOCK.search(text):
        return text
    bare = remove_table(text)
    held: Any = parse(bare)
    for key in path:
        held = held.get(key) if isinstance(held, dict) else None
    if held is not None:
        raise TomlError(f"[{'.'.join(path)}] exists already and was not written by realMemory")
    result = bare + _block(bare, path, values)
    parse(result)
    return result


def remove_table(text: str) -> str:
    """Return ``text`` without our block; unchanged when there is none."""
    found = _BLOCK.search(text)
    if not found:
        return text
    # The line break in front is ours only as the empty line, or as the missing last one.
    return text[: found.start()] + text[found.end() :]


def _block(text: str, path: tuple[str, ...], values: Mapping[str, Any]) -> str:
    eol = "\r\n" if "\r\n" in text else "\n"
    joined = bool(text.removeprefix("\ufeff")) and not text.endswith("\n")
    lines = [
        _BEGIN + (_NO_NEWLINE if joined else ""),
        f"[{'.'.join(path)}]",
        *(f"{key} = {_literal(value)}" for key, value in values.items()),
        _END,
        "",
    ]
    lead = eol if text.removeprefix("\ufeff") else ""
    return lead + eol.join(lines)


def _literal(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_literal(item)}" for key, item in value.items()) + " }"
    # JSON's strings, numbers, booleans and arrays are TOML's too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
