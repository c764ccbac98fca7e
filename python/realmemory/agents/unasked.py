"""What memory has to say about a prompt by meaning, within the milliseconds of a hook.

The default embedder is a table that the engine reads, and the index is a file that it maps, so
that a hook can recall by meaning without the library around them. Where that is not possible (a
store of another embedder, an index that is far behind) the answer is ``None``, and words decide.
"""

from __future__ import annotations

import os

from realmemory.encoding.shipped import FAMILY, table_path
from realmemory.index import generations
from realmemory.policies.unasked import features, profile_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from realmemory.core.quick import Candidate, QuickIndex, StaticQuery
    from realmemory.store.glance import Glance

_POOL = 24
_LOOKED = 16
"""Rows that are read: what is surely about a prompt, and what may be news of that."""
_BEHIND = 2_500
_USUAL_FLOOR = 0.05


def matches_by_meaning(
    view: Glance,
    store: str,
    prompt: str,
    scope_ids: Sequence[int],
    now: float,
    *,
    project: str | None = None,
) -> list[tuple[float, tuple[Any, ...]]] | None:
    """Return the rows that are surely about a prompt, each with its chance, the likeliest first.

    Args:
        view: A look into the store.
        store: Its directory.
        prompt: What the user typed; not too long.
        scope_ids: Visible scopes.
        now: Epoch seconds.
        project: Where it was typed.
    """
    space = view.space()
    profile = profile_for(space[1]) if space else None
    if space is None or profile is None:
        return None
    found = _searched(view, store, prompt, scope_ids, now)
    if found is None:
        return None
    query, candidates, rows = found
    chances = profile.chances(rows)
    ids = [item.id for item in candidates]
    likely = sorted(zip(chances, ids, strict=True), key=lambda one: (-one[0], one[1]))[:_LOOKED]
    if query is None or not likely or likely[0][0] < profile.floor:
        return []
    shown = view.shown([one[1] for one in likely], scope_ids, now)
    ranked = [(chance, shown[row_id]) for chance, row_id in likely if row_id in shown]
    if not ranked or ranked[0][0] < profile.floor:
        return []
    from realmemory.agents.standing import Typed, standing  # noqa: PLC0415 - few get so far

    return standing(view, Typed(prompt, query, project, scope_ids, now), ranked, profile.floor)


def described(
    view: Glance, store: str, prompt: str, scope_ids: Sequence[int], now: float
) -> tuple[list[Candidate], list[list[float]]] | None:
    """Return the candidates for a prompt with their features, or ``None`` without an index."""
    found = _searched(view, store, prompt, scope_ids, now)
    return None if found is None else (found[1], found[2])


def _searched(
    view: Glance, store: str, prompt: str, scope_ids: Sequence[int], now: float
) -> tuple[StaticQuery | None, list[Candidate], list[list[float]]] | None:
    from realmemory.core.quick import StaticQuery  # noqa: PLC0415 - loads the engine
    from realmemory.core.text import query_forms  # noqa: PLC0415

    space = view.space()
    if space is None or not space[1].startswith(FAMILY):
        return None
    words = len(query_forms(prompt))
    if not words or not scope_ids:
        return None, [], []
    query = StaticQuery(table_path(), prompt)
    index = _index(view, store, space, query) if query.name == space[1] else None
    if index is None:
        return None
    config, taus = view.config(), view.taus()
    candidates, null, rows = index.search(
        query,
        prompt,
        _POOL,
        scopes=scope_ids,
        taus=(taus["episodic"], taus["semantic"], taus["turn"]),
        floor=float(config.get("min_retention_recall", _USUAL_FLOOR)),
        now=now,
    )
    return query, candidates, features(candidates, null, words, rows)


def span_about(view: Glance, row_id: int, text: str, prompt: str) -> tuple[int, int] | None:
    """Return the passage of a long text that is about a prompt, as a range of characters."""
    space, parts = view.space(), view.passages(row_id)
    if space is None or not parts:
        return None
    from realmemory.core.quick import StaticQuery  # noqa: PLC0415 - loads the engine
    from realmemory.core.text import query_forms  # noqa: PLC0415
    from realmemory.policies.passages import answering  # noqa: PLC0415 - long texts are few

    cosines = [0.0] * len(parts)
    if space[1].startswith(FAMILY):
        query = StaticQuery(table_path(), prompt)
        if query.name == space[1]:
            cosines = [query.cosine(part[2]) for part in parts]
    forms = {form for forms in query_forms(prompt) for form in forms}
    return answering(text, [(part[0], part[1]) for part in parts], cosines, forms)


def _index(
    view: Glance, store: str, space: tuple[int, str, int, str], query: StaticQuery
) -> QuickIndex | None:
    """Return the index as of now: the mapped snapshot and what changed since, if that is little."""
    from realmemory.core.quick import ANALYSIS_VERSION, QuickIndex  # noqa: PLC0415

    space_id, _, dim, store_id = space
    path = generations.newest(os.path.join(store, generations.FOLDER))
    index, rev = QuickIndex.empty(query.dim), 0
    if path is not None:
        proof = generations.identity(store_id, space_id, dim, ANALYSIS_VERSION)
        try:
            index, rev = QuickIndex.mapped(path, proof, dim)
        except OSError:
            return None
    changes = view.changes(rev, _BEHIND)
    if changes is None:
        return None
    rows, gone = changes
    index.apply(rows, space_id, view.vectors_of_passages([row[0] for row in rows]))
    index.drop(gone)
    return index
