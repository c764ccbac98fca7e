"""Markdown for people and git: one page a scope out, notes and instruction files in.

Out: front matter, then one bullet a memory under a heading for its kind, with its id, its time and
the number of its tags as a comment; read back with scope, kind, time and tags.
In: ``CLAUDE.md`` and ``AGENTS.md`` (every bullet or paragraph is a lasting fact of the project),
and folders of notes as basic-memory and Obsidian keep them (front matter, ``- [category] text
#tag``, ``- relation [[Target]]``, tasks, paragraphs; dated as ``note_dates`` says). What a statement
is about often stands in the headings above it only, so they are part of its text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from realmemory.instants import format_instant, parse_instant
from realmemory.interop.imported import Item, Record, Remark, Unreadable, has_content
from realmemory.interop.note_dates import KEYS, date_of
from realmemory.types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realmemory.types import Trace

_FRONT = re.compile(r"\A---[ \t]*\r?\n(?P<head>.*?)\r?\n---[ \t]*\r?\n", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?P<text>.+)$")
_HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+?)\s*#*$")
_TASK = re.compile(r"^\[(?P<mark>[ xX])\]\s+")
_DONE_ON = re.compile(r"\s*✅\s*\d{4}-\d{2}-\d{2}")
"""The day on which a task was done, as Obsidian's task lists note it."""
_CATEGORY = re.compile(r"^\[(?P<category>[^\[\]]{1,40})\]\s+(?P<rest>.+)$")
_WIKI = re.compile(r"\[\[(?P<target>[^\[\]|]+)(?:\|(?P<shown>[^\[\]|]+))?\]\]")
_TAG = re.compile(r"(?<![\w/#])#([^\W\d][\w/-]{1,60})")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OWN = re.compile(r"^scope: (?P<scope>.+)\nmemories: \d+$")
_ABOUT = re.compile(r"  <!-- #\d+ (?P<when>\S+?)(?: tags:(?P<tags>\d+))? -->$")
_LONGEST = 2_000_000
_LONGEST_HEADING = 120


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
    yield from _blocks(path, "", tags=(path.stem.lower(),))


