"""Notes, instructions and pages in Markdown: headings, tasks and links kept, each statement once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from interop.files import INSTRUCTIONS, NOTE, by_text, written
from realmemory import Hippocampus
from realmemory.interop.transfer import export_pages, import_file


def test_markdown_is_read_by_statement_with_its_heading(memory, tmp_path):
    import_file(memory, written(tmp_path, "AGENTS.md", INSTRUCTIONS))
    step = by_text(memory, "Project > Testing: Run `make check`")
    assert step.text.endswith("Run `make check` before every commit\nand read its output")
    assert step.meta["heading"] == "Testing"
    assert by_text(memory, "Project > Testing:\n```sh").text.endswith("pnpm test\n```")

    import_file(memory, written(tmp_path, "vault/search.md", NOTE).parent)
    rank = by_text(memory, "Search: Rank by bm25")
    assert set(rank.tags) == {"engine", "bm25", "decision", "ranking"}
    assert by_text(memory, "Search: relates_to").text == "Search: relates_to Indexing"


CONTACTS = """\
# Contacts
## Plumber
Herr Rohr, 030 998877
# Борщ
Свёкла, капуста, варить 2 часа.
- [ ] buy milk
- [x] pay rent

[[2026-11-03 Meeting|the meeting]]: use Rust

