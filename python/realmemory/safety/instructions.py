"""Texts that speak to the agent instead of telling it something: marked, never obeyed.

Detection is an extra; the floor is that recalled text is quoted as data with its origin. What is
found here decides whether a text that no user wrote is held back until one confirms it.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from realmemory.safety.findings import Family, Finding
from realmemory.safety.folding import Folded, undo_digit_spelling, unmask_letters
from realmemory.safety.phrases import TRIGGERS, likely
from realmemory.safety.secrets import longest_word

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]{2,24}")
_SHORTEST_BASE64 = 24
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,4096}={0,2}")
_HEX = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}[ :]?){16,2048}(?!\w)")
_SPACED = re.compile(r"(?:\b[^\W\d_][ .\-_*]){8,400}[^\W\d_]\b")
_SPACED_SIGN = re.compile(r"[ .\-_*](?<=\b[^\W\d_].)[^\W\d_][ .\-_*]")
"""What stands in :data:`_SPACED`, found sooner: most letters of a text are none of its signs."""
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_DIGIT_SPELLING = re.compile(
    # Letter, signs, letter; or a sign that begins a word. Looked for by the sign, which is rare.
    r"[013457@$!|](?:(?<=[^\W\d_].)[013457@$!|]*[^\W\d_]|(?<=\b.)[^\W\d_]{2})"
)
_ROT13 = {codecs.encode(word, "rot13") for word in TRIGGERS if word.isascii()}
_BACKWARDS = {word[::-1] for word in TRIGGERS if len(word) > 3}


def find_instructions(folded: Folded) -> list[Finding]:
    """Return where the folded text tries to instruct, in spans of the original text."""
    text = folded.text
    found: set[Finding] = set()
    views = {view: _WORD.findall(view) for view in _views(text)}
    for view, words in views.items():
        # Lower-casing may change the length; spans are kept only where it did not.
        aligned = len(view) == len(text)
        for kind, match in _matches(view, words):
            span = match.span() if aligned else (0, len(text))
            found.add(_finding(folded, span, kind))
    found.update(
        _finding(folded, span, f"encoded_{kind}")
        for span, decoded in _decoded(text, next(iter(views.values())))
        for kind, _ in _matches(decoded.lower(), _WORD.findall(decoded.lower()))
    )
    if folded.hidden >= 3:
        found.add(_finding(folded, (0, len(text)), "hidden_characters"))
    return sorted(found)


def _views(text: str) -> list[str]:
    """Return the readings of a text: as it is, without look-alikes, without digit spelling."""
    views = [text.lower()]
    if not text.isascii():
        views.append(unmask_letters(text))
    if _DIGIT_SPELLING.search(views[-1]):
        views += undo_digit_spelling(views[-1])
    return views


def _matches(view: str, words: list[str]) -> Iterator[tuple[str, re.Match[str]]]:
    for phrase in likely(words, view):
        for match in phrase.pattern.finditer(view):
            yield phrase.kind, match


def _finding(folded: Folded, span: tuple[int, int], kind: str) -> Finding:
    return Finding(*folded.span(*span), Family.INSTRUCTION, kind)


def _decoded(text: str, words: list[str]) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield (span, decoded text) for every place that hides a text in an encoding."""
    if longest_word(text) >= _SHORTEST_BASE64:
        for match in _BASE64.finditer(text):
            if decoded := _from_base64(match.group()):
                yield match.span(), decoded
    for match in _HEX.finditer(text):
        if decoded := _readable(bytes.fromhex(re.sub(r"[ :]", "", match.group()))):
            yield match.span(), decoded
    if _SPACED_SIGN.search(text):
        yield from ((match.span(), _joined(match.group())) for match in _SPACED.finditer(text))
    for decoded in _decoded_whole(text, words):
        yield (0, len(text)), decoded


def _decoded_whole(text: str, words: list[str]) -> Iterator[str]:
    """Yield the text under each encoding of the whole that it shows signs of."""
    if "%" in text:
        yield unquote(text, errors="replace")
    if "&" in text:
        yield html.unescape(text)
    if "\\u" in text or "\\x" in text:
        yield _ESCAPED.sub(_unescaped, text)
    if not _ROT13.isdisjoint(words):
        yield codecs.decode(text, "rot13")
    if not _BACKWARDS.isdisjoint(words):
        yield text[::-1]


def _from_base64(word: str) -> str:
    plain = word.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return _readable(base64.b64decode(plain + "=" * (-len(plain) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _readable(raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", " ").isprintable() else ""


def _joined(spaced: str) -> str:
    """Read letters that were spaced out; the words they make are told apart by what they are."""
    letters = re.sub(r"[ .\-_*]", "", spaced).lower()
    for word in ("ignore", "disregard", "forget", "all", "previous", "prior", "your", "system"):
        letters = letters.replace(word, f" {word} ")
    return re.sub(r"(instructions?|prompts?|rules)", r" \1 ", letters)


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))
