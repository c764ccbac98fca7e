"""JSON with comments, edited as text: what is not ours keeps every byte.

A document is parsed into nodes with positions; an edit splices text at a position. Removing what
was inserted gives the original text back, also when comments, trailing commas or a byte order mark
are around it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:\s|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_LINE_REST = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))?")
_DEPTH_LIMIT = 200


class JsoncError(ValueError):
    """The text is not JSON with comments; the message says where."""


@dataclass(slots=True)
class Node:
    """One value: where it stands in the text, and what it holds."""

    start: int
    end: int = 0
    value: Any = None
    children: list[Entry] = field(default_factory=list)

    def member(self, key: str) -> Entry | None:
        """Return the member ``key`` of an object."""
        return next((entry for entry in self.children if entry.key == key), None)


@dataclass(slots=True)
class Entry:
    """A member of an object or an item of an array, with the comma behind it."""

    key: str | None
    start: int
    node: Node
    comma: int | None = None


def parse(text: str) -> Node:
    """Return the root of a document; an empty document is an empty object.

    Raises:
        JsoncError: The text cannot be parsed, or an object holds a key twice.
    """
    start = 1 if text.startswith("\ufeff") else 0
    reader = _Reader(text)
    position = reader.blank(start)
    if position == len(text):
        return Node(start=len(text), end=len(text), value={})
    root = reader.value(position, 0)
    if reader.blank(root.end) != len(text):
        raise reader.error("something follows the document", root.end)
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, what: str, position: int) -> JsoncError:
        line = self.text.count("\n", 0, position) + 1
        return JsoncError(f"line {line}: {what}")

    def blank(self, position: int) -> int:
        found = _BLANK.match(self.text, position)
        return found.end() if found else position

    def value(self, position: int, depth: int) -> Node:
        if depth > _DEPTH_LIMIT:
            raise self.error("nested too deeply", position)
        head = self.text[position : position + 1]
        if head == "{":
            return self.container(position, "}", depth)
        if head == "[":
            return self.container(position, "]", depth)
        found = _STRING.match(self.text, position) or _SCALAR.match(self.text, position)
        if not found:
            raise self.error("a value is expected", position)
        return Node(position, found.end(), json.loads(found.group()))

    def container(self, start: int, closing: str, depth: int) -> Node:
        node = Node(start)
        position = self.blank(start + 1)
        while self.text[position : position + 1] != closing:
            entry = self.entry(position, closing, depth)
            if entry.key is not None and node.member(entry.key):
                raise self.error(f"the key {entry.key!r} appears twice", position)
            node.children.append(entry)
            position = self.blank(entry.node.end)
            if self.text[position : position + 1] == ",":
                entry.comma = position
                position = self.blank(position + 1)
            elif self.text[position : position + 1] != closing:
                raise self.error(f"',' or {closing!r} is expected", position)
        node.end = position + 1
        values = [entry.node.value for entry in node.children]
        keys = [entry.key for entry in node.children]
        node.value = values if closing == "]" else dict(zip(keys, values, strict=True))
        return node

    def entry(self, position: int, closing: str, depth: int) -> Entry:
        if closing == "]":
            return Entry(None, position, self.value(position, depth + 1))
        found = _STRING.match(self.text, position)
        if not found:
            raise self.error("a key in double quotes is expected", position)
        colon = self.blank(found.end())
        if self.text[colon : colon + 1] != ":":
            raise self.error("':' is expected", colon)
        value = self.value(self.blank(colon + 1), depth + 1)
        return Entry(json.loads(found.group()), position, value)


def find(text: str, path: tuple[str, ...]) -> Node | None:
    """Return the node at ``path``, or ``None``.

    Raises:
        JsoncError: The text cannot be parsed, or something on the way is not an object.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            where = ".".join(path[:depth]) or "the document"
            raise JsoncError(f"{where} is not an object")
        entry = node.member(key)
        if entry is None:
            return None
        node = entry.node
    return node