def read_notes(folder: Path) -> Iterator[Record]:
    """Yield the statements of every note in a folder, hidden folders and links left out.

    A file is a single note.
    """
    if folder.is_file():
        yield from _blocks(folder, folder.stem, dated=True)
        return
    for path in sorted(folder.rglob("*.md")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or path.is_symlink():
            continue
        yield from _blocks(path, path.stem, dated=True)


def _bullet(trace: Trace) -> str:
    first, *rest = re.split("\r\n?|\n", trace.text)
    counted = f" tags:{len(trace.tags)}" if trace.tags else ""
    about = f"  <!-- #{trace.id} {format_instant(trace.observed_at)}{counted} -->"
    tags = "".join(f" #{tag.replace(' ', '-')}" for tag in trace.tags)
    return "\n".join([f"- {first}{tags}{about}", *(f"  {line}" for line in rest)])


def _blocks(
    path: Path, name: str, tags: tuple[str, ...] = (), *, dated: bool = False
) -> Iterator[Record]:
    """Yield the statements of a file, whose ``name`` is its title if it has no other."""
    try:
        if path.stat().st_size > _LONGEST:
            yield Unreadable(1, f"{path.name} is larger than 2 MB", path.name)
            return
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        yield Unreadable(1, f"{path.name}: {error}", path.name)
        return
    head = _FRONT.match(text)
    own = _OWN.match(head["head"].replace("\r", "")) if head else None
    if head and own:
        yield from _own_page(text[head.end() :], own["scope"], path.name)
        return
    front = head["head"] if head else ""
    common = (*tags, *_front_tags(front))
    title = _front_value(front, "title") or name
    when, unread = (
        date_of((_front_value(front, key) for key in KEYS), name) if dated else (None, ())
    )
    yield from (Remark(f"{path.name}: {value[:60]!r} is no date; passed over") for value in unread)
    body = _COMMENT.sub("", text[head.end() if head else 0 :])
    items = [
        replace(_item(path, place, _about(title, headings), block, common), when=when)
        for place, headings, block in _statements(body)
    ]
    texts = {item.text for item in items}
    # A task that stands there open and done is two.
    yield from (
        item if texts.isdisjoint(item.replaces) else replace(item, replaces=()) for item in items
    )


def _own_page(body: str, scope: str, name: str) -> Iterator[Item]:
    """Yield the memories of a page that :func:`page` wrote."""
    lines = body.split("\n")
    kind = Kind.SEMANTIC
    for place, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading and heading["title"].lower() in set(Kind):
            kind = Kind(heading["title"].lower())
        if not line.startswith("- "):
            continue
        about = _ABOUT.search(line)
        count = int(about["tags"] or 0) if about else 0
        first = line[2 : about.start() if about else None].rsplit(" #", count)
        rest = takewhile(lambda more: more.startswith("  "), lines[place + 1 :])
        yield Item(
            text="\n".join([first[0], *(more[2:] for more in rest)]),
            place=place + 1,
            when=parse_instant(about["when"]) if about else None,
            scope=scope,
            # A turn without its conversation is what was said once.
            kind=Kind.EPISODIC if kind is Kind.TURN else kind,
            tags=first[1:],
            meta={"file": name},
        )


def _about(title: str, headings: dict[int, str]) -> list[str]:
    """Return the headings above a statement, and the note's title where none of them is it."""
    path = [headings[level][:_LONGEST_HEADING] for level in sorted(headings)]
    return path if 1 in headings or not title else [title, *path]


def _statements(body: str) -> Iterator[tuple[int, dict[int, str], str]]:
    """Yield (line, headings by level, text) of every bullet and paragraph; code stays whole."""
    block: list[str] = []
    headings: dict[int, str] = {}
    start, fenced = 1, False
    for number, line in enumerate([*body.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        title = None if fenced else _HEADING.match(line)
        bullet = None if fenced else _BULLET.match(line)
        ends = not fenced and (not line.strip() or title or (bullet and not line[:1].isspace()))
        if ends and block:
            yield start, headings, "\n".join(block).strip()
            block = []
        if title:
            level = len(title["marks"])
            headings = {above: name for above, name in headings.items() if above < level}
            headings[level] = title["title"]
        elif line.strip():
            start = start if block else number
            block.append(bullet["text"] if bullet and not block else line.strip())
    if block:
        yield start, headings, "\n".join(block).strip()


def _item(path: Path, place: int, about: list[str], text: str, tags: tuple[str, ...]) -> Item:
    task = _TASK.match(text)
    category = None if task else _CATEGORY.match(text)
    if category:
        tags = (*tags, category["category"])
        text = category["rest"]
    own = tuple(_TAG.findall(text))
    meta = {"file": path.name, "heading": about[-1] if about else path.stem}
    return Item(
        text=_under(about, text) + _WIKI.sub(_linked, text),
        place=place,
        kind=Kind.SEMANTIC,
        tags=tuple(dict.fromkeys((*tags, *own)))[:20],
        meta=meta if task is None else {**meta, "done": task["mark"] != " "},
        before=_before(text, task),
        replaces=() if task is None else _in_other_state(_under(about, text), text, task),
    )


def _in_other_state(under: str, text: str, task: re.Match[str]) -> tuple[str, ...]:
    """Return a task as it stands when it is open, if it is done, and the other way round."""
    done = task["mark"] != " "
    rest = _WIKI.sub(_linked, (_DONE_ON.sub("", text) if done else text)[task.end() :])
    return tuple(f"{under}[{mark}] {rest}" for mark in (" " if done else "xX"))


def _under(about: list[str], text: str) -> str:
    """Return what stands before a statement; nothing before one that says nothing, as a rule."""
    if not about or not has_content(text):
        return ""
    return " > ".join(about) + (":\n" if text.startswith("```") else ": ")


def _linked(link: re.Match[str]) -> str:
    """Return what a link shows, and what it leads to where that says more."""
    target, shown = link["target"].strip(), (link["shown"] or "").strip()
    return f"{shown} ({target})" if shown and shown.lower() != target.lower() else target


def _before(text: str, task: re.Match[str] | None) -> str:
    """Return the text as it was imported before headings, tasks and links were kept."""
    return _WIKI.sub(
        lambda link: link["shown"] or link["target"], text[task.end() if task else 0 :]
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
