"""Which columns the engine's index is made of, for the store and for a quick look into it."""

from __future__ import annotations


def _name(column: str) -> str:
    """Return SQL for a column of names in small letters; NULL for what is none, even no text."""
    return f"iif({column} GLOB '*[^a-z]*', NULL, {column})"


FORGOTTEN_KEY = "_forgotten"
"""Key of the metadata that says that a trace was put into the archive by request."""
INDEXED_TEXT = """
  coalesce(t.index_text, t.text) || coalesce(
    (SELECT group_concat(char(10) || v.text, '' ORDER BY v.id)
     FROM variants v WHERE v.trace_id = t.id), '')
"""
INDEX_COLUMNS = f"""
  t.id, t.scope_id, {_name("t.kind")}, {_name("t.status")}, t.pinned, t.base_strength, t.last_reinforced_at,
  t.valid_from, t.valid_to, t.expires_at, t.observed_at, t.space_id, t.embedding,
  CAST({INDEXED_TEXT} AS BLOB), t.content_rev, t.rev,
  t.status = 'archived' AND json_valid(t.meta) AND json_type(t.meta, '$.{FORGOTTEN_KEY}') NOTNULL
"""
MEANING = """
  iif(kind = 'turn', coalesce(nullif(speaker, '') || ': ', '') || text,
    coalesce(index_text, text))
"""
"""What the vector of a trace stands for; the same as ``policies/wording.py`` says of turns."""
