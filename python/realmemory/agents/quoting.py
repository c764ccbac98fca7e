"""Recalled text on its way into a prompt: data to be read, never words that steer.

Hooks use this on every prompt, so it loads nothing but ``re``.
"""

from __future__ import annotations

import re
from collections import Counter

_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
# Letters of scripts that are spelt with joiners: from Arabic over those of India to Mongolian.
_JOINED = "\u0600-\u109f\u1780-\u18af\u1a00-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
_EMOJI = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# What belongs to the spelling of a word or the look of a sign, one at a time: it hides nothing.
_SPELT = re.compile(
    f"((?<=[{_JOINED}])[\u200c\u200d](?![{_HIDDEN}])"
    f"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])"
    rf"|(?<=[^\W\d_])\xad(?=[^\W\d_]))|[{_HIDDEN}]"
)
# Marks with which hosts and models delimit roles and tools. Text about HTML stays readable.
_DELIMITER = re.compile(
    r"<(?=\s*/?\s*(?:antml|system|human|user|assistant|developer|tool|function|instruction|memory|"
    r"realmemory|context|prompt|invoke|\|))"
    r"|\[(?=/?(?:INST|SYS)\b)|<(?=<SYS)",
    re.IGNORECASE,
)
_ROLE_LINE = re.compile(
    r"^(\s*)(system|human|user|assistant|developer)(\s*:)", re.IGNORECASE | re.MULTILINE
)
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w{2,}")

TRUST = {"user": "high", "agent": "medium", "tool": "low", "import": "low", "peer": "low"}
"""How far a text is believed, by where it came from."""


def clean(text: str) -> str:
    """Return ``text`` without hidden characters and with delimiters made harmless.

    Invisible characters stay where a word or an emoji is spelt with them.
    """
    text = _seen(text.replace("\r\n", "\n"))
    text = _DELIMITER.sub(lambda found: "\u2039" if found.group() == "<" else "(", text)
    return _ROLE_LINE.sub(r"\1\2 \3", text)


def _seen(text: str) -> str:
    bare = _INVISIBLE.sub("", text)
    if len(bare) == len(text) or _DELIMITER.search(bare) or _ROLE_LINE.search(bare):
        # Nothing may stand inside a mark and keep it from being recognised.
        return bare
    return _SPELT.sub(r"\1", text)


def one_line(text: str, limit: int) -> str:
    """Return cleaned text on one line, cut at ``limit`` characters."""
    line = _SPACES.sub(" ", clean(text)).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "\u2026"


def preview(
    text: str, limit: int, query: str = "", span: tuple[int, int] | None = None
) -> tuple[str, bool]:
    """Return the cleaned part of ``text`` that says most about ``query``, and whether it was cut.

    A short text is returned whole. From a long one the window around ``span`` is taken, the range
    of characters that is known to answer; without one the window with the most words of the query,
    because an answer often stands at the end.
    """
    whole = clean(text)
    if len(whole) <= limit:
        return whole, False
    if span is not None:
        start = _window_around(text, span, limit, query, len(whole))
    else:
        start = _best_window(whole, limit, query)
    end = start + limit
    head = "\u2026" if start else ""
    tail = "\u2026" if end < len(whole) else ""
    return head + whole[start:end].strip() + tail, True


def passage(text: str, limit: int, query: str, span: tuple[int, int] | None = None) -> str:
    """Return on one line the part of ``text`` that :func:`preview` chooses."""
    # Two characters for the marks of what was cut.
    return one_line(preview(text, limit - 2, query, span)[0], limit)


def _window_around(text: str, span: tuple[int, int], limit: int, query: str, total: int) -> int:
    """Return where in the cleaned text, of length ``total``, the window over a span begins."""
    first, part = len(clean(text[: span[0]])), clean(text[span[0] : span[1]])
    if len(part) > limit:
        return min(first + _best_window(part, limit, query), total - limit)
    return max(0, min(first - (limit - len(part)) // 2, total - limit))


def _best_window(text: str, limit: int, query: str) -> int:
    stems = {word.group()[:6].casefold() for word in _WORD.finditer(query) if len(word.group()) > 2}
    hits = [
        (found.start(), found.group()[:6].casefold())
        for found in _WORD.finditer(text)
        if found.group()[:6].casefold() in stems
    ]
    often = Counter(stem for _, stem in hits)
    best, best_start, left = 0.0, 0, 0
    for right, (position, _) in enumerate(hits):
        while position - hits[left][0] > limit - 40:
            left += 1
        # A word that stands everywhere says little about where the answer is.
        seen = sum(1.0 / often[stem] for stem in {stem for _, stem in hits[left : right + 1]})
        if seen > best:
            best, best_start = seen, hits[left][0]
    return max(0, min(best_start - 20, len(text) - limit))
