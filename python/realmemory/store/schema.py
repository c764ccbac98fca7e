"""Schema version 1 as one script, and what later versions add; none of it ever changes.

The tables are strict and plain, so that any SQLite tool can open the file. The full-text table
holds analysed terms under a builtin tokenizer that splits at white space only.
"""

from __future__ import annotations

import string

APPLICATION_ID = 0x724D656D
"""``rMem`` in ASCII: what the header of every store carries."""

ANALYSIS_VERSION = 1
"""Version of the text analysis whose terms the full-text table holds."""


def _tokenize() -> str:
    # FTS5 unquotes twice: the option value ("...") and the argument of the tokenizer ('...').
    marks = string.punctuation.replace("'", "''")
    return f"ascii tokenchars '{marks}'".replace('"', '""')


CREATE_FTS = (
    "CREATE VIRTUAL TABLE fts USING fts5("
    f"terms, content='', contentless_delete=1, tokenize=\"{_tokenize()}\")"
)

VERSION_1 = (
    """
    CREATE TABLE meta (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    # One row. `rev` counts committed transactions that changed rows; `floor` is the newest rev
    # whose tombstones were pruned.
    """
    CREATE TABLE revision (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      rev INTEGER NOT NULL,
      floor INTEGER NOT NULL
    ) STRICT
    """,
    "INSERT INTO revision VALUES (1, 0, 0)",
    """
    CREATE TABLE scopes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      key TEXT NOT NULL UNIQUE
    ) STRICT
    """,
    """
    CREATE TABLE spaces (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      marker TEXT NOT NULL,
      dim INTEGER NOT NULL,
      created_at REAL NOT NULL,
      UNIQUE (marker, dim)
    ) STRICT
    """,
    # The vector comes last: attributes are read without following its overflow pages.
    """
    CREATE TABLE traces (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      uid TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL CHECK (kind IN ('episodic', 'semantic', 'turn')),
      status TEXT NOT NULL
        CHECK (status IN ('active', 'superseded', 'archived', 'quarantined')),
      scope_id INTEGER NOT NULL REFERENCES scopes (id),
      pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
      base_strength REAL NOT NULL,
      reinforced_count INTEGER NOT NULL,
      reinforced_days INTEGER NOT NULL,
      last_reinforced_at REAL NOT NULL,
      fades_at REAL,
      importance REAL NOT NULL,
      created_at REAL NOT NULL,
      updated_at REAL NOT NULL,
      observed_at REAL NOT NULL,
      valid_from REAL NOT NULL,
      valid_to REAL,
      expires_at REAL,
      superseded_by INTEGER,
      space_id INTEGER REFERENCES spaces (id),
      rev INTEGER NOT NULL,
      content_rev INTEGER NOT NULL,
      author TEXT NOT NULL,
      origin TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'tool', 'import', 'peer')),
      session_id TEXT,
      turn_index INTEGER,
      speaker TEXT,
      role TEXT,
      tags TEXT NOT NULL,
      meta TEXT NOT NULL,
      content_hash BLOB NOT NULL,
      row_hash BLOB NOT NULL,
      text TEXT NOT NULL,
      index_text TEXT,
      embedding BLOB
    ) STRICT
    """,
    "CREATE INDEX traces_rev ON traces (rev)",
    # With everything that says how alive a trace is: the brief of a session ranks ten thousand
    # traces within milliseconds, which it cannot when each is a page of its own.
    """
    CREATE INDEX traces_scope ON traces (
      scope_id, status, kind, last_reinforced_at, base_strength, reinforced_count, pinned, origin,
      valid_from, valid_to, expires_at
    )
    """,
    "CREATE INDEX traces_fading ON traces (status, fades_at) WHERE fades_at IS NOT NULL",
    "CREATE INDEX traces_evidence ON traces (kind, reinforced_days) WHERE reinforced_days > 0",
    "CREATE INDEX traces_expiring ON traces (expires_at) WHERE expires_at IS NOT NULL",
    "CREATE INDEX traces_content ON traces (content_hash)",
    "CREATE INDEX traces_session ON traces (session_id, turn_index) WHERE session_id IS NOT NULL",
    "CREATE INDEX traces_successor ON traces (superseded_by) WHERE superseded_by IS NOT NULL",
    """
    CREATE TABLE variants (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      trace_id INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      text TEXT NOT NULL,
      author TEXT NOT NULL,
      origin TEXT NOT NULL CHECK (origin IN ('user', 'agent', 'tool', 'import', 'peer')),
      session_id TEXT,
      created_at REAL NOT NULL,
      meta TEXT NOT NULL,
      content_hash BLOB NOT NULL,
      row_hash BLOB NOT NULL,
      rev INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX variants_trace ON variants (trace_id)",
    "CREATE INDEX variants_content ON variants (content_hash)",
    """
    CREATE TABLE passages (
      trace_id INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      "start" INTEGER NOT NULL,
      "end" INTEGER NOT NULL,
      embedding BLOB,
      PRIMARY KEY (trace_id, ordinal)
    ) STRICT, WITHOUT ROWID
    """,
    CREATE_FTS,
    """
    CREATE TABLE links (
      src INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      dst INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      weight REAL NOT NULL,
      updated_at REAL NOT NULL,
      rev INTEGER NOT NULL,
      PRIMARY KEY (src, dst, type)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX links_dst ON links (dst)",
    "CREATE INDEX links_rev ON links (rev)",
    "CREATE INDEX links_age ON links (type, updated_at)",
    """
    CREATE TABLE eligibility (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      src INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      dst INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
      strength REAL NOT NULL,
      created_at REAL NOT NULL,
      cause TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX eligibility_src ON eligibility (src)",
    "CREATE INDEX eligibility_dst ON eligibility (dst)",
    """
    CREATE TABLE usage (
      trace_id INTEGER PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
      recalled INTEGER NOT NULL,
      used INTEGER NOT NULL,
      last_recalled_at REAL,
      last_used_at REAL
    ) STRICT
    """,
    """
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      ts REAL NOT NULL,
      type TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX events_type ON events (type, seq)",
    """
    CREATE TABLE audit (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      ts REAL NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      data TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT
    """,
    # What `store/publications.py` keeps; its ids and hashes say there what they are.
    """
    CREATE TABLE publications (
      id TEXT PRIMARY KEY,
      trace_id INTEGER NOT NULL,
      project TEXT NOT NULL,
      author TEXT NOT NULL,
      published_at REAL NOT NULL,
      content_hash TEXT NOT NULL,
      revoked_at REAL,
      synced_at REAL
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX publications_trace ON publications (trace_id)",
    # A deleted trace leaves its uid, a deleted link its ends; neither leaves a text.
    """
    CREATE TABLE tombstones (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      rev INTEGER NOT NULL,
      trace_id INTEGER NOT NULL,
      dst INTEGER,
      link_type TEXT,
      uid TEXT,
      deleted_at REAL NOT NULL
    ) STRICT
    """,
    "CREATE INDEX tombstones_rev ON tombstones (rev)",
    "CREATE INDEX tombstones_uid ON tombstones (uid) WHERE uid IS NOT NULL",
)

# Version 2. By trace first, so that deleting a trace finds what is kept of it.
KEPT_VECTORS = """
  CREATE TABLE kept_vectors (
    trace_id INTEGER NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    seal BLOB NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY (trace_id, ordinal, space_id)
  ) STRICT, WITHOUT ROWID
"""