---
"""


def test_headings_tasks_and_links_of_a_note_are_found_and_shown(memory, tmp_path):
    path = written(tmp_path, "n.md", CONTACTS)
    first = import_file(memory, path, format="notes")
    assert (first.imported, first.skipped) == (5, {"no_content": 1})
    assert {trace.text for trace in memory.list()} == {
        "Contacts > Plumber: Herr Rohr, 030 998877",
        "Борщ: Свёкла, капуста, варить 2 часа.",
        "Борщ: [ ] buy milk",
        "Борщ: [x] pay rent",
        "Борщ: the meeting (2026-11-03 Meeting): use Rust",
    }
    assert memory.recall("who is our plumber?").items[0].text.endswith("030 998877")
    assert any("капуста" in item.text for item in memory.recall("борщ").items)
    assert by_text(memory, "Борщ: [x]").meta["done"] is True
    again = import_file(memory, path, format="notes")
    assert (again.imported, again.known) == (0, 5)


def test_a_task_that_was_done_meanwhile_replaces_the_open_one(memory, tmp_path):
    def imported(*lines, name="todo.md", dry_run=False):
        path = written(tmp_path, name, "# Tasks\n" + "\n".join(lines) + "\n")
        report = import_file(memory, path, format="notes", dry_run=dry_run)
        return report.imported, report.updated, report.known

    def held():
        return sorted(trace.text for trace in memory.list())

    assert imported("- [ ] call [[Bob]]", "- [x] pay rent") == (2, 0, 0)
    done = ("- [x] call [[Bob]] ✅ 2026-05-01", "- [x] pay rent")
    assert imported(*done, dry_run=True) == (0, 1, 1)
    assert imported(*done) == (0, 1, 1)
    assert held() == ["Tasks: [x] call Bob ✅ 2026-05-01", "Tasks: [x] pay rent"]
    assert imported(*done) == (0, 0, 2)
    (call,) = (trace for trace in memory.list() if "Bob" in trace.text)
    assert call.meta["done"] is True
    assert memory.history(call.id)[0].text == "Tasks: [ ] call Bob"

    # What is taken up again is open again, also under the very words of before.
    assert imported(*done[:1], "- [ ] pay rent") == (0, 1, 1)
    assert imported(*done[:1], "- [X] pay rent") == (0, 1, 1)
    assert imported(*done[:1], "- [ ] pay rent") == (0, 1, 1)
    assert imported(*done[:1], "- [ ] pay rent") == (0, 0, 2)
    assert held() == ["Tasks: [ ] pay rent", "Tasks: [x] call Bob ✅ 2026-05-01"]


def test_tasks_of_other_places_and_tasks_that_return_stand_by_themselves(memory, tmp_path):
    lists = [
        ("a.md", "# Work\n- [ ] call Bob\n"),
        ("b.md", "# Work\n- [x] call Bob\n"),
        ("a.md", "# Home\n- [x] call Bob\n"),
        ("c.md", "# Water the plants\n- [x] water them\n- [ ] water them\n"),
    ]
    for _ in range(2):
        for name, text in lists:
            assert import_file(memory, written(tmp_path, name, text), format="notes").updated == 0
    assert len(memory.list()) == 5


def test_a_note_without_a_heading_is_known_by_its_title(memory, tmp_path):
    folder = written(
        tmp_path, "vault/Plumber.md", "Herr Rohr, 030 998877\n\n## Hours\nfrom nine"
    ).parent
    written(tmp_path, "vault/x.md", "---\ntitle: Dentist\n---\nDr. Zahn\n")
    import_file(memory, folder)
    assert {trace.text for trace in memory.list()} == {
        "Plumber: Herr Rohr, 030 998877",
        "Plumber > Hours: from nine",
        "Dentist: Dr. Zahn",
    }


def test_a_statement_that_an_earlier_version_imported_bare_is_known(memory, tmp_path):
    memory.remember(
        "Herr Rohr, 030 998877",
        kind="semantic",
        origin="import",
        meta={"file": "n.md", "heading": "Plumber"},
    )
    report = import_file(memory, written(tmp_path, "n.md", CONTACTS), format="notes")
    assert (report.imported, report.known) == (4, 1)


def test_pages_for_people_hold_every_live_memory(memory, tmp_path):
    memory.remember("The shop sells tea\nand cups", scope="shop", tags=["range"])
    memory.remember("Everyone likes tea", kind="semantic")
    pages = export_pages(memory, tmp_path / "pages")
    texts = [page.read_text(encoding="utf-8") for page in pages]
    assert len(pages) == 2
    assert any("- The shop sells tea #range" in text and "\n  and cups" in text for text in texts)
    assert all(text.startswith("---\nscope: ") for text in texts)


def test_pages_come_back_with_scope_time_kind_and_tags(memory, tmp_path):
    memory.remember(
        "The shop sells tea #green\n\n- and cups", scope="shop", tags=["range", "x"], when=1.6e9
    )
    memory.remember("Everyone likes tea", kind="semantic")
    export_pages(memory, tmp_path / "pages")
    with Hippocampus.open(tmp_path / "other") as other:
        assert import_file(other, tmp_path / "pages").imported == 2
        kept = [
            [
                (t.text, t.scope, t.kind, t.tags, int(t.observed_at))
                for t in here.list(all_scopes=True)
            ]
            for here in (other, memory)
        ]
        assert sorted(kept[0]) == sorted(kept[1])
    assert import_file(memory, tmp_path / "pages").imported == 0


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("name", "head", "when"),
    [
        ("2025-03-14-standup.md", "", "2025-03-14"),
        ("2025-03-14.md", "", "2025-03-14"),
        ("2025_03_14.md", "", "2025-03-14"),
        ("Standup of 2025-03-14.md", "", "2025-03-14"),
        ("standup.md", "date: 2025-03-14", "2025-03-14"),
        ("standup.md", "created: '2025-03-14T09:30'", "2025-03-14T09:30"),
        ("standup.md", "created: 2024-01-01\ndate: [[2025-03-14]]", "2025-03-14"),
        ("2020-01-01.md", "date: 2025-03-14 09:30", "2025-03-14T09:30"),
    ],
)
def test_a_note_is_of_the_time_that_it_says(memory, tmp_path, name, head, when):
    front = f"---\n{head}\n---\n" if head else ""
    path = written(tmp_path, f"vault/{name}", f"{front}# Standup\n- Ann takes over the cache\n")
    assert import_file(memory, path.parent).warnings == []
    assert by_text(memory, "Standup: Ann takes over").observed_at == day(when)


@pytest.mark.parametrize(
    ("name", "head", "unread"),
    [
        ("standup.md", "date: {{date}}", ["{{date}}"]),
        ("standup.md", "date: soon\ncreated: 2025-02-30", ["soon", "2025-02-30"]),
        ("2025-13-01.md", "", ["2025-13-01"]),
        ("2025-03-14 to 2025-03-20.md", "date:", []),
    ],
)
def test_what_is_no_date_is_passed_over_and_told(memory, tmp_path, name, head, unread):
    text = f"---\n{head}\n---\n# Standup\n- Ann takes over the cache\n"
    report = import_file(memory, written(tmp_path, f"vault/{name}", text).parent)
    assert (report.imported, report.rejected) == (1, 0)
    assert len(report.warnings) == len(unread)
    assert all(told in line for told, line in zip(unread, report.warnings, strict=True))
    trace = by_text(memory, "Standup: Ann takes over")
    assert trace.created_at - trace.observed_at < 60.0


def test_the_name_dates_a_note_whose_front_matter_does_not(memory, tmp_path):
    path = written(tmp_path, "2025-03-14.md", "---\ndate: soon\n---\nAnn takes over the cache\n")
    (warning,) = import_file(memory, path, format="notes").warnings
    assert "'soon'" in warning
    assert by_text(memory, "2025-03-14: Ann").observed_at == day("2025-03-14")


def test_what_is_told_every_day_is_of_each_and_comes_in_once(memory, tmp_path):
    for name in ("2025-03-14.md", "2025-03-15.md"):
        written(tmp_path, f"vault/{name}", "# Log\n- Watered the plants\n- [ ] call Bob\n")
    assert import_file(memory, tmp_path / "vault").imported == 4
    again = import_file(memory, tmp_path / "vault")
    assert (again.imported, again.updated, again.known) == (0, 0, 4)
    plants = [trace for trace in memory.list() if "plants" in trace.text]
    assert {trace.observed_at for trace in plants} == {day("2025-03-14"), day("2025-03-15")}


def test_a_note_that_came_in_undated_comes_in_no_second_time(memory, tmp_path):
    path = written(tmp_path, "vault/standup.md", "# Standup\n- Ann takes over the cache\n")
    import_file(memory, path.parent)
    path.write_text("---\ndate: 2025-03-14\n---\n" + path.read_text(encoding="utf-8"))
    report = import_file(memory, path.parent)
    assert (report.imported, report.known) == (0, 1)
