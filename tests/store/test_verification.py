from __future__ import annotations

import random
import shutil

import apsw
import pytest

from realmemory.errors import RealMemoryError
from realmemory.store import Store
from realmemory.store.opening import Mark, write_mark
from realmemory.store.records import NewTrace


def fill(store, count=120, *, at_once=120):
    words = random.Random(5)
    for at in range(0, count, at_once):
        with store.write() as tx:
            insert(tx, words, at_once)
            if at + at_once == count:
                terms = tx.traces.indexed_text(1) + " another wording"
                tx.variants.add(1, "another wording", terms=terms)
                tx.audit.append("ann", "write", {"ids": [1]})
                tx.audit.append("ann", "forget", {"ids": [2]})


def insert(tx, words, count):
    space = tx.spaces.id_of("m", 64)
    for _ in range(count):
        text = " ".join(f"word{words.randrange(900)}" for _ in range(30))
        embedding = words.randbytes(256)
        tx.traces.insert(
            NewTrace(text=text, terms=text, scope="s", embedding=embedding, space_id=space)
        )


def codes(store, **options):
    return {finding.code for finding in store.verify(**options).findings}


def edit(store, *statements):
    """Change the file as a stranger would: with SQLite, without us."""
    connection = apsw.Connection(str(store.paths.database))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_sound_store_verifies(store):
    fill(store)
    report = store.verify(analyse=lambda text: text.replace("\n", " "))
    assert report.ok
    assert (report.traces, report.rev) == (120, 1)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE traces SET text = text || '!' WHERE id = 7", "damaged_row"),
        ("UPDATE traces SET embedding = zeroblob(256) WHERE id = 7", "damaged_row"),
        ("UPDATE traces SET scope_id = 1 WHERE id = 7", "damaged_row"),
        ("UPDATE variants SET text = 'x'", "damaged_row"),
        ("UPDATE scopes SET name = 't' WHERE name = 's'", "damaged_scope"),
        ("UPDATE scopes SET key = 't' WHERE name = 's'", "damaged_scope"),
        ("UPDATE scopes SET name = CAST(x'f3' AS TEXT) WHERE name = 's'", "damaged_scope"),
        ("DELETE FROM fts WHERE rowid = 7", "unsearchable"),
        ("INSERT INTO fts (rowid, terms) VALUES (999, 'x')", "orphaned_search"),
        ("UPDATE audit SET actor = 'bob' WHERE seq = 1", "broken_audit"),
        ("CREATE TABLE guest (x)", "changed_schema"),
        ("DROP INDEX traces_rev", "changed_schema"),
        ("INSERT INTO links VALUES (1, 999, 'related', 1.0, 1.0, 1)", "dangling_rows"),
        ("UPDATE revision SET rev = 0", "wrong_rev"),
    ],
)
def test_each_kind_of_damage_has_a_name(store, statement, code):
    fill(store)
    edit(store, statement)
    assert code in codes(store)


@pytest.mark.parametrize("field", ["name", "key"])
def test_a_damaged_name_of_a_scope_is_mended_by_renaming_it(store, field):
    fill(store)
    edit(store, f"UPDATE scopes SET {field} = 't' WHERE name = 's'")
    (finding,) = store.verify().findings
    assert (finding.code, len(finding.ids)) == ("damaged_scope", 120)
    with store.write() as tx:
        tx.scopes.rename(tx.scopes.find("s" if field == "name" else "t"), "s")
    assert store.verify().ok


def test_wrong_keywords_are_found_by_analysing_again(store):
    fill(store)
    edit(store, "INSERT OR REPLACE INTO fts (rowid, terms) VALUES (7, 'wrong words')")
    assert codes(store) == set()
    report = store.verify(analyse=lambda text: text.replace("\n", " "))
    assert [(finding.code, finding.ids) for finding in report.findings] == [("wrong_terms", (7,))]


def test_commits_that_vanished_with_a_cut_log_are_counted(store):
    fill(store)
    write_mark(store.paths, Mark(store.store_id, 4))
    (finding,) = store.verify().findings
    assert finding.code == "lost_commits"
    assert "newest 3 changes" in finding.message


def damaged_copy(tmp_path, content, number, bit):
    folder = tmp_path / f"flip-{number}"
    folder.mkdir()
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << (bit % 8)
    (folder / "memory.db").write_bytes(flipped)
    return folder


def dump(path):
    """Everything that can be read from the file: a flip that leaves it equal did no harm."""
    connection = apsw.Connection(str(path))
    tables = [
        row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    content = [list(connection.execute(f"SELECT * FROM {name}")) for name in sorted(tables)]
    connection.close()
    return content


def found_in(folder):
    try:
        with Store.open(folder) as store:
            return not store.verify(analyse=lambda text: text.replace("\n", " ")).ok
    except RealMemoryError:
        return True


def harmless(folder, expected):
    try:
        return dump(folder / "memory.db") == expected
    except (apsw.Error, UnicodeDecodeError):
        return False


@pytest.mark.parametrize("flips", [60, pytest.param(1500, marks=pytest.mark.long)])
def test_flipped_bits_that_do_harm_are_found(store, tmp_path, flips):
    # Written one by one, as stores are: the full-text index has segments of all ages.
    fill(store, at_once=1)
    store.checkpoint()
    content = store.paths.database.read_bytes()
    expected = dump(store.paths.database)
    generator = random.Random(20)
    found = missed = 0
    for number in range(flips):
        bit = generator.randrange(len(content) * 8)
        folder = damaged_copy(tmp_path, content, number, bit)
        if found_in(folder):
            found += 1
        elif not harmless(folder, expected):
            missed += 1
        shutil.rmtree(folder)
    assert found > flips / 10
    assert missed <= 0.05 * (found + missed), f"{missed} of {found + missed} flips were not found"
