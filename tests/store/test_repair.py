"""Damage of every kind, and what is left after a repair."""

from __future__ import annotations

import random
import sqlite3

import apsw
import pytest

from realmemory.errors import StoreCorruptError, StoreError
from realmemory.store import Store, search
from realmemory.store.records import Link, LinkType, NewTrace
from realmemory.store.repair import repair
from realmemory.store.restoring import restore

COUNT = 600


def terms(text):
    return text.replace("\n", " ")


@pytest.fixture
def filled(folder, clock):
    generator = random.Random(8)
    with Store.open(folder, clock=clock) as store:
        with store.write() as tx:
            space = tx.spaces.id_of("m", 8)
            for number in range(1, COUNT + 1):
                text = f"fact{number} " + " ".join(generator.choices("abcdefgh", k=60))
                tx.traces.insert(
                    NewTrace(
                        text=text,
                        terms=text,
                        scope=f"s{number % 3}",
                        embedding=generator.randbytes(32),
                        space_id=space,
                    )
                )
                tx.journal.append("write", {"id": number})
            tx.variants.add(
                5, "another wording", terms=tx.traces.indexed_text(5) + " another wording"
            )
            tx.links.put([Link(n, n + 1, LinkType.PLASTIC, 0.5, 1.0) for n in range(1, 50)])
        store.backup()
        store.checkpoint()
    return folder


def texts(folder):
    with Store.open(folder) as store:
        assert store.verify(analyse=terms).ok
        with store.read() as view:
            return {trace.id: trace.text for trace in view.traces.page(limit=10_000)}


def mend(folder, clock):
    return repair(folder, clock=clock, analyse=terms)


def pages_of(path, name):
    """Page numbers of one table or index, by the engine's own account."""
    connection = apsw.Connection(str(path))
    rows = connection.execute(
        "SELECT pageno, pagetype FROM dbstat WHERE name = ? ORDER BY pageno", (name,)
    ).fetchall()
    connection.close()
    return rows


def zero(path, page):
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(content)


def test_a_sound_store_is_repaired_to_itself(filled, clock):
    before = texts(filled)
    report = mend(filled, clock)
    assert (report.traces, report.lost_rows, report.quarantined) == (COUNT, 0, ())
    assert texts(filled) == before
    with Store.open(filled) as store, store.read() as view:
        assert [variant.text for variant in view.variants.of(5)] == ["another wording"]
        assert view.links.count() == 49
        assert [hit.id for hit in view.search.find(search.any_of(["fact77"]))] == [77]
        assert view.traces.changes_since(1).needs_rebuild