def set_member(text: str, path: tuple[str, ...], value: object) -> str:
    """Return ``text`` with ``value`` at ``path``; missing objects on the way are added.

    Raises:
        JsoncError: As :func:`find`.
    """
    root = parse(text)
    if root.start == root.end:
        return _create(text, path, value)
    existing = find(text, path)
    if existing is not None:
        if existing.value == value:
            return text
        shown = _shown(value, text, _indent_at(text, existing.start))
        return text[: existing.start] + shown + text[existing.end :]
    depth = len(path) - 1
    while find(text, path[:depth]) is None:
        depth -= 1
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    parent = find(text, path[:depth])
    if parent is None or not isinstance(parent.value, dict):
        raise JsoncError(f"{'.'.join(path[:depth]) or 'the document'} is not an object")
    return _insert(text, parent, path[depth], value)


def append_item(text: str, path: tuple[str, ...], value: object) -> str:
    """Return ``text`` with ``value`` at the end of the array at ``path``.

    Raises:
        JsoncError: As :func:`find`, or ``path`` leads to something else than an array.
    """
    existing = find(text, path)
    if existing is None:
        return set_member(text, path, [value])
    if not isinstance(existing.value, list):
        raise JsoncError(f"{'.'.join(path)} is not an array")
    return _insert(text, existing, None, value)


def remove_member(text: str, path: tuple[str, ...]) -> str:
    """Return ``text`` without the member at ``path``; unchanged when there is none."""
    parent = find(text, path[:-1])
    entry = parent.member(path[-1]) if parent and isinstance(parent.value, dict) else None
    if parent is None or entry is None:
        return text
    return _cut(text, parent, parent.children.index(entry))


def remove_item(text: str, path: tuple[str, ...], index: int) -> str:
    """Return ``text`` without one item of the array at ``path``."""
    parent = find(text, path)
    if parent is None or not isinstance(parent.value, list):
        return text
    return _cut(text, parent, index)


def _create(text: str, path: tuple[str, ...], value: object) -> str:
    for key in reversed(path):
        value = {key: value}
    return text + _shown(value, text, "") + _eol(text)


def _insert(text: str, parent: Node, key: str | None, value: object) -> str:
    outer = _indent_at(text, parent.start)
    if not parent.children:
        at = parent.start + 1
        # On a line of its own only where there was a line break: removing it must leave the
        # container as it was.
        own_line = "\n" in text[at : parent.end - 1]
        indent = outer + _unit(text) if own_line else outer
        lead = _eol(text) + indent if own_line else ""
        return text[:at] + lead + _member(key, value, text, indent) + text[at:]
    last = parent.children[-1]
    inline = "\n" not in text[parent.start : last.start]
    indent = _indent_at(text, last.start)
    lead = " " if inline else _eol(text) + indent
    member = _member(key, value, text, outer if inline else indent)
    if last.comma is not None:  # a trailing comma is the style of this file: keep it
        at = _line_rest(text, last.comma + 1) if not inline else last.comma + 1
        return text[:at] + lead + member + "," + text[at:]
    at = _line_rest(text, last.node.end) if not inline else last.node.end
    return text[: last.node.end] + "," + text[last.node.end : at] + lead + member + text[at:]


def _cut(text: str, parent: Node, index: int) -> str:
    entry = parent.children[index]
    start = len(text[: entry.start].rstrip())
    # Never eat into a comment line: only white space directly in front of the entry goes.
    start = max(start, parent.start + 1)
    end = entry.node.end if entry.comma is None else entry.comma + 1
    if entry.comma is None and index > 0:
        before = parent.children[index - 1]
        if before.comma is not None:
            head = text[: before.comma] + text[before.comma + 1 : start]
            return head + text[end:]
    return text[:start] + text[end:]


def _line_rest(text: str, position: int) -> int:
    """Return the end of a comment that explains the entry ending at ``position``."""
    found = _LINE_REST.match(text, position)
    end = found.end() if found else position
    return end if text[position:end].strip() else position


def _member(key: str | None, value: object, text: str, indent: str) -> str:
    shown = _shown(value, text, indent)
    return shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"


def _shown(value: object, text: str, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_eol(text) + indent).join(lines)


def _indent_at(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position].removeprefix("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"[{\[][^\S\r\n]*\r?\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
