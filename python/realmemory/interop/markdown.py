"""Markdown for people and git: one page a scope out, notes and instruction files in.

Out: front matter, then one bullet a memory under a heading for its kind, ids as comments.
In: ``CLAUDE.md`` and ``AGENTS.md`` (every bullet or paragraph is a lasting fact of the project),
and folders of notes as basic-memory and Obsidian keep them (front matter, ``- [category] text
#tag``, ``- relation [[Target]]``, paragraphs).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from realmemory.instants import format_instant
from realmemory.interop.imported import Item, Record, Unreadable
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.types import Trace

_FRONT = re.compile(r"\A---[ \t]*\r?\n(?P<head>.*?)\r?\n---[ \t]*\r?\n", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
_CATEGORY = re.compile(r"^\[(?P<category>[^\[\]]{1,40})\]\s+(?P<rest>.+)$")
_WIKI = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_TAG = re.compile(r"(?<![\w/#])#([^\W\d][\w/-]{1,60})")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LONGEST = 2_000_000


def page(scope: str, traces: list[Trace]) -> str:
    """Return the memories of one scope as a Markdown page."""
    lines = ["---", f"scope: {scope}", f"memories: {len(traces)}", "---", ""]
    for kind in Kind:
        chosen = [trace for trace in traces if trace.kind is kind]
        if chosen:
            lines += [f"## {kind.value.capitalize()}", "", *map(_bullet, chosen), ""]
    return "\n".join(lines)


def read_instructions(path: Path) -> Iterator[Record]:
    """Yield every bullet and paragraph of an instruction file, with the headings above it."""
    yield from _blocks(path, tags=(path.stem.lower(),))


def read_notes(folder: Path) -> Iterator[Record]:
    """Yield the statements of every note in a folder, hidden folders and links left out.

    A file is a single note.
    """
    if folder.is_file():
        yield from _blocks(folder, tags=())
        return
    for path in sorted(folder.rglob("*.md")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or path.is_symlink():
            continue
        yield from _blocks(path, tags=())


def _bullet(trace: Trace) -> str:
    first, *rest = trace.text.split("\n")
    about = f"  <!-- #{trace.id} {format_instant(trace.observed_at)} -->"
    tags = "".join(f" #{tag.replace(' ', '-')}" for tag in trace.tags)
    return "\n".join([f"- {first}{tags}{about}", *(f"  {line}" for line in rest)])


def _blocks(path: Path, tags: tuple[str, ...]) -> Iterator[Record]:
    try:
        if path.stat().st_size > _LONGEST:
            yield Unreadable(1, f"{path.name} is larger than 2 MB", path.name)
            return
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        yield Unreadable(1, f"{path.name}: {error}", path.name)
        return
    head = _FRONT.match(text)
    common = (*tags, *(_front_tags(head["head"]) if head else ()))
    title = _front_value(head["head"], "title") if head else ""
    body = _COMMENT.sub("", text[head.end() if head else 0 :])
    for place, heading, block in _statements(body):
        yield _item(path, place, heading or title or path.stem, block, common)


def _statements(body: str) -> Iterator[tuple[int, str, str]]:
    """Yield (line, heading, text) of every bullet and paragraph; code stays in one piece."""
    block: list[str] = []
    heading, start, fenced = "", 1, False
    for number, line in enumerate([*body.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        title = None if fenced else _HEADING.match(line)
        bullet = None if fenced else _BULLET.match(line)
        ends = not fenced and (not line.strip() or title or (bullet and not line[:1].isspace()))
        if ends and block:
            yield start, heading, "\n".join(block).strip()
            block = []
        if title:
            heading = title["title"]
        elif line.strip():
            start = start if block else number
            block.append(bullet["text"] if bullet and not block else line.strip())
    if block:
        yield start, heading, "\n".join(block).strip()


def _item(path: Path, place: int, heading: str, text: str, tags: tuple[str, ...]) -> Item:
    category = _CATEGORY.match(text)
    if category:
        tags = (*tags, category["category"])
        text = category["rest"]
    own = tuple(_TAG.findall(text))
    return Item(
        text=_WIKI.sub(r"\1", text),
        place=place,
        kind=Kind.SEMANTIC,
        tags=tuple(dict.fromkeys((*tags, *own)))[:20],
        meta={"file": path.name, "heading": heading},
    )


def _front_value(head: str, key: str) -> str:
    match = re.search(rf"^{key}:[ \t]*(.+)$", head, re.MULTILINE)
    return match[1].strip(" \t'\"") if match else ""


def _front_tags(head: str) -> tuple[str, ...]:
    inline = _front_value(head, "tags").strip("[]")
    listed = re.search(r"^tags:[ \t]*\r?\n((?:[ \t]*-[ \t]+.+\r?\n?)+)", head, re.MULTILINE)
    words = inline.split(",") if inline else []
    if listed:
        words = [line.strip().lstrip("-") for line in listed[1].splitlines()]
    return tuple(word.strip(" '\"#") for word in words if word.strip(" '\"#"))
