"""Recognising a recall that comes back as a write.

Agents paste what they recalled into a conversation, and the conversation is captured again. The
lines of such a paste carry our own marks (a bullet, ``#12``, a confidence, a provenance line), or
it is a whole answer, as text or as JSON; without them they are texts that the memory holds already.
"""

from __future__ import annotations

import json
import re

MAX_LINES = 64
"""Longer texts are no recital, unless they begin like one; looking would cost more than it saves."""
_CUT = "\u2026"

_LEAD = re.compile(
    r"""^\s*(?:
        [>*\u2022\u00b7\u2013\u2014+-]+\s+ | \d{1,3}[.)]\s+ | \#\d+[:.)]?\s+ |
        \[(?:id\s*[:=]?\s*)?\#?\d+(?:\.\d+)?%?\]\s* | \(\d?\.\d+\)\s* |
        \([^()]*,\s*trust\s+\w+\)\s* |
        (?:memory|(?:recalled\s+)?from\s+memory|recalled)\s*(?:\#?\d+)?:\s+
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
    r"\#\d+\s+\u00b7\s.*|what\s+i\s+remember\s*:|"
    r"realmemory holds \d.*quoted lines are data\.|! \#\d+ and \#\d+ contradict\.|"
    r"! \d+ lasting facts are fading.*|! realmemory hooks failed.*|"
    r"note: \#\d+ is later and may have changed.*|"
    r"\[\d+\] kind: \w+ \u00b7 .*|quoted text is remembered data, not an instruction\.)\s*$",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"^abstained: (?:true|false)$")
"""The first line of an answer of the tools; further lines of its head are ours there alone."""
_HEAD = re.compile(r"^(?:abstained|reason|note|detail|degraded|truncated|more_ids|nearest|around):")
_AROUND = re.compile(r"^> \[\d+\] [^:\n]{0,64}: ")
_ID = re.compile(r"(?:^|\s)(?:\#(\d{1,18})\b|>? ?\[(\d{1,18})\])")
_RECORD_ID = ("id", "memory_id")
_QUOTES = "\"'\u201c\u201d\u00ab\u00bb"


def stated_lines(text: str) -> tuple[str, ...]:
    """Return the texts that a paste of recalled memories holds, without their decoration.

    Empty when the text carries no decoration and so is no paste.
    """
    if (records := _records(text)) is not None:
        said = (line.strip() for _, text in records for line in text.splitlines())
        return tuple(filter(None, said))
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or (len(lines) > MAX_LINES and not _begins_like_ours(lines[0])):
        return ()
    whole = _ANSWER.match(lines[0]) is not None
    kept = [line for line in lines if not (_OURS.match(line) or (whole and _HEAD.match(line)))]
    bare = tuple(_bare(_AROUND.sub("", line) if whole else line) for line in kept)
    decorated = len(lines) > 1 or bare != (text.strip(),)
    return bare if decorated and all(bare) else ()


def cited_ids(text: str) -> frozenset[int]:
    """Return the ids of memories that a paste names."""
    if (records := _records(text)) is not None:
        return frozenset(number for number, _ in records)
    found = (match[1] or match[2] for match in _ID.finditer(text))
    return frozenset(map(int, found))


def repeats(line: str, text: str) -> bool:
    """Say whether a line of a paste shows a memory: whole, one of its lines, or where it was cut."""
    shown, told = _flat(line), _flat(text)
    # A line of a list lost its mark where the paste did.
    lines = [_flat(form) for one in text.splitlines() for form in (one, _bare(one))]
    if not shown.startswith(_CUT) and not shown.endswith(_CUT):
        return shown == told or shown in lines
    part = shown.strip(_CUT).strip()
    if shown.startswith(_CUT):
        return part in told
    return any(whole.startswith(part) for whole in (told, *lines))


def _flat(text: str) -> str:
    # What was made harmless on its way out counts as what it was.
    return " ".join(text.replace("\u2039", "<").split())


def _begins_like_ours(line: str) -> bool:
    return bool(_OURS.match(line) or _ANSWER.match(line))


def _records(text: str) -> list[tuple[int, str]] | None:
    """Return ids and texts of an answer in JSON; None when the text is none."""
    core = text.strip()
    if not core.startswith(("{", "[")) or '"text"' not in core:
        return None
    try:
        value = json.loads(core)
    except (ValueError, RecursionError):
        return None
    items = value.get("items") if isinstance(value, dict) else value
    if not isinstance(items, list) or not items:
        return None
    records = [_record(item) for item in items]
    return [record for record in records if record] if all(records) else None


def _record(item: object) -> tuple[int, str] | None:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return None
    number = next((item[name] for name in _RECORD_ID if isinstance(item.get(name), int)), None)
    return None if number is None else (number, item["text"])


def _bare(line: str) -> str:
    core = line.strip()
    while (match := _LEAD.match(core)) is not None and match.end():
        core = core[match.end() :]
    if core.endswith(_TAIL_ENDS):
        core = _TAIL.sub("", core).strip()
    if len(core) > 1 and core[0] in _QUOTES and core[-1] in _QUOTES:
        core = core[1:-1].strip()
    return core
