"""Other systems' files, in fixtures of our own: dates and scopes kept, each memory once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from interop.files import INSTRUCTIONS, NOTE, by_text, written
from realmemory import Hippocampus
from realmemory.errors import InvalidInputError, StoreRefusedError
from realmemory.instants import parse_instant
from realmemory.interop.transfer import FORMATS, detect, export_pages, import_file
from safety.corpus import ATTACKS, SECRETS

MEM0 = {
    "results": [
        {
            "id": "a1",
            "memory": "Prefers window seats on trains",
            "user_id": "ann",
            "agent_id": "travel",
            "created_at": "2025-03-01T10:00:00-08:00",
            "categories": ["travel"],
            "metadata": {"confirmed": True},
        },
        {"id": "a2", "memory": "Allergic to peanuts", "user_id": "ben", "created_at": None},
        {"id": "a3", "memory": "ok", "user_id": "ben"},
        {"id": "a4", "memory": "Prefers window seats on trains", "user_id": "ann"},
        {"id": "a5"},
    ]
}
MCP = """\
{"type": "entity", "name": "Kestrel", "entityType": "project", "observations": ["uses Rust", "ships on Tuesdays"]}
{"type": "relation", "from": "Ann", "to": "Kestrel", "relationType": "works_on"}
{"type": "unheard of"}
not json
"""
TRW = [
    {
        "id": "M-1",
        "content": "Run migrations before the deploy",
        "detail": "otherwise the workers crash",
        "tags": ["deploy"],
        "importance": 0.8,
        "namespace": "project:shop",
        "created_at": "2026-01-05T08:00:00Z",
        "status": "active",
        "vector_clock": {},
        "metadata": {"phase": "ship"},
    },
    {"id": "M-2", "content": 7, "namespace": "project:shop"},
]
CLAUDE_MEM = {
    "observations": [
        {
            "id": 1,
            "memory_session_id": "s",
            "project": "shop",
            "type": "bugfix",
            "title": "Fixed the cart total",
            "narrative": "Rounding happened per line instead of per order.",
            "facts": '["Totals are rounded once"]',
            "created_at_epoch": 1_760_000_000_000,
        }
    ],
    "summaries": [{"project": "shop", "request": "fix totals", "learned": "round once"}],
}
CHATGPT = [
    {
        "conversation_id": "c1",
        "title": "Cats",
        "create_time": 1_700_000_000.5,
        "current_node": "n3",
        "mapping": {
            "n0": {"id": "n0", "parent": None, "children": ["n1"], "message": None},
            "n1": {
                "parent": "n0",
                "children": ["n2", "nx"],
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_700_000_001.0,
                    "content": {"content_type": "text", "parts": ["What do cats eat?"]},
                },
            },
            "nx": {
                "parent": "n1",
                "children": [],
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["discarded"]}},
            },
            "n2": {
                "parent": "n1",
                "children": ["n3"],
                "message": {"author": {"role": "system"}, "content": {"parts": ["hidden"]}},
            },
            "n3": {
                "parent": "n2",
                "children": [],
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"parts": ["Mostly meat, little grain.", {"image": 1}]},
                },
            },
        },
    },
    {"title": "broken"},
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Tea",
        "created_at": "2026-02-01T09:00:00Z",
        "chat_messages": [
            {
                "sender": "human",
                "text": "I only drink oolong",
                "created_at": "2026-02-01T09:00:01Z",
            },
            {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "Noted."}]},
        ],
    }
]
CLAUDE_MEMORIES = [
    {
        "conversations_memory": "# Work\n- Leads the payments team\n- Writes Go and Python\n",
        "project_memories": {"p": "The garden project uses drip irrigation"},
    }
]
FILES = {
    "mem0": ("mem0.json", MEM0, 2, 1),
    "mcp": ("memory.jsonl", MCP, 3, 2),
    "trw": ("entries.json", TRW, 1, 1),
    "claude-mem": ("export.json", CLAUDE_MEM, 2, 0),
    "chatgpt": ("conversations.json", CHATGPT, 1, 1),
    "claude": ("conversations.json", CLAUDE, 1, 0),
    "instructions": ("CLAUDE.md", INSTRUCTIONS, 4, 0),
    "notes": ("notes/search.md", NOTE, 3, 0),
}


def claude_mem_database(path):
    """Make a database as claude-mem has it, with a row that cannot be read."""
    connection = apsw.Connection(str(path))
    connection.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT,"
        " text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,"
        " created_at TEXT, created_at_epoch INTEGER)"
    )
    connection.execute(
        "CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT UNIQUE,"
        " project TEXT, request TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT,"
        " created_at TEXT, created_at_epoch INTEGER)"
    )
    rows = [{**CLAUDE_MEM["observations"][0]}, {"id": 2, "project": "shop", "facts": "[broken"}]
    for table, found in (("observations", rows), ("session_summaries", CLAUDE_MEM["summaries"])):
        for row in found:
            places = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values())
            )
    connection.close()
    return path


def test_the_database_of_claude_mem_is_read_once_and_left_as_it_is(memory, tmp_path):
    path = claude_mem_database(tmp_path / "claude-mem.db")
    before = path.read_bytes()
    assert detect(path) == "claude-mem-db"
    dry = import_file(memory, path, dry_run=True)
    assert (dry.imported, dry.rejected) == (2, 1)
    assert memory.list(all_scopes=True) == []
    first = import_file(memory, path)
    assert (first.format, first.imported, first.rejected) == ("claude-mem-db", 2, 1)
    fixed = by_text(memory, "Fixed the cart total")
    assert fixed.observed_at == 1_760_000_000.0
    assert (fixed.scope, fixed.tags, fixed.origin) == ("shop", ("bugfix",), "import")
    assert fixed.text.endswith("Totals are rounded once")
    assert by_text(memory, "Asked: fix totals").tags == ("summary",)
    second = import_file(memory, path)
    assert (second.imported, second.updated) == (0, 0)
    # The export of the same memory says nothing new either.
    assert import_file(memory, written(tmp_path, "export.json", CLAUDE_MEM)).imported == 0
    assert path.read_bytes() == before


def test_the_database_of_a_stranger_is_refused(memory, tmp_path):
    connection = apsw.Connection(str(tmp_path / "other.db"))
    connection.execute("CREATE TABLE notes (id INTEGER)")
    connection.close()
    with pytest.raises(StoreRefusedError) as caught:
        import_file(memory, tmp_path / "other.db")
    assert caught.value.code == "foreign_db"


def test_every_foreign_format_has_a_fixture():
    assert set(FILES) | {"claude-mem-db"} == set(FORMATS) - {"realmemory", "realmemory-0.9"}


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_recognised_imported_once_and_rejects_are_counted(memory, tmp_path, name):
    file, content, imported, rejected = FILES[name]
    path = written(tmp_path, file, content)
    source = path.parent if name == "notes" else path
    assert detect(source) == name

    dry = import_file(memory, source, dry_run=True)
    assert (dry.imported, dry.rejected) == (imported, rejected)
    assert memory.list(all_scopes=True) == []

    first = import_file(memory, source)
    assert (first.format, first.imported, first.rejected) == (name, imported, rejected)
    assert all(
        trace.origin == "import" or trace.kind == "turn" for trace in memory.list(all_scopes=True)
    )
    before = memory.stats()["rev"]

    second = import_file(memory, source)
    assert (second.imported, second.updated) == (0, 0)
    assert memory.stats()["rev"] == before
    assert first.rejected_file is None or first.rejected_file.endswith(".rejected.jsonl")


def test_a_users_memories_stay_apart_with_their_dates(memory, tmp_path):
    report = import_file(memory, written(tmp_path, "m.json", MEM0))

    seat = by_text(memory, "Prefers window")
    assert seat.scope == "user:ann"
    assert seat.observed_at == parse_instant("2025-03-01T18:00:00Z")
    assert seat.tags == ("travel",)
    assert seat.meta["mem0"] == {"id": "a1", "user_id": "ann", "agent_id": "travel"}
    assert report.skipped == {"no_content": 1}
    assert report.known == 1
    assert memory.recall("peanuts", scope="user:ann").items == ()
    assert len(memory.recall("allergic to peanuts", scope="user:ben").items) == 1


def test_what_is_told_of_several_days_keeps_each_day(memory, tmp_path):
    days = ("2025-03-01T10:00:00Z", "2025-03-08T09:00:00Z", "2025-03-01T11:00:00Z", None)
    rows = [{"memory": "Ran ten kilometres along the canal", "created_at": day} for day in days]
    path = written(tmp_path, "mem0.json", rows)
    first = import_file(memory, path)
    assert (first.imported, first.known) == (2, 2)
    told = [trace.observed_at for trace in memory.list()]
    assert sorted(told) == [parse_instant(day) for day in days[:2]]
    again = import_file(memory, path)
    assert (again.imported, again.known) == (0, 4)
    packet = memory.recall("When did I run along the canal?")
    assert {item.observed_at for item in packet.items} == set(told)

    pages = export_pages(memory, tmp_path / "pages")
    with Hippocampus.open(tmp_path / "other") as other:
        for page in pages:
            import_file(other, page, format="notes")
        assert sorted(trace.observed_at for trace in other.list()) == sorted(told)


def test_a_scope_may_be_given_for_everything(memory, tmp_path):
    import_file(memory, written(tmp_path, "m.json", MEM0), scope="moved")
    assert {trace.scope for trace in memory.list(all_scopes=True)} == {"moved"}


def test_one_record_alone_is_a_file_and_a_reason_is_given_in_words(memory, tmp_path):
    single = import_file(memory, written(tmp_path, "one.json", {"memory": "Ann plays the cello"}))
    assert (single.format, single.imported) == ("mem0", 1)
    broken = import_file(
        memory, written(tmp_path, "m.json", {"results": [{"id": 5}]}), format="mem0"
    )
    row = json.loads(Path(broken.rejected_file).read_text(encoding="utf-8"))
    assert row["message"] == "there is no text under memory, content or text"
    other = import_file(memory, written(tmp_path, "t.json", [{"id": 5}]), format="trw")
    row = json.loads(Path(other.rejected_file).read_text(encoding="utf-8"))
    assert row["message"] == "the field 'content' is missing"


def test_a_chat_is_kept_as_it_was_said(memory, tmp_path):
    import_file(memory, written(tmp_path, "c.json", CHATGPT))

    turns = memory.list(all_scopes=True, kind="turn")
    assert [turn.text for turn in reversed(turns)] == [
        "What do cats eat?",
        "Mostly meat, little grain.",
    ]
    assert turns[-1].observed_at == 1_700_000_001.0
    assert turns[-1].session_id == "chatgpt:c1"
    assert turns[0].speaker == "assistant"


def test_the_memories_of_claude_are_facts(memory, tmp_path):
    import_file(memory, written(tmp_path, "memories.json", CLAUDE_MEMORIES))
    assert {trace.text for trace in memory.list()} == {
        *("Leads the payments team", "Writes Go and Python"),
        "The garden project uses drip irrigation",
    }


def test_entries_keep_namespace_importance_and_detail(memory, tmp_path):
    import_file(memory, written(tmp_path, "t.json", TRW))
    trace = by_text(memory, "Run migrations")
    assert trace.text.endswith("\notherwise the workers crash")
    assert (trace.scope, trace.importance, trace.tags) == ("shop", 0.8, ("deploy",))


def test_imported_secrets_are_masked_and_orders_held_back(memory, tmp_path):
    rows = [
        {"memory": f"token {SECRETS['pypi']}", "user_id": "ann"},
        {"memory": ATTACKS["german"], "user_id": "ann"},
    ]
    report = import_file(memory, written(tmp_path, "m.json", rows))
    assert report.quarantined == 1
    assert by_text(memory, "token").text == "token [secret:pypi_token]"
    assert import_file(memory, written(tmp_path, "m.json", rows)).known == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.json", "{}"), ("x.json", "[1, 2]"), ("x.json", ""), ("x.txt", "hello"), ("x.json", '"a"')],
)
def test_an_unknown_file_is_refused_by_name(memory, tmp_path, name, content):
    with pytest.raises(InvalidInputError) as caught:
        import_file(memory, written(tmp_path, name, content))
    assert caught.value.code == "unknown_format"


@pytest.mark.parametrize("content", ['[{"mapping": {}}', '[{"mapping": {}}, {"a"', "{", "[[["])
def test_a_chat_export_that_breaks_off_says_so(memory, tmp_path, content):
    path = written(tmp_path, "c.json", content)
    with pytest.raises(InvalidInputError) as caught:
        import_file(memory, path, format="chatgpt")
    assert caught.value.code == "invalid_json"


BIG = """
import json, sys
path, count = sys.argv[1], int(sys.argv[2])
words = "lorem ipsum dolor sit amet consectetur ".split(" ")
with open(path, "w") as file:
    file.write("[")
    for n in range(count):
        body = " ".join(words[(n + i) % 6] for i in range(40_000))
        node = {"parent": None, "children": [], "message": {"author": {"role": "tool"},
                "content": {"parts": [body]}}}
        row = {"conversation_id": str(n), "current_node": "a", "mapping": {"a": node}}
        file.write(("," if n else "") + json.dumps(row))
    file.write("]")
"""
# On Linux a child's ru_maxrss starts from what the parent had when it forked; VmHWM does not.
READ = """
import resource, sys
from pathlib import Path
def peak():
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from realmemory.interop.chats import read_chatgpt
count = 0
with Path(sys.argv[1]).open("rb") as stream:
    for record in read_chatgpt(stream):
        count += 1
print(count, peak())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from getrusage")
def test_a_large_chat_export_is_streamed(tmp_path):
    path = tmp_path / "conversations.json"
    subprocess.run([sys.executable, "-c", BIG, str(path), "160"], check=True)
    assert path.stat().st_size > 30 * 2**20
    run = subprocess.run(
        [sys.executable, "-c", READ, str(path)], check=True, capture_output=True, text=True
    )
    count, peak = map(int, run.stdout.split())
    scale = 1024 if sys.platform == "linux" else 1
    assert count == 160
    assert peak * scale < 150 * 2**20
