"""Our own format: everything comes back, byte for byte, and two memories merge in any order."""

from __future__ import annotations

import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from realmemory import FakeClock, Hippocampus
from realmemory.errors import InvalidInputError, StoreFullError, StoreRefusedError
from realmemory.interop.native_export import export_lines
from realmemory.interop.native_import import import_lines
from realmemory.interop.outcome import ImportReport, Rejects
from realmemory.interop.transfer import export_file, import_file
from safety.corpus import ATTACKS, SECRETS


@pytest.fixture
def memory(tmp_path):
    with Hippocampus.open(tmp_path / "source") as opened:
        fill(opened)
        yield opened


def fill(memory):
    for n in range(40):
        memory.remember(f"Item {n} of the catalogue weighs {n * 37} grams", scope=f"p{n % 3}")
    memory.remember(
        "Schlüssel liegt bei Зоя, 東京 👩‍👩‍👧\r\nsecond line", tags=["a", "b"], meta={"x": [1, {}]}
    )
    memory.remember("Ann's address is ann.lee@example.org", when=1.6e9, importance=0.25)
    memory.remember("The gateway times out after thirty seconds")
    memory.remember("The gateway times out after thirty seconds!")
    memory.remember(ATTACKS["plain"], origin="tool")
    memory.store_conversation(
        [{"text": "I adopted a cat", "speaker": "Ann"}, {"text": "Its name?", "speaker": "Ben"}],
        session_id="s1",
        observed_at=1.65e9,
    )
    memory.update_fact(1, "Item 0 of the catalogue weighs 12 grams")
    memory.link_memories([2, 3, 4])
    memory.feedback([5], 1.0)
    memory.pin([6])
    memory.forget([7])
    memory.forget([8], hard=True)
    memory.consolidate()


def exported(memory, *, vectors=False):
    return "".join(line + "\n" for line in export_lines(memory.context, vectors=vectors))


def imported(memory, text, tmp_path, *, dry_run=False, scope=None):
    report = ImportReport(dry_run=dry_run)
    with Rejects(tmp_path / "file.jsonl", report) as rejects:
        import_lines(memory.context, io.BytesIO(text.encode()), report, rejects, scope=scope)
    return report


@pytest.mark.parametrize("vectors", [False, True])
def test_an_export_of_an_imported_export_is_the_same_bytes(memory, tmp_path, vectors):
    first = exported(memory, vectors=vectors)
    with Hippocampus.open(tmp_path / "target") as target:
        report = imported(target, first, tmp_path)
        assert exported(target, vectors=vectors) == first
        assert report.rejected == 0
        assert report.imported == report.read == first.count("\n") - 1
        for query in ("Ann's address", "gateway time out", "adopted a cat", "東京"):
            asked = {"k": 3, "all_scopes": True}
            found = [item.text for item in target.recall(query, **asked).items]
            assert found == [item.text for item in memory.recall(query, **asked).items]


def test_a_second_import_brings_nothing(memory, tmp_path):
    text = exported(memory)
    with Hippocampus.open(tmp_path / "target") as target:
        imported(target, text, tmp_path)
        again = imported(target, text, tmp_path)
        assert (again.imported, again.updated) == (0, 0)
        assert again.known == again.read
        assert exported(target) == text
    assert imported(memory, text, tmp_path).imported == 0


def test_a_dry_run_changes_nothing_and_tells_the_same(memory, tmp_path):
    text = exported(memory)
    with Hippocampus.open(tmp_path / "target") as target:
        report = imported(target, text, tmp_path, dry_run=True)
        assert report.imported == report.read
        assert target.stats()["rev"] == 0
        assert target.list(all_scopes=True) == []
        assert replace(imported(target, text, tmp_path), dry_run=True) == report
        # Of what has changed on both sides as well.
        target.forget([2], hard=True)
        memory.feedback([5], 1.0)
        memory.forget([9], hard=True)
        memory.link_memories([10, 11])
        newer = exported(memory)
        told = imported(target, newer, tmp_path, dry_run=True)
        assert told.updated > 0
        assert told.skipped["deleted_here"] == 1
        assert replace(imported(target, newer, tmp_path), dry_run=True) == told


