"""The edits an installer makes to a file of a coding agent, each with its exact inverse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from realmemory.agents import jsonc, tomltext

if TYPE_CHECKING:
    from collections.abc import Mapping


class Edit(Protocol):
    """One change to the text of one file."""

    def apply(self, text: str) -> str:
        """Return the text with our entry in it; unchanged when it is there already.

        Raises:
            ValueError: The text cannot be parsed, or the place belongs to somebody else.
        """
        ...

    def revert(self, text: str) -> str:
        """Return the text without our entry; unchanged when there is none.

        Raises:
            ValueError: The text cannot be parsed.
        """
        ...


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object in a JSON file that is ours by its key."""

    path: tuple[str, ...]
    value: Any
    only_if_missing: bool = False

    def apply(self, text: str) -> str:
        """Add or update the member."""
        if self.only_if_missing and jsonc.find(text, self.path) is not None:
            return text
        return jsonc.set_member(text, self.path, self.value)

    def revert(self, text: str) -> str:
        """Remove the member; one that only filled a gap stays while others stand beside it."""
        found = jsonc.find(text, self.path)
        if found is None:
            return text
        beside = jsonc.find(text, self.path[:-1])
        if self.only_if_missing and beside and beside.value != {self.path[-1]: self.value}:
            return text
        return _prune(jsonc.remove_member(text, self.path), self.path[:-1])


@dataclass(frozen=True, slots=True)
class JsonItem:
    """An item of an array in a JSON file that is ours by a word in its command."""

    path: tuple[str, ...]
    value: Any
    mark: str

    def apply(self, text: str) -> str:
        """Append the item, or bring ours up to date."""
        ours = self._ours(text)
        if [item for _, item in ours] == [self.value]:
            return text
        return jsonc.append_item(self.revert(text) if ours else text, self.path, self.value)

    def revert(self, text: str) -> str:
        """Remove every item of ours."""
        for index, _ in reversed(self._ours(text)):
            text = jsonc.remove_item(text, self.path, index)
        return _prune(text, self.path)

    def _ours(self, text: str) -> list[tuple[int, Any]]:
        found = jsonc.find(text, self.path)
        if found is None or not isinstance(found.value, list):
            return []
        return [pair for pair in enumerate(found.value) if _mentions(pair[1], self.mark)]


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table in a TOML file, kept in a marked block."""

    path: tuple[str, ...]
    values: Mapping[str, Any]

    def apply(self, text: str) -> str:
        """Add or update the block."""
        return tomltext.set_table(text, self.path, self.values)

    def revert(self, text: str) -> str:
        """Remove the block."""
        return tomltext.remove_table(text)


_BLOCK = re.compile(
    r"(?:\r?\n){0,2}<!-- realmemory: begin -->\r?\n.*?<!-- realmemory: end -->\r?\n", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """A block between two marks at the end of a Markdown file."""

    body: str

    def apply(self, text: str) -> str:
        """Add or update the block."""
        eol = "\r\n" if "\r\n" in text else "\n"
        bare = self.revert(text)
        block = f"<!-- realmemory: begin -->\n{self.body}<!-- realmemory: end -->\n"
        lead = eol + eol if bare.removeprefix("\ufeff") else ""
        return bare + lead + block.replace("\n", eol)

    def revert(self, text: str) -> str:
        """Remove the block."""
        found = _BLOCK.search(text)
        return text[: found.start()] + text[found.end() :] if found else text


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that belongs to us alone."""

    body: str

    def apply(self, text: str) -> str:
        """Replace the content."""
        del text
        return self.body

    def revert(self, text: str) -> str:
        """Leave nothing."""
        del text
        return ""


def _mentions(value: object, mark: str) -> bool:
    """Whether a command somewhere in a hook entry runs the program called ``mark``."""
    if isinstance(value, dict):
        return any(_mentions(item, mark) for item in value.values())
    if isinstance(value, list):
        return any(_mentions(item, mark) for item in value)
    return isinstance(value, str) and mark in value


def _prune(text: str, path: tuple[str, ...]) -> str:
    """Remove containers on the way that our entry alone filled.

    We spread a container over several lines when we make one, and fill an existing ``{}`` on its
    line: so an empty one that is spread was ours, and one on a line was there before.
    """
    while path:
        found = jsonc.find(text, path)
        if found is None or found.value not in ({}, []):
            return text
        inside = text[found.start + 1 : found.end - 1]
        if inside.strip() or "\n" not in inside:
            return text
        text = jsonc.remove_member(text, path)
        path = path[:-1]
    return text
