"""Textual edits of JSON with comments: everything that is not ours keeps its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.agents import jsonc

ENTRY = {"command": "/usr/bin/realmemory", "args": ["mcp"]}
PATH = ("mcpServers", "realmemory")

GOLDEN = {
    "one member": '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
    "comments": (
        '// mine\n{\n  // servers\n  "mcpServers": {\n    "other": {"command": "x"} // keep me\n'
        "    /* and me */\n  },\n  /* last */\n}\n"
    ),
    "trailing comma": '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}, // why\n\t},\n}',
    "inline": '{"a": 1, "mcpServers": {"other": {"command": "x"}}, "b": [1, 2]}',
    "empty object": '{"mcpServers": {}}',
    "empty object over lines": '{\n  "mcpServers": {\n  }\n}\n',
    "comment alone": '{\n  "mcpServers": {\n    // nothing yet\n  }\n}\n',
    "no servers": '{\n    "theme": "dark"\n}\n',
    "windows": '{\r\n  "theme": "dark", // говорит\r\n  "x": {}\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "theme": "dark"\n}\n',
    "unicode": '{"ключ": "значение \\u2028 \\"}{", "mcpServers": {"a": null}}',
}


@pytest.mark.parametrize("text", GOLDEN.values(), ids=GOLDEN)
def test_adding_and_removing_gives_the_same_bytes(text):
    added = jsonc.set_member(text, PATH, ENTRY)
    assert added != text
    assert jsonc.find(added, PATH).value == ENTRY
    bare = jsonc.remove_member(added, PATH)
    if jsonc.find(text, ("mcpServers",)) is None:
        bare = jsonc.remove_member(added, PATH[:1])
    assert bare == text


@pytest.mark.parametrize("text", GOLDEN.values(), ids=GOLDEN)
def test_adding_twice_changes_nothing_more(text):
    added = jsonc.set_member(text, PATH, ENTRY)
    assert jsonc.set_member(added, PATH, ENTRY) == added


@pytest.mark.parametrize("text", GOLDEN.values(), ids=GOLDEN)
def test_line_ends_and_comments_survive(text):
    added = jsonc.set_member(text, PATH, ENTRY)
    assert ("\r\n" in added) == ("\r\n" in text)
    assert added.count("\n") - added.count("\r\n") in ({0} if "\r\n" in text else range(100))
    for comment in ("// mine", "// keep me", "/* and me */", "/* last */", "// why"):
        assert (comment in added) == (comment in text)
    if "keep me" in text:
        assert '{"command": "x"}, // keep me' in added


def test_changing_a_value_keeps_its_neighbours():
    text = (
        '{\n  "mcpServers": {\n    "realmemory": {"command": "/old"}, // note\n    "z": 1\n  }\n}'
    )
    changed = jsonc.set_member(text, PATH, ENTRY)
    assert jsonc.find(changed, PATH).value == ENTRY
    assert '}, // note\n    "z": 1' in changed


def test_empty_file_becomes_a_document():
    assert json.loads(jsonc.set_member("", PATH, ENTRY)) == {"mcpServers": {"realmemory": ENTRY}}
    with_mark = jsonc.set_member("\ufeff", PATH, ENTRY)
    assert with_mark.startswith("\ufeff{")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "[1, 2",
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        "{'a': 1}",
        '{"a": 1, "a": 2}',
        '{"a": 01}',
        '{"a": "line\nbreak"}',
        '{"a": NaN}',
        "{} {}",
        "{/*}",
        "[" * 5000,
        "null",
        "[]",
        '{"mcpServers": []}',
        '{"mcpServers": "x"}',
    ],
)
def test_what_cannot_be_parsed_or_is_something_else_is_refused(text):
    with pytest.raises(jsonc.JsoncError):
        jsonc.set_member(text, PATH, ENTRY)


def test_error_names_the_line():
    with pytest.raises(jsonc.JsoncError, match="line 3"):
        jsonc.parse('{\n  "a": 1,\n  b: 2\n}')


def test_array_items_come_and_go():
    text = '{"hooks": {"Stop": [{"a": 1}] } }'
    added = jsonc.append_item(text, ("hooks", "Stop"), {"b": 2})
    assert json.loads(added)["hooks"]["Stop"] == [{"a": 1}, {"b": 2}]
    assert jsonc.remove_item(added, ("hooks", "Stop"), 1) == text
    assert json.loads(jsonc.remove_item(added, ("hooks", "Stop"), 0))["hooks"]["Stop"] == [{"b": 2}]


names = st.text(min_size=1, max_size=6).filter(lambda key: key != "realmemory")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(names, values, max_size=4)


@given(documents, st.sampled_from([None, 1, 2, "\t"]), st.booleans())
def test_any_document_comes_back_byte_for_byte(document, indent, ascii_only):
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    added = jsonc.set_member(text, ("realmemory",), ENTRY)
    assert json.loads(added) == document | {"realmemory": ENTRY}
    assert jsonc.remove_member(added, ("realmemory",)) == text


@given(documents, documents)
def test_foreign_members_survive_when_ours_is_in_the_middle(before, after):
    text = jsonc.set_member(json.dumps(before, indent=2), ("realmemory",), ENTRY)
    for key, value in after.items():
        text = jsonc.set_member(text, (key,), value)
    left = jsonc.remove_member(text, ("realmemory",))
    assert jsonc.parse(left).value == before | after


@given(st.text(alphabet='{}[]",:/*\n 1a\\', max_size=30))
def test_parser_accepts_what_json_accepts_and_never_crashes(text):
    try:
        expected = json.loads(text)
    except ValueError:
        expected = jsonc
    try:
        found = jsonc.parse(text).value
    except jsonc.JsoncError:
        found = jsonc
    if expected is not jsonc and found is not jsonc:
        assert found == expected
    if expected is not jsonc and "{" not in text:
        assert found == expected
