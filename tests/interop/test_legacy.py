"""The database of realMemory 0.8 and 0.9: read as it is, history and strengths kept."""

from __future__ import annotations

import hashlib

import apsw
import pytest

from realmemory import Hippocampus
from realmemory.errors import StoreRefusedError
from realmemory.interop.transfer import import_file
from realmemory.types import Status

SCHEMA = """
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT, kind TEXT, status TEXT, meta TEXT,
  embedding BLOB, sdr BLOB, created_at REAL, updated_at REAL, reinforced_count INTEGER DEFAULT 0,
  last_reinforced_at REAL, base_strength REAL DEFAULT 1.0, valid_from REAL, valid_to REAL,
  superseded_by INTEGER {later}
)
"""
ROW = """
INSERT INTO memories (id, text, kind, status, meta, created_at, updated_at, reinforced_count,
  last_reinforced_at, base_strength, valid_from, valid_to, superseded_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
NOW = 1_780_000_000.0
ROWS = (
    (
        1,
        "The office is in Oslo",
        "episodic",
        "superseded",
        "{}",
        NOW,
        NOW,
        0,
        NOW,
        0.5,
        NOW,
        NOW + 9,
        2,
    ),
    (
        2,
        "The office is in Bergen",
        "semantic",
        "active",
        '{"supersedes": 1}',
        NOW + 9,
        NOW + 9,
        4,
        NOW + 9,
        1.0,
        NOW + 9,
        None,
        None,
    ),
    (3, "Коты спят днём", "episodic", "active", "{}", NOW, NOW, 0, NOW, 0.5, NOW, None, None),
)


def old_database(path, later):
    connection = apsw.Connection(str(path))
    connection.execute(SCHEMA.format(later=later))
    for row in ROWS:
        connection.execute(ROW, row)
    connection.close()
    return path


@pytest.mark.parametrize(
    "later",
    ["", ", scope TEXT DEFAULT 'shop'", ", scope TEXT DEFAULT 'shop', author TEXT DEFAULT 'ann'"],
)
def test_everything_comes_over_once_and_the_old_file_is_untouched(tmp_path, later):
    path = old_database(tmp_path / "memory.db", later)
    digest = hashlib.sha256(path.read_bytes()).digest()
    with Hippocampus.open(tmp_path / "new") as memory:
        report = import_file(memory, path)
        again = import_file(memory, path)

        assert (report.format, report.imported, report.rejected) == ("realmemory-0.9", 3, 0)
        assert (again.imported, again.updated, again.known) == (0, 0, 3)
        scope = "shop" if later else "global"
        bergen, oslo = (
            trace for trace in memory.list(all_scopes=True, status=None) if "office" in trace.text
        )
        assert (oslo.status, oslo.superseded_by, oslo.valid_to) == (
            Status.SUPERSEDED,
            bergen.id,
            NOW + 9,
        )
        assert (bergen.kind, bergen.base_strength, bergen.reinforced_count) == ("semantic", 1.0, 4)
        assert (bergen.scope, bergen.created_at) == (scope, NOW + 9)
        assert [trace.id for trace in memory.history(oslo.id)] == [oslo.id, bergen.id]
        assert memory.context.store.verify().ok
    assert hashlib.sha256(path.read_bytes()).digest() == digest


@pytest.mark.parametrize("content", [b"", b"just text", b"SQLite format 3\0" + bytes(4080)])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with (
        Hippocampus.open(tmp_path / "new") as memory,
        pytest.raises((StoreRefusedError, RuntimeError)),
    ):
        import_file(memory, path)
