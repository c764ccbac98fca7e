"""Random damage: what stood on other pages is saved, and what is gone is reported."""

from __future__ import annotations

import random
import shutil

import apsw
import pytest

from realmemory.clock import FakeClock
from realmemory.core.text import fts_terms
from realmemory.store import Store
from realmemory.store.records import Link, LinkType, NewTrace
from realmemory.store.repair import repair

PAGE = 4096
COUNT = 200
ERASED = (7, 90, 91)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound") / "memory"
    generator = random.Random(4)
    with Store.open(folder) as store:
        with store.write() as tx:
            space = tx.spaces.id_of("m", 8)
            for number in range(1, COUNT + 1):
                words = generator.choice([10, 30, 60, 900])
                text = f"fact{number} " + " ".join(generator.choices("abcdefghij", k=words * 3))
                vector = generator.randbytes(32)
                tx.traces.insert(
                    NewTrace(
                        text=text,
                        terms=fts_terms(text),
                        scope="s",
                        embedding=vector,
                        space_id=space,
                    )
                )
                tx.journal.append("write", {"id": number, "note": "n" * 40})
            for number in range(10, 60):
                wording = f"another wording of fact{number}"
                text = tx.traces.indexed_text(number)
                tx.variants.add(number, wording, terms=fts_terms(f"{text} {wording}"))
            tx.links.put([Link(n, n + 1, LinkType.PLASTIC, 0.5, 1.0) for n in range(20, 80)])
        with store.write() as tx:
            tx.traces.delete(ERASED)
        store.checkpoint()
    return folder


def rows_of(database, table, columns):
    connection = apsw.Connection(str(database))
    rows = {row[0]: row for row in connection.execute(f"SELECT {columns} FROM {table}")}
    connection.close()
    return rows


def pages_by_row(database, table, key):
    """The pages that each row of a table needs, by the engine's own account of the sound file."""
    connection = apsw.Connection(str(database))
    ids = iter([row[0] for row in connection.execute(f"SELECT {key} FROM {table} ORDER BY {key}")])
    statement = "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = ? ORDER BY path"
    pages = connection.execute(statement, (table,)).fetchall()
    connection.close()
    needed, by_cell = {}, {}
    for path, page, kind, cells in pages:
        if kind == "leaf":
            for cell in range(cells):
                by_cell[f"{path}{cell:03x}"] = needed.setdefault(next(ids), {page})
    for path, page, kind, _ in pages:
        if kind == "overflow":
            by_cell[path.partition("+")[0]].add(page)
    return needed


def damage(content, page, generator):
    """Damage one page in one of the ways that disks and programs have."""
    start = (page - 1) * PAGE
    at, length = start + generator.randrange(PAGE - 512), 512
    match generator.randrange(6):
        case 0:
            content[start : start + PAGE] = bytes(PAGE)
        case 1:
            content[start : start + PAGE] = generator.randbytes(PAGE)
        case 2:
            content[at : at + length] = generator.randbytes(length)
        case 3:
            content[start + 100 : start + 612] = bytes(range(256)) * 2
        case 4:
            content[at : at + length] = bytes(length)
        case _:
            for _ in range(3):
                content[start + generator.randrange(PAGE)] ^= 1 << generator.randrange(8)