@pytest.mark.parametrize(
    ("name", "most_lost"),
    [
        ("traces", 40),
        ("fts_data", 0),
        ("fts_docsize", 0),
        ("traces_rev", 0),
        ("sqlite_autoindex_traces_1", 0),
        ("traces_content", 0),
        ("events", 0),
        ("links", 0),
    ],
)
def test_a_zeroed_page_costs_only_the_rows_on_it(filled, clock, name, most_lost):
    before = texts(filled)
    database = filled / "memory.db"
    leaves = [page for page, kind in pages_of(database, name) if kind == "leaf"]
    zero(database, leaves[len(leaves) // 2])
    with Store.open(filled) as store:
        assert not store.verify().ok
    damaged = database.read_bytes()
    report = mend(filled, clock)
    after = texts(filled)
    assert after.items() <= before.items()
    assert len(after) >= COUNT - most_lost
    assert report.kept is not None
    assert report.kept.read_bytes() == damaged


@pytest.mark.parametrize("name", ["traces", "variants", "events", "links", "meta", "fts_data"])
def test_a_zeroed_root_page_hides_none_of_the_rows_below(filled, clock, name):
    before = texts(filled)
    pages = pages_of(filled / "memory.db", name)
    inner = [page for page, kind in pages if kind == "internal"]
    zero(filled / "memory.db", min(inner or [page for page, _ in pages]))
    report = mend(filled, clock)
    assert texts(filled) == before
    assert report.lost_traces == ()
    if inner and name == "events":
        with Store.open(filled) as store, store.read() as view:
            assert len(view.journal.page(limit=10_000)) == COUNT


@pytest.mark.parametrize("name", ["scopes", "spaces"])
def test_a_lost_scope_or_space_costs_no_memory_its_place(filled, clock, name):
    """All memories once were held back when the page of the spaces was lost."""
    with Store.open(filled) as store, store.read() as view:
        before = [(item.scope, item.text) for item in view.traces.page(limit=COUNT)]
        vectors = view.spaces.vectors([1, 2, COUNT])
    with Store.open(filled) as store:
        store.optimise()  # its statistics are texts as well
        store.checkpoint()
    for page, _ in pages_of(filled / "memory.db", name):
        zero(filled / "memory.db", page)

    report = mend(filled, clock)

    assert report.quarantined == ()
    assert report.lost_rows
    with Store.open(filled) as store, store.read() as view:
        assert [(item.scope, item.text) for item in view.traces.page(limit=COUNT)] == before
        assert view.spaces.vectors([1, 2, COUNT]) == vectors


def test_where_no_memory_can_be_read_the_backup_is_named_and_helps(filled, clock):
    before = texts(filled)
    database = filled / "memory.db"
    for page, _ in pages_of(database, "traces"):
        zero(database, page)
    damaged = database.read_bytes()
    with pytest.raises(StoreCorruptError, match="backup restore"):
        mend(filled, clock)
    assert database.read_bytes() == damaged
    (saved,) = (filled / "backups").glob("memory-*.db")
    restore(filled, saved, clock=clock)
    assert texts(filled) == before


def test_a_row_that_does_not_match_its_hash_is_kept_out_of_recall(filled, clock):
    connection = apsw.Connection(str(filled / "memory.db"))
    connection.execute("UPDATE traces SET text = 'forged' WHERE id = 9")
    connection.execute("UPDATE traces SET text = CAST(x'80ff61' AS TEXT) WHERE id = 10")
    connection.close()
    report = mend(filled, clock)
    assert report.quarantined == (9, 10)
    assert texts(filled)[10] == "\N{REPLACEMENT CHARACTER}" * 2 + "a"
    with Store.open(filled) as store, store.read() as view:
        assert view.traces.get(9).status == "quarantined"


def test_what_holds_no_rows_is_left_as_it_is(filled, clock):
    (filled / "memory.db").write_bytes(bytes(40_960))
    with pytest.raises(StoreCorruptError, match="memory-000001"):
        mend(filled, clock)
    assert (filled / "memory.db").read_bytes() == bytes(40_960)


@pytest.mark.parametrize("part", [5, 12, 19])
def test_a_cut_log_loses_only_the_commits_behind_the_cut(folder, clock, part):
    with Store.open(folder, clock=clock) as store:
        for number in range(20):
            with store.write() as tx:
                tx.traces.insert(NewTrace(text=f"t{number}", terms=f"t{number}", scope="s"))
    log = folder / "memory.db-wal"
    content = log.read_bytes()
    log.write_bytes(content[: len(content) * part // 20])
    (folder / "memory.db-shm").unlink()
    with Store.open(folder) as store:
        report = store.verify(analyse=terms)
        with store.read() as view:
            found = [trace.text for trace in view.traces.page(limit=100)]
    assert found == [f"t{number}" for number in range(len(found))]
    assert {finding.code for finding in report.findings} == {"lost_commits"}


def test_a_log_cut_before_the_store_was_made_is_no_empty_store(folder, clock):
    with Store.open(folder, clock=clock):
        pass
    log = folder / "memory.db-wal"
    log.write_bytes(log.read_bytes()[:9000])
    (folder / "memory.db-shm").unlink()
    with pytest.raises(StoreError) as caught:
        Store.open(folder)
    assert caught.value.code == "truncated"


@pytest.mark.parametrize("state", ["gone", "zeroed", "random"])
def test_the_shared_index_is_rebuilt_when_nobody_has_it_open(filled, state):
    before = texts(filled)
    shm = filled / "memory.db-shm"
    size = shm.stat().st_size
    if state == "gone":
        shm.unlink()
    else:
        shm.write_bytes(bytes(size) if state == "zeroed" else random.Random(1).randbytes(size))
    assert texts(filled) == before


def test_a_log_of_another_store_is_never_applied_silently(filled, tmp_path):
    other = tmp_path / "other"
    with Store.open(other) as store, store.write() as tx:
        tx.traces.insert(NewTrace(text="foreign", terms="foreign", scope="s"))
    (filled / "memory.db-wal").write_bytes((other / "memory.db-wal").read_bytes())
    (filled / "memory.db-shm").unlink()
    with pytest.raises(StoreError) as caught, Store.open(filled) as store, store.read():
        pass
    assert caught.value.code in {"store_replaced", "corrupt"}


def test_any_sqlite_tool_can_read_the_file(filled):
    connection = sqlite3.connect(filled / "memory.db")
    assert connection.execute("SELECT count(*) FROM traces").fetchone() == (COUNT,)
    connection.close()
