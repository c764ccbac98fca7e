"""What belongs to another project appears in no answer of any tool, unless it is named."""

from __future__ import annotations

import pytest

from api.conversing import call, error, ok


@pytest.fixture
def canary(backend):
    ok(backend, "memorize", {"text": "canary secret of the other project"}, project="other")
    other = ok(backend, "recall", {"query": "canary secret"}, project="other")
    assert "canary" in other["items"][0]["text"]
    ok(backend, "memorize", {"text": "shop fact about canary birds"}, project="shop")
    return other["items"][0]["id"]


@pytest.mark.parametrize("project", ["shop", None])
def test_other_projects_are_invisible_to_every_tool(backend, canary, project):
    told = [
        call(backend, "recall", {"query": query, "k": 50}, project=project)
        for query in ("canary secret of the other project", "canary", "secret")
    ]
    told += [
        call(backend, "get", {"memory_ids": [canary]}, project=project),
        call(backend, "forget", {"memory_ids": [canary]}, project=project),
        call(backend, "reflect", {"memory_ids": [canary], "reward": -1}, project=project),
        call(backend, "revise", {"old_id": canary, "new_text": "taken over"}, project=project),
        call(
            backend,
            "memorize",
            {"text": "related to it", "related_ids": [canary]},
            project=project,
        ),
        call(backend, "introspect", project=project),
        call(backend, "dream_log", project=project),
    ]
    for result in told:
        assert "secret of the other" not in result.model_dump_json()
    assert not told[3].structured_content["items"]
    kept = ok(backend, "get", {"memory_ids": [canary]}, project="other")["items"][0]
    assert kept["text"] == "canary secret of the other project"
    assert kept["status"] == "active"


def test_other_project_is_read_when_it_is_named(backend, canary):
    answer = ok(backend, "recall", {"query": "canary secret", "project": "other"})
    assert answer["items"][0]["id"] == canary
    assert ok(backend, "get", {"memory_ids": [canary], "project": "other"})["items"]


def test_global_means_global_only(backend, canary):
    ok(backend, "memorize", {"text": "The user likes canary yellow", "project": "global"})
    for options in ({"project": None}, {"project": "shop"}):
        found = ok(backend, "recall", {"query": "canary", "project": "global"}, **options)
        assert {item["scope"] for item in found["items"]} == {"global"}
    assert ok(backend, "memorize", {"text": "a note"}, project=None)["scope"] == "global"


def test_unknown_project_is_named_with_the_nearest(backend, canary):
    text = error(backend, "recall", {"query": "x", "project": "othr"})
    assert "Did you mean 'other'" in text
    assert ok(backend, "recall", {"query": "anything"}, project="brand-new")["abstained"]


def test_token_reaches_its_scopes_and_nothing_else(backend, canary):
    limits = {"reach": frozenset({"shop", "global"}), "writes": frozenset({"shop"})}
    assert "out_of_reach" in error(backend, "recall", {"query": "x", "project": "other"}, **limits)
    assert "out_of_reach" in error(backend, "recall", {"query": "x"}, project="other", **limits)
    into = {"text": "smuggled in", "project": "other"}
    assert "out_of_reach" in error(backend, "memorize", into, **limits)
    everywhere = {"text": "for everybody", "project": "global"}
    assert "out_of_reach" in error(backend, "memorize", everywhere, **limits)
    assert "out_of_reach" in error(backend, "dream_log", **limits)
    told = {
        bool(options): ok(backend, "recall", {"query": "secret project"}, **options)["reason"]
        for options in ({}, limits)
    }
    assert told == {False: "only_other_scope", True: "nothing_matched"}
    inside = ok(backend, "introspect", **limits)
    assert "other" not in inside["scopes"]
    assert inside["stats"] == {}
    assert ok(backend, "memorize", {"text": "allowed here"}, **limits)["scope"] == "shop"