def test_a_scope_may_be_given_for_everything(memory, tmp_path):
    text = exported(memory)
    with Hippocampus.open(tmp_path / "target") as target:
        imported(target, text, tmp_path, scope="moved")
        traces = target.list(all_scopes=True, status=None, limit=100)
        assert {trace.scope for trace in traces} == {"moved"}
        again = imported(target, text, tmp_path, scope="elsewhere")
        assert (again.imported, again.updated) == (0, 0)


def normalised(memory):
    return sorted(exported(memory).splitlines())


def test_two_memories_merge_in_any_order_with_one_result(tmp_path):
    clock = FakeClock(1.8e9)
    with Hippocampus.open(tmp_path / "start", clock=clock) as start:
        for n in range(12):
            start.remember(f"Shared fact {n} about valve {n * 13}")
        base = exported(start)
    sides = []
    for name in ("left", "right"):
        with Hippocampus.open(tmp_path / name, clock=clock) as side:
            imported(side, base, tmp_path)
            clock.advance(60)
            side.remember(f"Only {name} knows this about the {name} pump")
            side.feedback([1, 2], 1.0)
            if name == "left":
                side.forget([3], hard=True)
                side.update_fact(4, "Shared fact 3 was changed on the left")
            else:
                side.feedback([3], 1.0)
                side.pin([5])
            sides.append(exported(side))
    results = []
    for number, order in enumerate((sides, sides[::-1])):
        with Hippocampus.open(tmp_path / f"merged{number}", clock=clock) as merged:
            for text in (*order, *order):
                imported(merged, text, tmp_path)
            results.append(normalised(merged))
            texts = [trace.text for trace in merged.list(limit=100)]
            assert "Shared fact 2 about valve 26" not in texts
    assert results[0] == results[1]


def test_another_text_under_a_known_uid_is_rejected_and_told(memory, tmp_path):
    memory.remember("The boiler is in room nine")
    text = exported(memory)
    changed = text.replace("The boiler is in room nine", "The boiler is in room five")
    assert changed != text
    for dry_run in (True, False):
        report = imported(memory, changed, tmp_path, dry_run=dry_run)
        assert (report.rejected, report.updated, report.imported) == (1, 0, 0)
    (row,) = map(json.loads, Path(report.rejected_file).read_text().splitlines())
    assert row["code"] == "text_differs"
    assert exported(memory) == text


BROKEN = [
    ("not json", "invalid_json"),
    ('{"type": "memory", "type": "link"}', "duplicate_key"),
    ('{"type": "memory", "importance": NaN}', "invalid_number"),
    ('["list"]', "invalid_row"),
    ('{"type": "other"}', "invalid_row"),
    ('{"type": "memory", "uid": "x"}', "invalid_row"),
    ("[" * 100_000, "too_deep"),
    ('{"type": "tombstone", "uid": "x", "deleted_at": "soon"}', "invalid_timestamp"),
    (
        '{"type": "link", "src": "a", "dst": "b", "link": "friend", "weight": 1, "updated_at": 1}',
        "invalid_row",
    ),
]


def test_bad_lines_are_named_and_the_good_ones_kept(memory, tmp_path):
    good = exported(memory).splitlines()
    mixed = [*good[:3], *(line for line, _ in BROKEN), *good[3:]]
    with Hippocampus.open(tmp_path / "target") as target:
        report = imported(target, "\n".join(mixed), tmp_path)
        assert exported(target).splitlines() == good
    assert report.rejected == len(BROKEN)
    rejected = (tmp_path / "file.jsonl.rejected.jsonl").read_text(encoding="utf-8").splitlines()
    told = sorted((row["line"], row["code"]) for row in map(json.loads, rejected))
    assert told == [(4 + place, code) for place, (_, code) in enumerate(BROKEN)]


