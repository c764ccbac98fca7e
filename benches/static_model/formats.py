"""Readers of the formats that free text comes in: each yields plain paragraphs or pairs."""

from __future__ import annotations

import gettext
import gzip
import html
import re
import sqlite3
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPACE = re.compile(r"\s+")


def squeeze(text: str) -> str:
    return SPACE.sub(" ", text).strip()


def read_text(path: Path) -> str:
    data = path.read_bytes()
    if path.suffix in {".gz", ".dz"}:
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace")


class _Blocks(HTMLParser):
    """Texts of the block elements of a page, in order."""

    BLOCKS = frozenset(
        [
            "p",
            "li",
            "td",
            "th",
            "dd",
            "dt",
            "title",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "caption",
            "div",
            "desc",
            "section",
        ]
    )
    SKIPPED = frozenset(
        ["script", "style", "pre", "code", "noscript", "head", "screen", "nav", "footer"]
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self.current: list[str] = []
        self.skipping = 0

    def handle_starttag(self, tag, attrs) -> None:
        del attrs
        if tag in self.SKIPPED:
            self.skipping += tag != "code"
        elif tag in self.BLOCKS:
            self.close_block()

    def handle_endtag(self, tag) -> None:
        if tag in self.SKIPPED:
            self.skipping = max(0, self.skipping - (tag != "code"))
        elif tag in self.BLOCKS:
            self.close_block()

    def handle_data(self, data) -> None:
        if not self.skipping:
            self.current.append(data)

    def close_block(self) -> None:
        text = squeeze("".join(self.current))
        self.current = []
        if text:
            self.blocks.append(text)


def html_blocks(text: str) -> list[str]:
    parser = _Blocks()
    parser.feed(text)
    parser.close_block()
    return parser.blocks


ROFF_FONT = re.compile(r"\\f[A-Z]|\\f\[[A-Z]*\]|\\f\([A-Z]{2}|\\[&,/|^]|\\s[+-]?\d")


def man_paragraphs(text: str) -> list[str]:
    """Running text of a manual page."""
    paragraphs, current = [], []
    for line in text.splitlines():
        if line.startswith((".", "'")):
            inline = re.match(r"^\.(?:B|I|BR|IR|RB|BI|IB|RI)\s+(.*)", line)
            if inline:
                current.append(inline.group(1).replace('"', ""))
            elif not line.startswith(('.\\"', ".br")):
                paragraphs.append(" ".join(current))
                current = []
        else:
            current.append(line)
    paragraphs.append(" ".join(current))
    clean = (
        ROFF_FONT.sub("", p).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
        for p in paragraphs
    )
    return [squeeze(re.sub(r"\\[(*].{2}|\\\[[^]]*\]|\\", " ", p)) for p in clean]


MARKUP = re.compile(
    r"<[^>]*>|\{\{?[^}]*\}\}?|%\d?\$?[-+ 0#]*\d*(?:\.\d+)?(?:l|ll|z)?[a-zA-Z]|[_&~](?=\w)"
)


def catalogue_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Original and translation of every message of a compiled gettext catalogue."""
    with path.open("rb") as file:
        try:
            catalogue = gettext.GNUTranslations(file)._catalog  # noqa: SLF001 - no public way to list it
        except (OSError, UnicodeDecodeError, ValueError):
            return
    for key, value in catalogue.items():
        source = key[0] if isinstance(key, tuple) else key
        source = source.split("\x04")[-1].split("^", 1)[-1]
        if source and value and source != value:
            yield (
                squeeze(MARKUP.sub(" ", html.unescape(source).replace("\\n", " "))),
                squeeze(MARKUP.sub(" ", html.unescape(value).replace("\\n", " "))),
            )


def wordnet_glosses(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Words, definition and examples of every synset."""
    for part in ("noun", "verb", "adj", "adv"):
        for _, words, definition, examples in wordnet_synsets(folder, part):
            yield ", ".join(words), definition, examples


def wordnet_synsets(folder: Path, part: str) -> Iterator[tuple[int, list[str], str, list[str]]]:
    """Number of the lexicographer's file, words, definition and examples of a part's synsets."""
    for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
        if line.startswith(" ") or " | " not in line:
            continue
        fields, gloss = line.split(" | ", 1)
        columns = fields.split()
        words = [columns[4 + 2 * i].replace("_", " ") for i in range(int(columns[3], 16))]
        examples = re.findall(r'"([^"]+)"', gloss)
        definition = squeeze(re.sub(r'"[^"]*"?|;\s*$|;(?=\s*")', " ", gloss)).strip(" ;")
        yield int(columns[1]), words, definition, [squeeze(e) for e in examples]


def dict_entries(path: Path) -> Iterator[tuple[str, str]]:
    """Headword and body of a dictd database, split at unindented lines."""
    head, body = "", []
    for line in read_text(path).splitlines():
        if line[:1].strip():
            if head and body:
                yield head, " ".join(body)
            head, body = line.strip(), []
        else:
            body.append(line.strip())
    if head and body:
        yield head, " ".join(body)


WIKI_EXAMPLE = re.compile(r"\{\{пример\|((?:[^{}]|\{\{[^{}]*\}\})*)\}\}")
WIKI_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
WIKI_TEMPLATE = re.compile(r"\{\{(?:выдел\|([^{}|]*))?[^{}]*\}\}")


def _plain_wiki(text: str) -> str:
    text = WIKI_LINK.sub(r"\1", text.replace("{{--}}", "—"))
    text = WIKI_TEMPLATE.sub(lambda m: m.group(1) or " ", text)
    return squeeze(re.sub(r"'{2,}|<[^>]*>|\{\{|\}\}", " ", text))


def wiktionary_entries(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Lemma, definition and usage examples of the Russian wordnet made from Wiktionary."""
    connection = sqlite3.connect(path)
    for lemma, row in connection.execute("SELECT lemma, definition FROM synsets ORDER BY rowid"):
        fields = row.split("~")
        if len(fields) < 5:
            continue
        text = "~".join(fields[4:-2]) if len(fields) > 6 else fields[4]
        examples = [
            _plain_wiki(
                m.split("|автор")[0].split("|")[0]
                if "{{" not in m
                else re.split(r"\|(?=[а-яё]+=)", m)[0]
            )
            for m in WIKI_EXAMPLE.findall(text)
        ]
        yield lemma, _plain_wiki(WIKI_EXAMPLE.sub(" ", text)), examples
    connection.close()


def package_descriptions(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Package name and paragraphs of its description, from an apt translation list."""
    command_text = _apt_text(path)
    for stanza in command_text.split("\n\n"):
        name = re.match(r"Package: (\S+)", stanza)
        body = re.search(r"^Description-(?:en|ru): (.*(?:\n .*)*)", stanza, re.MULTILINE)
        if name and body:
            paragraphs = re.split(r"\n \.\n", body.group(1))
            first, *rest = paragraphs[0].split("\n", 1)
            yield name.group(1), [squeeze(p) for p in [first, *rest, *paragraphs[1:]]]


def _apt_text(path: Path) -> str:
    import subprocess  # noqa: PLC0415 - only this reader needs another program

    command = ["/usr/lib/apt/apt-helper", "cat-file", str(path)]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode(
        "utf-8", "replace"
    )


def fortunes(path: Path) -> list[str]:
    texts = re.split(r"\n%\n", path.read_text("utf-8", "replace"))
    return [squeeze(re.split(r"\n\s*--", t)[0]) for t in texts]