def damaged_copy(sound, folder, generator):
    shutil.copytree(sound, folder)
    database = folder / "memory.db"
    content = bytearray(database.read_bytes())
    count = len(content) // PAGE
    # The first page is the table of contents; without it there is no database to speak of.
    hit = set(generator.sample(range(2, count + 1), generator.choice([1, 1, 1, 2, 5])))
    for page in sorted(hit):
        damage(content, page, generator)
    database.write_bytes(content)
    return hit


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20, 300))]
)
def test_every_row_is_saved_or_reported_lost_whatever_was_damaged(sound, tmp_path, clock, seed):
    before = rows_of(sound / "memory.db", "traces", "id, text, uid, embedding")
    wordings = rows_of(sound / "memory.db", "variants", "id, text, trace_id")
    events = rows_of(sound / "memory.db", "events", "seq, type, data")
    hit = damaged_copy(sound, tmp_path / "m", random.Random(seed))

    report = repair(tmp_path / "m", clock=clock, analyse=fts_terms)

    after = rows_of(tmp_path / "m" / "memory.db", "traces", "id, text, uid, embedding")
    kept_events = rows_of(tmp_path / "m" / "memory.db", "events", "seq, type, data")
    kept_wordings = rows_of(tmp_path / "m" / "memory.db", "variants", "id, text, trace_id")
    assert after.keys() | set(report.lost_traces) == before.keys()
    assert not after.keys() & set(report.lost_traces)
    assert all(after[i] == before[i] for i in after if i not in report.quarantined)
    for number, pages in pages_by_row(sound / "memory.db", "traces", "id").items():
        assert pages & hit or (after.get(number) == before[number]), number
        assert pages & hit or number not in report.quarantined
    for number, pages in pages_by_row(sound / "memory.db", "events", "seq").items():
        assert pages & hit or kept_events.get(number) == events[number]
    for number, pages in pages_by_row(sound / "memory.db", "variants", "id").items():
        orphaned = wordings[number][2] not in after
        assert pages & hit or orphaned or kept_wordings.get(number) == wordings[number]
    gone = (before.keys() - after.keys(), events.keys() - kept_events.keys())
    assert report.lost_rows >= sum(map(len, gone))
    with Store.open(tmp_path / "m") as store:
        assert store.verify(analyse=fts_terms).ok


def test_a_page_of_garbage_costs_no_row_of_its_neighbours(sound, tmp_path, clock):
    """A garbage rowid in one page once hid every row behind it, and none was counted."""
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    database = folder / "memory.db"
    content = bytearray(database.read_bytes())
    needed = pages_by_row(database, "traces", "id")
    (page,) = needed[30] if len(needed[30]) == 1 else {min(needed[30])}
    content[(page - 1) * PAGE + 100 : (page - 1) * PAGE + 612] = bytes(range(256)) * 2
    database.write_bytes(content)

    report = repair(folder, clock=clock, analyse=fts_terms)

    on_the_page = {number for number, pages in needed.items() if page in pages}
    after = rows_of(database, "traces", "id, text")
    assert set(report.lost_traces) == needed.keys() - after.keys()
    assert set(report.lost_traces) <= on_the_page
    assert report.lost_rows >= len(report.lost_traces)


@pytest.mark.parametrize(("start", "end"), [(600, PAGE), (100, PAGE), (0, 100), (0, PAGE)])
def test_a_damaged_first_page_costs_no_memory(sound, tmp_path, start, end):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    database = folder / "memory.db"
    before = rows_of(database, "traces", "id, text")
    content = bytearray(database.read_bytes())
    content[start:end] = random.Random(5).randbytes(end - start)
    database.write_bytes(content)

    report = repair(folder, clock=FakeClock(), analyse=fts_terms)

    assert rows_of(database, "traces", "id, text") == before
    assert report.lost_traces == ()
    assert report.kept.read_bytes() == bytes(content)


def test_the_number_of_a_lost_memory_is_not_given_again(sound, tmp_path, clock):
    folder = tmp_path / "m"
    shutil.copytree(sound, folder)
    database = folder / "memory.db"
    content = bytearray(database.read_bytes())
    for page in pages_by_row(database, "traces", "id")[COUNT]:
        content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    database.write_bytes(content)

    report = repair(folder, clock=clock, analyse=fts_terms)

    assert COUNT in report.lost_traces
    with Store.open(folder, clock=clock) as store, store.write() as tx:
        assert tx.traces.insert(NewTrace(text="new", terms="new", scope="s")) == COUNT + 1
