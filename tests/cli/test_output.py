"""What reaches the terminal: readable, aligned, and never able to steer it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.cli.output import age, columns, emit_json, one_line, safe, shorten, size, table
from realmemory.outcomes import WriteDecision, WriteResult


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("line\r\nline", "line\nline"),
        ("over\rwritten", "over\\x0dwritten"),
        ("Привет 東京 👩‍👩‍👧", "Привет 東京 👩‍👩‍👧"),
    ],
)
def test_what_could_steer_a_terminal_is_shown_as_an_escape(text, shown):
    assert safe(text) == shown


@given(st.text())
def test_safe_text_holds_no_control_character_but_tab_and_newline(text):
    assert not [char for char in safe(text) if ord(char) < 32 and char not in "\t\n"]


@given(st.text(), st.integers(4, 60))
def test_a_preview_fits_its_width(text, width):
    assert columns(one_line(text, width)) <= width


@pytest.mark.parametrize("character", ["👩‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301\u0323", "1️⃣"])
def test_a_preview_never_splits_what_is_read_as_one_character(character):
    for width in range(2, 12):
        cut = shorten(character * 6, width).removesuffix("…")
        assert cut == character * (len(cut) // len(character))


def test_a_preview_ends_at_a_word_when_one_is_near():
    assert shorten("the quick brown fox jumps", 16) == "the quick brown…"


def test_a_table_aligns_wide_characters_and_numbers():
    assert table(("name", "n"), [("東京", 7), ("ab", 1200)]) == [
        "name     n",
        "東京     7",
        "ab    1200",
    ]


def test_json_is_one_document_without_nan_or_infinity(capsys):
    decision = WriteDecision("create", None, (1, 2), math.nan, math.inf)
    emit_json({"result": WriteResult(7, decision, created=True), "text": "東京"})

    value = json.loads(capsys.readouterr().out)

    assert value["result"]["memory_id"] == 7
    assert value["result"]["decision"]["novelty"] is None
    assert value["text"] == "東京"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "in the future"),
        (3, "just now"),
        (600, "10 min ago"),
        (7300, "2 h ago"),
        (86400 * 3, "3 d ago"),
        (86400 * 70, "2 mo ago"),
        (86400 * 800, "2 y ago"),
    ],
)
def test_an_age_is_said_as_people_say_it(seconds, said):
    assert age(seconds) == said


def test_a_size_is_said_as_people_say_it():
    assert [size(n) for n in (0, 1023, 2048, 5 * 2**20, 3 * 2**30)] == [
        "0 B",
        "1023 B",
        "2.0 KiB",
        "5.0 MiB",
        "3.0 GiB",
    ]