def test_a_rejected_row_is_written_privately_and_without_its_secret(memory, tmp_path):
    row = {"type": "memory", "text": SECRETS["stripe"]}
    with Hippocampus.open(tmp_path / "target") as target:
        head = exported(memory).splitlines()[0]
        imported(target, f"{head}\n{json.dumps(row)}", tmp_path)
    file = tmp_path / "file.jsonl.rejected.jsonl"
    assert SECRETS["stripe"] not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0


def test_a_doctored_export_is_screened_again(memory, tmp_path):
    head, *rows = exported(memory).splitlines()
    row = json.loads(next(line for line in rows if '"type":"memory"' in line))
    secret = {**row, "uid": "one", "text": f"the key is {SECRETS['npm']}"}
    planted = {**row, "uid": "two", "text": ATTACKS["exfiltrate"], "origin": "agent"}
    with Hippocampus.open(tmp_path / "target") as target:
        report = imported(
            target, "\n".join([head, json.dumps(secret), json.dumps(planted)]), tmp_path
        )
        assert report.imported == 2
        assert report.quarantined == 1
        assert SECRETS["npm"] not in exported(target)
        (held,) = target.list(all_scopes=True, status="quarantined")
        assert held.text == ATTACKS["exfiltrate"]


def test_no_secret_comes_in_beside_a_text(memory, tmp_path):
    head, *rows = exported(memory).splitlines()
    row = next(row for row in map(json.loads, rows) if row.get("variants"))
    key = SECRETS["npm"]
    said = {"author": f"Ann {key}", "session_id": key, "meta": {"note": key}}
    row |= {"uid": "one", "role": key, **said}
    row["variants"] = [{**wording, **said} for wording in row["variants"]]
    with Hippocampus.open(tmp_path / "target") as target:
        assert imported(target, f"{head}\n{json.dumps(row)}", tmp_path).imported == 1
        assert key not in exported(target)
        assert "Ann [secret:" in exported(target)


@pytest.mark.parametrize(
    ("head", "error"),
    [
        ("", InvalidInputError),
        ('{"type": "memory"}', InvalidInputError),
        ('{"format": "realmemory", "version": 2}', StoreRefusedError),
    ],
)
def test_a_file_without_our_header_is_refused(tmp_path, head, error):
    with Hippocampus.open(tmp_path / "target") as target, pytest.raises(error):
        imported(target, head, tmp_path)


def test_an_export_file_is_private_and_whole(memory, tmp_path):
    target = tmp_path / "out.jsonl"
    count = export_file(memory, target)
    assert len(target.read_text(encoding="utf-8").splitlines()) == count
    assert target.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.glob(".*tmp*")] == []
    with Hippocampus.open(tmp_path / "target") as other:
        assert import_file(other, target).format == "realmemory"


def test_an_export_onto_a_link_writes_the_file_that_it_leads_to(memory, tmp_path):
    kept = tmp_path / "kept.jsonl"
    kept.write_text("an older export")
    (tmp_path / "latest.jsonl").symlink_to(kept)
    export_file(memory, tmp_path / "latest.jsonl")
    assert (tmp_path / "latest.jsonl").is_symlink()
    assert kept.read_text().splitlines() == list(export_lines(memory.context))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_an_export_into_a_pipe_reaches_its_reader_and_leaves_the_pipe(memory, tmp_path):
    """A file was put in its place, as in that of a device, and the reader waited for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        count = export_file(memory, pipe)
        lines = read.result(timeout=60).splitlines()
    assert lines == list(export_lines(memory.context))
    assert (count, pipe.is_fifo()) == (len(lines), True)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="the system has no such device")
def test_an_export_to_a_full_device_says_so_and_leaves_the_device(memory, tmp_path):
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(StoreFullError):
        export_file(memory, tmp_path / "full")
    assert Path("/dev/full").is_char_device()
