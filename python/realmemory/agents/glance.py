"""What memory has to say unasked: the brief of a session, and confident hits for a prompt.

Read from the database alone: no index, no model, no numpy.
"""

from __future__ import annotations

import math
import os
import time

from realmemory.agents.quoting import TRUST, one_line, preview
from realmemory.scopes import GLOBAL_SCOPE, scope_key
from realmemory.store.glance import Glance, look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_QUERY_CHARS = 4_000
_WORDS = 48
_RAREST = 12
_CANDIDATES = 20
_LEAST_TOTAL = 1_000

# Fitted by ``benches/agents/calibrate_prompt.py``.
STRONG_NATS = 16.0
"""Least evidence of words alone at which a memory is shown unasked."""
MIN_SHARE = 0.10
"""Least part of its own weight that a memory must share with the prompt."""


class Hit:
    """One memory that matches a prompt, and how much speaks for it.

    ``evidence`` is the summed idf of the words it shares with the prompt, in nats; ``share`` is
    the part of the memory's own weight that they make up.
    """

    __slots__ = ("evidence", "row", "share", "words")

    def __init__(self, row: tuple[Any, ...], evidence: float, share: float, words: int) -> None:
        self.row = row
        self.evidence = evidence
        self.share = share
        self.words = words

    @property
    def confident(self) -> bool:
        """Whether it may be shown to somebody who did not ask."""
        return self.exceeds(STRONG_NATS, MIN_SHARE)

    def exceeds(self, nats: float, share: float) -> bool:
        """Whether it shares much with the prompt, and enough of what it says itself."""
        enough = self.words > 1 or self.share >= 2 * share
        return enough and self.evidence >= nats and self.share >= share


def store_directory(directory: str, namespace: str | None) -> str:
    """Return where the store of a namespace lies."""
    return os.path.join(directory, namespace) if namespace else directory


def keyword_hits(
    directory: str, namespace: str | None, query: str, k: int, scope: str | None
) -> list[dict[str, Any]]:
    """Return keyword matches as items of a recall result, for a server that is still loading."""
    view = look(store_directory(directory, namespace))
    if view is None:
        return []
    try:
        now = time.time()
        taus = view.taus()
        hits = matches(view, query, visible(view, scope), now)[:k]
        return [_item(hit, query, taus, now) for hit in hits]
    finally:
        view.close()


def confident(
    view: Glance,
    store: str,
    prompt: str,
    scope_ids: Sequence[int],
    now: float,
    *,
    project: str | None = None,
) -> list[tuple[Any, ...]]:
    """Return the rows that may be shown to somebody who did not ask, the surest first.

    By meaning and words where the hook can do that, else by words alone.
    """
    from realmemory.agents.unasked import matches_by_meaning  # noqa: PLC0415 - loads the engine

    asked = ends(prompt)
    sure = matches_by_meaning(view, store, asked, scope_ids, now, project=project)
    if sure is not None:
        return [row for _, row in sure]
    return [hit.row for hit in matches(view, asked, scope_ids, now) if hit.confident]


def visible(view: Glance, scope: str | None) -> list[int]:
    """Return the ids of the scopes that a project sees: itself and ``global``."""
    keys = [GLOBAL_SCOPE] if scope is None else [GLOBAL_SCOPE, scope_key(scope)]
    return view.scope_ids(keys)


def matches(view: Glance, prompt: str, scope_ids: Sequence[int], now: float) -> list[Hit]:
    """Return memories that share words with ``prompt``, the strongest evidence first."""
    from realmemory.core.text import analyze, fts_term, query_forms  # noqa: PLC0415 - native

    groups = [
        tuple(fts_term(form) for form in forms) for forms in query_forms(ends(prompt))[:_WORDS]
    ]
    total = view.size()
    if not groups or not total:
        return []
    # A small memory says little about how common a word is: judge as if it were a larger one.
    total = max(total, _LEAST_TOTAL)
    weights = {group: _idf(total, view.frequency(group)) for group in dict.fromkeys(groups)}
    known = {group: weight for group, weight in weights.items() if weight is not None}
    rarest = sorted(known, key=lambda group: (-known[group], group))[:_RAREST]
    terms = [term for group in rarest for term in group]
    hits = []
    for row in view.matching(terms, scope_ids, now, _CANDIDATES):
        held = {fts_term(term) for term in analyze(row[1])}
        shared = [group for group in rarest if held.intersection(group)]
        evidence = sum(known[group] for group in shared)
        own = len(held) * math.log1p(total) / 2
        hits.append(Hit(row, evidence, min(1.0, evidence / own) if own else 0.0, len(shared)))
    hits.sort(key=lambda hit: (-hit.evidence * (0.5 + hit.share), hit.row[0]))
    return hits


def ends(prompt: str) -> str:
    """Return the beginning and the end of a long prompt: what was pasted stands between them."""
    prompt = prompt.encode("utf-8", "replace").decode()
    half = _QUERY_CHARS // 2
    return prompt if len(prompt) <= _QUERY_CHARS else f"{prompt[:half]}\n{prompt[-half:]}"


def _idf(total: int, frequency: int) -> float | None:
    """Return the weight of a word, or ``None`` when it is unknown or too common to tell much."""
    if not frequency or frequency > total // 10:
        return None
    return math.log1p((total - frequency + 0.5) / (frequency + 0.5))


def _item(hit: Hit, query: str, taus: dict[str, float], now: float) -> dict[str, Any]:
    (memory_id, text, kind, scope, author, origin, observed, base, last, pinned) = hit.row
    shown, cut = preview(text, 600, query)
    age = 0.0 if pinned else max(0.0, now - last)
    item = {
        "id": memory_id,
        "text": shown,
        "kind": kind,
        "retention": round(base * math.exp(-age / taus[kind]), 3),
        "source": "keyword",
        "scope": scope,
        "date": time.strftime("%Y-%m-%d", time.gmtime(observed)),
        "origin": origin,
        "trust": TRUST[origin],
    }
    if author:
        item["author"] = one_line(author, 64)
    if cut:
        item["truncated"] = True
    return item
