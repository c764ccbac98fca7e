"""Bad inputs that come as documents, files, folders, variables and helpers, by their number.

What hosts send to hooks (B63) and to the MCP server (B64), and raw HTTP, is tested beside those
servers; here every kind of document meets its reader.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from codecs import BOM_UTF8
from pathlib import Path

import numpy as np
import pytest

from api.daemons import daemon, exchange, request, status_of
from realmemory import Hippocampus
from realmemory.agents.project import detect_project
from realmemory.agents.registry import ProjectRegistry
from realmemory.cli import exits
from realmemory.cli.root import run
from realmemory.encoding.static import StaticEmbedder
from realmemory.errors import (
    EmbeddingError,
    InvalidInputError,
)
from realmemory.interop.transfer import export_file
from realmemory.scopes import scope_key
from realmemory.strict_json import parse

SURROGATE = '{"text": "\\ud800"}'
DOCUMENTS = {
    "B50 duplicate key": (b'{"scope":"a","scope":"b"}', "duplicate_key"),
    "B50 duplicate key below": (b'{"x":{"a":1,"a":1}}', "duplicate_key"),
    "B51 nesting": (b"[" * 100_000, "too_deep"),
    "B51 nested objects": (b'{"a":' * 100_000, "too_deep"),
    "B52 NaN": (b'{"a":NaN}', "invalid_number"),
    "B52 Infinity": (b'{"a":-Infinity}', "invalid_number"),
    "B52 beyond a double": (b'{"a":1e999}', "invalid_number"),
    "B53 five thousand digits": (b'{"a":' + b"9" * 5_000 + b"}", "invalid_number"),
    "B53 beyond 64 bits": (b'{"a":18446744073709551616}', "invalid_number"),
    "B54 rest": (b"{} x", "invalid_json"),
    "B54 two documents": (b"{}{}", "invalid_json"),
    "B54 byte order mark": (BOM_UTF8 + b"{}", "invalid_json"),
    "B54 comment": (b"{} // x", "invalid_json"),
    "B54 quotes": (b"{'a':1}", "invalid_json"),
    "B54 UTF-16": ("{}".encode("utf-16"), "invalid_utf8"),
    "B54 nothing": (b"", "invalid_json"),
    "B10 not UTF-8": (b'{"a":"\xff"}', "invalid_utf8"),
}
OBJECTS = {
    "B55 list": (b"[]", "bad_json"),
    "B55 string": (b'"x"', "bad_json"),
    "B55 null": (b"null", "bad_json"),
    "B55 wrong type": (b'{"arguments":[]}', "bad_json"),
}
ARGUMENTS = {
    "B55 missing": ({}, "invalid_arguments"),
    "B55 unknown": ({"text": "x", "scop": "a"}, "invalid_arguments"),
    "B55 wrong": ({"text": 7}, "invalid_arguments"),
    "B56 lone surrogate": ({"text": "\ud800"}, "invalid_text"),
    "B56 NUL": ({"text": "a\0b"}, "invalid_text"),
    "B01 blank": ({"text": " \u200b"}, "empty_text"),
    "B29 scope": ({"text": "x", "project": "*"}, "invalid_scope"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_refused_with_its_code_by_the_reader(name):
    document, code = DOCUMENTS[name]
    with pytest.raises(InvalidInputError) as caught:
        parse(document)
    assert caught.value.code == code
    assert len(str(caught.value)) < 300


def test_b52_what_the_standard_allows_is_read():
    assert parse('{"a":[-0,1e3,"\\u00e9",9223372036854775807,null]}') == {
        "a": [0, 1000.0, "é", 2**63 - 1, None]
    }


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    with daemon(tmp_path_factory.mktemp("bad") / "memory") as (_, found):
        yield found
        answer = exchange(found.port, request(found, "/v1/tools/introspect", {}))
        assert status_of(answer) == 200
        told = json.loads(answer.partition(b"\r\n\r\n")[2])["result"]
        assert told["stats"]["memories_active"] == 0


@pytest.mark.parametrize("name", DOCUMENTS | OBJECTS)
def test_a_body_over_http_is_answered_with_400_and_its_code(record, name):
    body, code = (DOCUMENTS | OBJECTS)[name]
    answer = exchange(record.port, request(record, "/v1/tools/memorize", body))
    assert status_of(answer) == 400
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == code


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_over_http_are_answered_by_name(record, name):
    arguments, code = ARGUMENTS[name]
    answer = exchange(record.port, request(record, "/v1/tools/memorize", {"arguments": arguments}))
    assert 400 <= status_of(answer) < 500
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == code


@pytest.fixture
def told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words, status):
        capsys.readouterr()
        assert run(["--json", "--path", str(tmp_path / "m"), *words]) == status
        return json.loads(capsys.readouterr().out)

    return call


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if "order mark" not in name])
def test_a_conversation_file_is_read_strictly_and_whole_or_not(told, tmp_path, name):
    document, code = DOCUMENTS[name]
    file = tmp_path / "turns.jsonl"
    good = b'{"speaker":"Ann","text":"The valve opens at 13 bar"}\n'
    file.write_bytes(good + document if document else good + b"{")
    answer = told("conversation", "ingest", str(file), "--scope", "s", status=exits.INPUT)
    assert answer["error"]["code"] == code
    left = told("list", "--all-scopes", status=exits.REFUSED)
    assert left["error"]["code"] == "not_a_store"


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if "order mark" not in name])
def test_meta_on_the_command_line_is_read_strictly(told, name):
    document = DOCUMENTS[name][0]
    try:
        meta = document.decode()
    except UnicodeDecodeError:
        meta = "{"
    answer = told("remember", "The valve opens", "--meta", meta or "{", status=exits.INPUT)
    assert answer["error"]["code"] == "invalid_meta"


def memory_lines(count):
    rows = [{"type": "entity", "name": f"pump {n}", "entityType": "machine",
             "observations": [f"runs at {n * 13 + 7} bar"]} for n in range(count)]  # fmt: skip
    return [json.dumps(row).encode() for row in rows]


def test_b57_the_good_lines_of_a_damaged_file_are_kept_and_the_bad_ones_named(told, tmp_path):
    good = memory_lines(10)
    good[2] = b'{"type": "entity", "name": '
    good[5] = b'{"type":"entity","name":"\xff"}'
    good[7] = good[6]
    file = tmp_path / "memory.jsonl"
    file.write_bytes(b"\r\n".join(good) + b"\r\n")
    report = told("import", str(file), status=exits.ATTENTION)
    assert (report["imported"], report["rejected"]) == (7, 2)
    rejected = [json.loads(line) for line in Path(report["rejected_file"]).read_text().splitlines()]
    assert [row["line"] for row in rejected] == [3, 6]
    again = told("import", str(file), status=exits.ATTENTION)
    assert (again["imported"], again["rejected"]) == (0, 2)


def test_b57_a_line_without_end_is_one_rejected_row(told, tmp_path):
    file = tmp_path / "memory.jsonl"
    long = b'{"type":"entity","name":"' + b"x" * (40 * 2**20) + b'"}'
    file.write_bytes(b"\n".join([*memory_lines(2), long, *memory_lines(1)]))
    report = told("import", str(file), status=exits.ATTENTION)
    assert (report["imported"], report["rejected"]) == (2, 1)


def _export_of(folder, change):
    with Hippocampus.open(folder / "other") as memory:
        memory.remember("The valve opens at 13 bar")
        export_file(memory, folder / "export.jsonl")
    lines = (folder / "export.jsonl").read_bytes().splitlines(keepends=True)
    return b"".join(change(lines))


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (lambda lines: [gzip.compress(b"".join(lines))], exits.INPUT, "unknown_format"),
        (lambda _: [], exits.INPUT, "unknown_format"),
        (lambda _: [b"\n \n"], exits.INPUT, "unknown_format"),
        (lambda lines: lines[1:], exits.INPUT, "unknown_format"),
        (
            lambda lines: [lines[0].replace(b'"version":1', b'"version":99'), *lines[1:]],
            exits.REFUSED,
            "newer_schema",
        ),
    ],
    ids=["gz", "empty", "blank", "no header", "other version"],
)
def test_b57_a_file_that_is_no_export_is_refused_by_name(told, tmp_path, change, status, code):
    file = tmp_path / "input.jsonl"
    file.write_bytes(_export_of(tmp_path, change))
    assert told("import", str(file), status=status)["error"]["code"] == code


def test_b57_the_same_record_twice_in_a_file_is_one(told, tmp_path):
    file = tmp_path / "input.jsonl"
    file.write_bytes(_export_of(tmp_path, lambda lines: [*lines, *lines[1:]]))
    report = told("import", str(file), status=exits.DONE)
    assert report["imported"] == 1
    assert len(told("list", status=exits.DONE)) == 1


@pytest.mark.parametrize("name", ["mem0.json", "memory.jsonl", "conversations.json", "notes.md"])
def test_b10_a_file_that_is_not_utf8_stores_nothing(told, tmp_path, name):
    file = tmp_path / name
    body = {
        "mem0.json": b'{"results":[{"memory":"\xff\xfe","created_at":"2024-01-01"}]}',
        "memory.jsonl": b'{"type":"entity","name":"\xff","entityType":"x","observations":["y"]}',
        "conversations.json": b'[{"mapping":{},"title":"\xff","create_time":1}]',
        "notes.md": b"# Notes\n\n- pumps \xff run\n",
    }[name]
    file.write_bytes(body)
    by_row = name in {"memory.jsonl", "notes.md"}
    answer = told("import", str(file), status=exits.ATTENTION if by_row else exits.INPUT)
    if "error" in answer:
        assert answer["error"]["code"] == "invalid_utf8"
    assert told("list", "--all-scopes", status=exits.DONE) == []


def test_b25_near_duplicates_are_one_record_or_a_linked_set_and_the_count_is_exact(tmp_path):
    with Hippocampus.open(tmp_path / "m") as memory:
        texts = [f"The gateway of hall {n % 50} times out after 30 seconds" for n in range(1_000)]
        results = memory.remember_many(texts)
        live = memory.list(limit=1_000)
        assert len({result.memory_id for result in results}) == len(live) == 50
        assert sum(trace.reinforced_count for trace in live) == 950


TOLD_AT_ONCE = """
import sys
from realmemory import Hippocampus
with Hippocampus.open(sys.argv[1]) as memory:
    sys.stdin.readline()
    for _ in range(5):
        memory.remember("The release train leaves on Thursday at noon")
