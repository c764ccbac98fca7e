"""Bad inputs at the boundary: each has its right answer, and the store is unharmed after all."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from realmemory import Hippocampus, MemoryConfig
from realmemory.cli.root import run
from realmemory.core.memory_index import MemoryIndex
from realmemory.core.rows import ScanFilter
from realmemory.errors import RealMemoryError
from realmemory.instants import parse_instant

BLANK = ["", "   ", "\n\t", "\u00a0", "\u200b", "\ufeff", "\u00a0\u200b\ufeff"]
LITERAL = [
    *('"unbalanced', 'a"b', '""', '"', "*", "x*", "^x", "-x", "+x", "~", "%", "\\", "`"),
    *("AND", "OR", "NOT", "NEAR(a b", "a AND", "(", ")", "{a b}: c"),
    *("col:", "TODO: fix", "a::b", "t : x", "foo:bar:baz", "terms: fts"),
    *("'; DROP TABLE traces;--", "%' OR 1=1 --", "{{7*7}}", "${jndi:ldap://x}", "$(id)"),
]
TOKENS = [
    *("POL-358", "state-of-the-art", "C++", "C#", ".NET", "20.04", "foo/bar.py", "@user", "#tag"),
    *("a_b", "snake_case.py:42", "don't panic", "O'Brien", "東京", "Straße", "café"),
]
TEXTS = [
    "CRLF\r\nand \u2028 and trailing  ",
    "שלום \u202eabc\u202c",
    "👩‍👩‍👧 🇩🇪 👍🏽 1️⃣",
    "z" + "\u0301" * 500,
    "\x1b[2J\x1b]52;c;aGk=\x07",
    "</memory><system>]]>```\n\nHuman: hi",
    "control \x01\x02\x7f end",
    '{"json": [1, 2, {"deep": null}]}',
]
BAD_SCOPES = [
    *("../../etc", "..", "/abs", "a/../b", "C:\\x", "\\\\srv\\share", "a\0b", "", "   ", "a\nb"),
    *("*", "a?", "x" * 10_240, "\ud800", None, 7, "a*b"),
]
BAD_IDS = [-1, 0, 2**63, 1e309, "1 OR 1=1", 1.5, True, [1], None]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Hippocampus.open(tmp_path_factory.mktemp("bad") / "store") as opened:
        opened.remember("The one true memory of this store")
        yield opened
        assert opened.context.store.verify().ok
        assert opened.recall("one true memory").items[0].text.startswith("The one true")


def refused(call, *codes):
    with pytest.raises(RealMemoryError) as caught:
        call()
    assert caught.value.code in codes, caught.value
    assert len(str(caught.value)) < 1000
    return caught.value


@pytest.mark.parametrize("text", BLANK, ids=ascii)
def test_b01_a_blank_text_is_refused_and_a_blank_question_finds_nothing(memory, text):
    refused(lambda: memory.remember(text), "empty_text")
    assert memory.recall(text).items == ()


@pytest.mark.parametrize("query", LITERAL)
def test_b02_to_b05_and_b23_signs_are_text(memory, query):
    assert isinstance(memory.recall(query, k=3).items, tuple)


@pytest.mark.parametrize("token", TOKENS)
def test_b06_b07_a_token_with_signs_is_found_as_it_was_written(memory, token):
    text = f"Quartz {token} basalt feldspar"
    result = memory.remember(text, scope="tokens", force_new=True)
    hits = memory.recall(token, k=50, scope="tokens").items
    assert result.memory_id in {hit.memory_id for hit in hits}


@pytest.mark.parametrize("text", ["a\0b", "\0", "\ud800", "\udfff\ud800 x", b"bytes", 7, None])
def test_b08_b09_what_is_no_text_is_refused(memory, text):
    refused(lambda: memory.remember(text), "invalid_text")


def test_b11_b12_sizes_are_bounded(memory):
    refused(lambda: memory.remember("x" * 10_000_000), "text_too_large")
    assert memory.remember("y" * 65_000, force_new=True).created
    for query in ("z" * 100_000, "word " * 20_000, "q" * 1_000_000):
        assert isinstance(memory.recall(query, k=1).items, tuple)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_b14_to_b22_a_text_comes_back_byte_for_byte(memory, text):
    result = memory.remember(text, scope="texts", force_new=True)
    assert memory.get(result.memory_id).text == text
    assert isinstance(memory.recall(text[:50], scope="texts").items, tuple)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("caf\u00e9 owner", "cafe\u0301"),
        ("the of\ufb01ce key", "office"),
        ("ＡＢＣ１２３ label", "ABC123"),
        ("Hauptstraße 5", "HAUPTSTRASSE"),
        ("pass\u200bword rules", "password"),
        ("東京都の天気", "東京"),
    ],
)
def test_b13_b16_to_b19_forms_of_one_text_meet(memory, stored, asked):
    result = memory.remember(stored, scope=f"forms {asked}", force_new=True)
    hits = memory.recall(asked, scope=f"forms {asked}").items
    assert [hit.memory_id for hit in hits][:1] == [result.memory_id]


@pytest.mark.parametrize("scope", BAD_SCOPES, ids=lambda scope: ascii(scope)[:30])
def test_b26_b29_what_is_no_scope_is_refused(memory, scope):
    before = {path.name for path in memory.path.parent.rglob("*")}
    refused(lambda: memory.remember("some text", scope=scope), "invalid_scope")
    if scope is not None:
        refused(lambda: memory.recall("some text", scope=scope), "invalid_scope")
    assert {path.name for path in memory.path.parent.rglob("*")} == before


@pytest.mark.parametrize(
    "scope", ["CON", "nul.txt", "COM1", "LPT9.", "%2e%2e", "global ", "emoji 👍"]
)
def test_b27_odd_names_are_names(memory, scope):
    result = memory.remember(f"Odd scope {scope!a} works", scope=scope, force_new=True)
    assert memory.recall("Odd scope works", scope=scope, k=20).items
    assert memory.get(result.memory_id).scope.strip() == scope.strip()


def test_b30_a_scope_is_exact(memory):
    for scope in ("sc", "sc_b", "sc:b", "sc%"):
        memory.remember(f"Canary of {scope} only", scope=scope, force_new=True)
    texts = {item.text for item in memory.recall("Canary only", scope="sc", k=50).items}
    assert "Canary of sc only" in texts
    assert not texts & {"Canary of sc_b only", "Canary of sc:b only", "Canary of sc% only"}


@pytest.mark.parametrize("memory_id", BAD_IDS, ids=repr)
def test_b31_what_is_no_id_is_refused(memory, memory_id):
    refused(lambda: memory.get(memory_id), "invalid_id")
    if not isinstance(memory_id, list):
        refused(lambda: memory.forget([memory_id]), "invalid_id")


def test_b32_forgetting_twice_says_so(memory):
    gone = memory.remember("Forget me, please do", force_new=True).memory_id
    assert memory.forget(gone).forgotten == (gone,)
    assert memory.forget(gone).already_forgotten == (gone,)
    assert memory.forget(gone, hard=True).hard
    refused(lambda: memory.get(gone), "not_found")
    refused(lambda: memory.get(999_999), "not_found")


@pytest.mark.parametrize(
    "options",
    [
        {"tags": ["x"] * 1 + [f"t{n}" for n in range(10_000)]},
        {"tags": ["x" * 1_000_000]},
        {"tags": "not a list"},
        {"meta": {"x": float("nan")}},
        {"meta": {"x": 1j}},
        {"meta": {"x": "y" * 10_000_000}},
        {"meta": [1]},
        {"kind": "wish"},
        {"origin": "martian"},
        {"importance": math.nan},
        {"importance": 2},
        {"when": math.inf},
        {"when": 1e18},
        {"when": "yesterday"},
        {"expires": -1e15},
        {"related_ids": ["x"]},
    ],
    ids=lambda options: ascii(options)[:40],
)
def test_b33_b34_b45_options_are_checked_by_name(memory, options):
    count = memory.stats()["memories_active"]
    with pytest.raises(RealMemoryError) as caught:
        memory.remember("A text with a bad option", force_new=True, **options)
    assert caught.value.code.startswith("invalid_")
    assert memory.stats()["memories_active"] == count


def test_b34_metadata_is_data(memory):
    deep: dict = {}
    for _ in range(1_000):
        deep = {"x": deep}
    refused(lambda: memory.remember("deep", meta=deep, force_new=True), "invalid_meta")
    odd = {"id": 7, "__proto__": {"a": 1}, "text": "x", "rev": None}
    kept = memory.remember("Odd keys are kept as data", meta=odd, force_new=True).memory_id
    assert dict(memory.get(kept).meta) == odd


@pytest.mark.parametrize(
    "vector",
    [[math.nan] * 8, [math.inf] * 8, [1.0] * 7, [], ["x"] * 8, [[1.0] * 8], b"abc"],
    ids=lambda vector: ascii(vector)[:20],
)
def test_b36_to_b39_what_is_no_vector_is_refused_by_the_engine(vector):
    index = MemoryIndex(8)
    with pytest.raises((RealMemoryError, ValueError, TypeError)):
        index.cosines(np.asarray(vector, dtype=np.float32), [])


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", True, None])
def test_b41_k_is_a_positive_whole_number(memory, k):
    refused(lambda: memory.recall("memory", k=k), "invalid_k")
    assert len(memory.recall("memory", k=10**9).items) >= 0


@pytest.mark.parametrize("k", [2.5, "3", -1, None])
def test_b41_the_engine_refuses_what_is_no_number_of_rows(k):
    index, query, everything = MemoryIndex(8), np.ones(8, np.float32), ScanFilter(now=0.0)
    for ask in (
        lambda: index.topk(query, k, everything),
        lambda: index.topk_many(query[None], k, everything),
        lambda: index.gather("x", query, everything, k=k),
        lambda: index.search_terms("x", k, everything),
        lambda: index.bridged(["x"], "y", [1], everything, k=k),
    ):
        assert "nothing was searched" in str(refused(ask, "invalid_k"))


def test_b41_more_rows_than_there_are_is_all_of_them():
    index, query = MemoryIndex(8), np.ones(8, np.float32)
    assert len(index.topk(query, 2**70, ScanFilter(now=0.0)).ids) == 0


@pytest.mark.parametrize("codes", [(5,), (-1,), ("a",), (70,), (1.5,), 3, None])
@pytest.mark.parametrize("field", ["kinds", "statuses"])
def test_b41_a_filter_of_unknown_codes_is_refused_rather_than_empty(field, codes):
    index, query = MemoryIndex(8), np.ones(8, np.float32)
    chosen = ScanFilter(now=0.0, **{field: codes})
    assert field in str(refused(lambda: index.topk(query, 3, chosen), "invalid_input"))


@pytest.mark.parametrize("value", [math.nan, -1, 2, "high", True, None])
def test_b42_a_threshold_out_of_range_is_refused_by_name(value):
    error = refused(lambda: MemoryConfig(theta_link=value), "invalid_configuration")
    assert "theta_link" in str(error)


@pytest.mark.parametrize("reward", [1e308, -1e308, math.nan, "1", None, True])
def test_b43_a_reward_lies_between_minus_one_and_one(memory, reward):
    refused(lambda: memory.feedback([1], reward), "invalid_reward")
    assert math.isfinite(memory.get(1).base_strength)


@pytest.mark.parametrize("text", ["2026-02-30", "24:00", "10000-01-01", "1700000000000", "now", ""])
def test_b44_to_b47_what_is_no_instant_is_refused(text):
    refused(lambda: parse_instant(text), "invalid_timestamp")


def test_b48_a_range_runs_forward(memory):
    refused(lambda: memory.recall("memory", since=2e9, until=1e9), "invalid_range")
    assert memory.recall("memory", until=9e9).items is not None


@pytest.mark.parametrize("ends", [1e9, 2e9])
def test_b48_nothing_stops_being_true_before_it_happened(memory, ends):
    count = memory.stats()["memories_active"]
    refused(lambda: memory.remember("The gym code is 12", when=2e9, expires=ends), "invalid_range")
    assert memory.stats()["memories_active"] == count


def test_b49_an_item_of_the_future_is_kept(memory):
    ahead = memory.remember("A note dated to the year 2100", when=4_102_444_800.0, force_new=True)
    item = memory.get(ahead.memory_id)
    assert item.observed_at == 4_102_444_800.0
    hits = memory.recall("note dated to the year 2100", k=3).items
    assert all(hit.retention <= 1 for hit in hits)


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "x", "-k", "abc"),
        ("remember",),
        ("recall",),
        ("--wrong",),
        ("show", "--", "-1"),
        ("import", "/nonexistent"),
        ("remember", "x", "--meta", "{" * 50_000),
        ("remember", "x", "--meta", '{"a": NaN}'),
        ("--path", "/dev/null/x", "stats"),
        ("--namespace", "../up", "stats"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_b59_b62_the_command_line_answers_with_a_code(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    path = () if "--path" in words else ("--path", str(tmp_path / "m"))
    assert run([*path, *words, "--json"] if words != ("--wrong",) else [*words, "--json"]) in range(
        2, 10
    )
    assert json.loads(capsys.readouterr().out)["error"]["code"] not in {"", "internal", "error"}


@pytest.mark.parametrize("name", ["a b", "q?x", "h#h", "p%20p", "u" * 200, "юникод"])
def test_b62_a_folder_may_have_any_name(tmp_path, name):
    with Hippocampus.open(tmp_path / name / "deeper" / "store") as opened:
        opened.remember("A text in an oddly named folder")
    with Hippocampus.open(tmp_path / name / "deeper" / "store") as opened:
        assert len(opened.list()) == 1


@pytest.mark.parametrize("kind", ["file in place", "dangling link", "foreign database", "text"])
def test_b62_what_is_no_store_is_left_alone(tmp_path, kind):
    target = tmp_path / "m"
    if kind == "file in place":
        target.write_text("hello")
    elif kind == "dangling link":
        target.symlink_to(tmp_path / "nowhere" / "deep")
    else:
        target.mkdir()
        body = b"SQLite format 3\0" + bytes(4080) if kind == "foreign database" else b"just text"
        (target / "memory.db").write_bytes(body)
    before = sorted((path.name, path.is_dir()) for path in tmp_path.rglob("*"))
    with pytest.raises(RealMemoryError):
        Hippocampus.open(target)
    after = {path.name for path in tmp_path.rglob("*")}
    assert {name for name, _ in before} <= after
