"""What memory has to say unasked: the brief of a session, and confident hits for a prompt.

Read from the database alone: no index, no model, no numpy.
"""

from __future__ import annotations

import math
import os
import time

from realmemory.agents.quoting import TRUST, one_line, preview
from realmemory.policies.retention import retention
from realmemory.policies.unasked import WordEvidence, rarity
from realmemory.scopes import GLOBAL_SCOPE, scope_key
from realmemory.store.glance import Glance, look
from realmemory.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_QUERY_CHARS = 4_000
_WORDS = 48
_RAREST = 12
_CANDIDATES = 20


class Hit(NamedTuple):
    """One memory that matches a prompt, and what speaks for it."""

    row: tuple[Any, ...]
    said: WordEvidence


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
    return [hit.row for hit in matches(view, asked, scope_ids, now) if hit.said.exceeds()]


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
    weights = {group: rarity(total, view.frequency(group)) for group in dict.fromkeys(groups)}
    known = {group: weight for group, weight in weights.items() if weight is not None}
    rarest = sorted(known, key=lambda group: (-known[group], group))[:_RAREST]
    terms = [term for group in rarest for term in group]
    hits = []
    for row in view.matching(terms, scope_ids, now, _CANDIDATES):
        held = {fts_term(term) for term in analyze(row[1])}
        shared = [known[group] for group in rarest if held.intersection(group)]
        hits.append(Hit(row, WordEvidence(shared, len(held), total)))
    hits.sort(key=lambda hit: (-hit.said.strength, hit.row[0]))
    return hits


def ends(prompt: str) -> str:
    """Return the beginning and the end of a long prompt: what was pasted stands between them."""
    prompt = prompt.encode("utf-8", "replace").decode()
    half = _QUERY_CHARS // 2
    return prompt if len(prompt) <= _QUERY_CHARS else f"{prompt[:half]}\n{prompt[-half:]}"


def _item(hit: Hit, query: str, taus: dict[str, float], now: float) -> dict[str, Any]:
    (memory_id, text, kind, scope, author, origin, observed, base, last, pinned) = hit.row
    shown, cut = preview(text, 600, query)
    tau = math.inf if pinned else taus[kind]
    item = {
        "id": memory_id,
        "text": shown,
        "kind": kind,
        "retention": round(retention(base, last, now, tau), 3),
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