"""


def test_b25_the_same_text_at_once_from_eight_processes_is_one_memory(tmp_path):
    Hippocampus.open(tmp_path / "m").close()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", TOLD_AT_ONCE, str(tmp_path / "m")], stdin=subprocess.PIPE
        )
        for _ in range(8)
    ]
    for writer in writers:
        writer.stdin.close()
    assert [writer.wait(100) for writer in writers] == [0] * 8
    with Hippocampus.open(tmp_path / "m") as memory:
        (trace,) = memory.list()
        assert trace.reinforced_count == 39


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Foo", "foo", True),
        ("My-App", "my_app", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("\u0430pp", "app", False),
        ("app", "apps", False),
    ],
)
def test_b28_spellings_of_one_scope_meet_and_look_alikes_never_do(tmp_path, one, other, same):
    assert (scope_key(one) == scope_key(other)) is same
    with Hippocampus.open(tmp_path / "m") as memory:
        memory.remember("The valve opens at 13 bar", scope=one)
        assert bool(memory.recall("valve opens", scope=other).items) is same


@pytest.mark.parametrize("place", ["root", "deleted", "loop", "newline", "file"])
def test_b35_an_odd_working_directory_has_a_scope_or_none_and_never_fails(tmp_path, place):
    odd = {
        "root": Path("/"),
        "deleted": tmp_path / "gone",
        "loop": tmp_path / "loop",
        "newline": tmp_path / "a\nb",
        "file": tmp_path / "file" / "x",
    }[place]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "a\nb" / ".git").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    registry = ProjectRegistry(tmp_path / "m")
    found = detect_project(environ={}, cwd=odd, registry=registry)
    assert (found.name if found else None) == ("a-b" if place == "newline" else None)


def test_b35_a_command_in_a_deleted_directory_works(tmp_path):
    (tmp_path / "gone").mkdir()
    script = (
        f"cd '{tmp_path}/gone' && rmdir '{tmp_path}/gone' && exec {sys.executable} -m realmemory"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", f"{script} --path '{tmp_path}/m' remember 'The valve opens'"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONSAFEPATH": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "in global" in done.stdout


class _Failing:
    """Fails at the text that says so, in the way it names."""

    def __init__(self, way):
        self._inner, self._way = StaticEmbedder(), way
        self.dim, self.name, self.profile = self._inner.dim, self._inner.name, self._inner.profile

    def embed(self, texts):
        rows = self._inner.embed(texts)
        if not any("breaks" in text for text in texts):
            return rows
        return {
            "none": lambda: None,
            "raises": lambda: (_ for _ in ()).throw(TimeoutError("too slow")),
            "wider": lambda: np.hstack([rows, rows]),
            "fewer": lambda: rows[:-1],
            "nan": lambda: rows * np.nan,
        }[self._way]()

    embed_queries = embed


@pytest.mark.parametrize("way", ["none", "raises", "wider", "fewer", "nan"])
def test_b40_an_embedder_that_fails_in_a_batch_stores_no_part_of_it(tmp_path, way):
    with Hippocampus.open(tmp_path / "m", embedder=_Failing(way)) as memory:
        with pytest.raises(EmbeddingError):
            memory.remember_many(["The valve opens", "This one breaks", "The pump runs"])
        assert memory.list() == []
        assert memory.remember("The valve opens").created
        assert memory.context.store.verify().ok


def test_threads_of_bad_calls_leave_the_store_whole(tmp_path):
    with Hippocampus.open(tmp_path / "m") as memory:
        memory.remember("The one true memory")

        def bad():
            for text in ("", "\0", "\ud800", "x" * 100_000):
                with pytest.raises(InvalidInputError):
                    memory.remember(text)

        threads = [threading.Thread(target=bad) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(memory.list()) == 1
        assert memory.context.store.verify().ok
