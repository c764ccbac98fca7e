"""What the command line prints: plain readable text, or exactly one JSON document.

Remembered text is data. Control characters, terminal escapes and bidirectional overrides in it
are shown as escapes and never reach the terminal.
"""

from __future__ import annotations

import json
import math
import re
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_JOINERS = ("\u200d", "\ufe0e", "\ufe0f", "\u20e3")
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0


def say(text: str = "", *, err: bool = False) -> None:
    """Print a line for a person."""
    click.echo(text, err=err)


def emit_json(value: object) -> None:
    """Print ``value`` as the one JSON document of this call."""
    click.echo(json.dumps(jsonable(value), ensure_ascii=False, allow_nan=False, indent=2))


def jsonable(value: object) -> Any:  # noqa: ANN401 - JSON is any of six types
    """Return ``value`` as JSON types: dataclasses by field, infinities and NaN as null."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    return value


def safe(text: str) -> str:
    """Return ``text`` with everything that could steer a terminal shown as an escape."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str, width: int = 72) -> str:
    """Return a safe preview of ``text`` in one line of at most ``width`` columns."""
    return shorten(" ".join(safe(text).split()), width)


def shorten(text: str, width: int) -> str:
    """Cut ``text`` to ``width`` columns, at a word if one is near, never inside a character."""
    if columns(text) <= width:
        return text
    used = end = 0
    for index, char in enumerate(text):
        used += columns(char)
        if used > width - 1:
            break
        end = index + 1
    while end > 0 and _joined(text, end):
        end -= 1
    # At a word if one ends near; a word that ends exactly here stays whole.
    space = text.rfind(" ", max(0, end - 20), end + 1)
    return text[: space if space > 0 else end].rstrip() + "…"


def columns(text: str) -> int:
    """Return the columns that ``text`` takes in a terminal."""
    return sum(_width(char) for char in text)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return aligned lines; numbers to the right, everything else to the left."""
    body = [[one_line(str(cell), 120) for cell in row] for row in rows]
    numeric = [
        all(re.fullmatch(r"-?[\d.,]*%?", row[column]) for row in body)
        for column in range(len(headers))
    ]
    widths = [
        max([columns(header), *(columns(row[column]) for row in body)])
        for column, header in enumerate(headers)
    ]
    lines = []
    for cells in [list(headers), *body]:
        padded = [
            " " * (width - columns(cell)) + cell if right else cell + " " * (width - columns(cell))
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def counted(number: int, one: str, many: str) -> str:
    """Return a number with the words that agree with it."""
    return f"{number} {one if number == 1 else many}"


def age(seconds: float) -> str:
    """Return a span of time as a person says it."""
    if seconds < 0:
        return "in the future"
    if seconds < _MINUTE:
        return "just now"
    for unit, name in ((365 * _DAY, "y"), (30 * _DAY, "mo"), (_DAY, "d"), (_HOUR, "h")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name} ago"
    return f"{int(seconds // _MINUTE)} min ago"


def size(octets: float) -> str:
    """Return a number of bytes as a person says it."""
    for unit in ("B", "KiB", "MiB"):
        if octets < 1024:
            return f"{octets:.0f} {unit}" if unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1024
    return f"{octets:.1f} GiB"


class Progress:
    """A counter on standard error for long work; silent when nobody watches.

    Args:
        label: What is being counted.
        quiet: Print nothing.
    """

    def __init__(self, label: str, *, quiet: bool = False) -> None:
        self._label = label
        self._active = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def update(self, done: int, total: int | None = None) -> None:
        """Show that ``done`` items, of ``total`` if that is known, are finished."""
        if self._active:
            share = f" of {total}" if total else ""
            click.echo(f"\r{self._label}: {done}{share}", nl=False, err=True)

    def finish(self) -> None:
        """Leave the line."""
        if self._active:
            click.echo("", err=True)


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _joined(text: str, end: int) -> bool:
    """Return whether a cut before ``text[end]`` would split what is read as one character."""
    if end >= len(text):
        return False
    before, after = text[end - 1], text[end]
    return (
        before == "\u200d"
        or after in _JOINERS
        or unicodedata.category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
    )
