"""Arguments of tools: wrong ones are refused with a sentence that says what was meant."""

from __future__ import annotations

import pytest

from api.conversing import BY_NAME
from realmemory.api.arguments import checked
from realmemory.api.tools import TOOLS
from realmemory.errors import InvalidInputError


def refusal(tool, **given):
    with pytest.raises(InvalidInputError) as error:
        checked(BY_NAME[tool], given)
    assert error.value.code == "invalid_arguments"
    return error.value.message


def test_defaults_are_filled_in_and_null_means_missing():
    assert checked(BY_NAME["recall"], {"query": "x", "k": None, "project": None}) == {
        "query": "x",
        "k": 5,
        "include_superseded": False,
        "window": 0,
    }


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("recall", {"query": "x", "limt": 3}, "'k'"),
        ("recall", {"query": "x", "top_k": 3}, "'k'"),
        ("recall", {"query": "x", "projct": "a"}, "'project'"),
        ("recall", {"query": "x", "scope": "a"}, "'project'"),
        ("memorize", {"content": "x"}, "'text'"),
        ("memorize", {"text": "x", "when": "2026-05-01"}, "'observed_at'"),
        ("reflect", {"memory_id": 1, "reward": 1}, "'memory_ids'"),
        ("revise", {"old_id": 1, "text": "x"}, "'new_text'"),
        ("revise", {"old_id": 1, "content": "x"}, "'new_text'"),
        ("revise", {"id": 1, "new_text": "x"}, "'old_id'"),
        ("revise", {"memory_id": 1, "new_text": "x"}, "'old_id'"),
        ("get", {"id": 1}, "'memory_ids'"),
    ],
)
def test_unknown_argument_names_what_was_meant(tool, given, meant):
    assert f"Did you mean {meant}?" in refusal(tool, **given)


def test_unknown_argument_without_a_likeness_lists_the_known_ones():
    message = refusal("recall", query="x", zzz=1)
    assert "Did you mean" not in message
    assert "query, k, project, include_superseded" in message
    assert "takes no arguments" in refusal("introspect", x=1)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {}, "needs 'query'"),
        ("recall", {"query": 3}, "a text for 'query', got 3"),
        ("recall", {"query": None}, "a text for 'query', got None"),
        ("recall", {"query": "x", "k": "5"}, "a whole number for 'k', got '5'"),
        ("recall", {"query": "x", "k": True}, "a whole number for 'k', got True"),
        ("recall", {"query": "x", "k": 0}, "1 to 50 for 'k', got 0"),
        ("recall", {"query": "x", "k": 1e9}, "1 to 50 for 'k', got 1000000000"),
        ("recall", {"query": "x", "k": 2.5}, "a whole number for 'k', got 2.5"),
        ("memorize", {"text": "x", "kind": "fact"}, "'episodic' or 'semantic' for 'kind'"),
        ("reflect", {"memory_ids": [1], "reward": 2}, "-1 to 1 for 'reward', got 2.0"),
        ("reflect", {"memory_ids": [1], "reward": float("nan")}, "for 'reward', got nan"),
        ("reflect", {"memory_ids": [], "reward": 1}, "ids for 'memory_ids'"),
        ("reflect", {"memory_ids": 7, "reward": 1}, "a list of ids for 'memory_ids', got 7"),
        ("reflect", {"memory_ids": ["a"], "reward": 1}, "for 'memory_ids[0]', got 'a'"),
        ("get", {"memory_ids": list(range(101))}, "for 'memory_ids'"),
    ],
)
def test_wrong_value_is_named(tool, given, said):
    assert said in refusal(tool, **given)


def test_whole_floats_are_whole_numbers():
    assert checked(BY_NAME["recall"], {"query": "x", "k": 3.0})["k"] == 3
    assert checked(BY_NAME["reflect"], {"memory_ids": [1.0], "reward": 1})["reward"] == 1.0


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_argument_at_all_is_an_answer_or_a_sentence(tool):
    for given in (None, {}):
        if tool.required:
            with pytest.raises(InvalidInputError):
                checked(tool, given)
        else:
            assert isinstance(checked(tool, given), dict)
