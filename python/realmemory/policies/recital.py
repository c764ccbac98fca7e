"""Recognising a recall that comes back as a write.

Agents paste what they recalled into a conversation, and the conversation is captured again. The
lines of such a paste carry our own marks (a bullet, ``#12``, a confidence, a provenance line);
without them they are texts that the memory holds already.
"""

from __future__ import annotations

import re

MAX_LINES = 64
"""Longer texts are no recital; looking would cost more than it saves."""

_LEAD = re.compile(
    r"""^\s*(?:
        [>*\u2022\u00b7\u2013\u2014+-]+\s+ | \d{1,3}[.)]\s+ | \#\d+[:.)]?\s+ |
        \[(?:id\s*[:=]?\s*)?\#?\d+(?:\.\d+)?%?\]\s* | \(\d?\.\d+\)\s* |
        \([^()]*,\s*trust\s+\w+\)\s* | (?:memory|from\s+memory|recalled)\s*(?:\#?\d+)?:\s+
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*(?:\((?:confidence|score|id|source|relevance)\b[^()]*\)|\[(?:confidence|score|id)\b[^\]]*\])\s*$",
    re.IGNORECASE,
)
_TAIL_ENDS = (")", "]")
_OURS = re.compile(
    r"^\s*(?:from\s+realmemory\b.*|(?:relevant|recalled|known)?\s*memories\s*:|"
    r"\#\d+\s+\u00b7\s.*|what\s+i\s+remember\s*:)\s*$",
    re.IGNORECASE,
)
_QUOTES = "\"'\u201c\u201d\u00ab\u00bb"


def stated_lines(text: str) -> tuple[str, ...]:
    """Return the texts that a paste of recalled memories holds, without their decoration.

    Empty when the text carries no decoration and so is no paste.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or len(lines) > MAX_LINES:
        return ()
    kept = [line for line in lines if not _OURS.match(line)]
    bare = tuple(_bare(line) for line in kept)
    decorated = len(lines) > 1 or bare != (text.strip(),)
    return bare if decorated and all(bare) else ()


def _bare(line: str) -> str:
    core = line.strip()
    while (match := _LEAD.match(core)) is not None and match.end():
        core = core[match.end() :]
    if core.endswith(_TAIL_ENDS):
        core = _TAIL.sub("", core).strip()
    if len(core) > 1 and core[0] in _QUOTES and core[-1] in _QUOTES:
        core = core[1:-1].strip()
    return core
