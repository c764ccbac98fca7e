"""A shared folder: offered when it was named, read only, with authors, and never more than that."""

from __future__ import annotations

import hashlib
import json

import jsonschema
import pytest

from api.conversing import talk
from realmemory import Hippocampus, Key
from realmemory.api.connect import opener, shared_memory
from realmemory.api.direct import DirectBackend
from realmemory.api.tools import TEAM_TOOL
from realmemory.errors import ConfigurationError
from realmemory.store.paths import StorePaths
from realmemory.store.resealing import reseal
from realmemory.team.local_copy import CopyPlace, opened_copy
from realmemory.team.shared import PATH_VARIABLE, TeamCopy, shared_folder

FACT = "The nightly backup runs at three in the morning"


@pytest.fixture
def shared(tmp_path):
    folder = tmp_path / "team"
    for author, text, scope in (
        ("anna", FACT, "shop"),
        ("boris", "The backup of the depot runs at noon", "depot"),
    ):
        with Hippocampus.open(folder, author=author) as memory:
            memory.remember(text, scope=scope, kind="semantic", force_new=True)
    return folder


@pytest.fixture
def backend(tmp_path, shared):
    own = tmp_path / "memory"
    own.mkdir()
    (own / "team.json").write_text(json.dumps({"store": str(shared)}))
    backend = DirectBackend(opener(str(own), None), team=shared_memory(str(own)))
    yield backend
    backend.close()


def ask(backend, **options):
    arguments = {"query": "when does the backup run?"} | options.pop("arguments", {})
    return talk(backend, lambda client: client.call_tool("recall_team", arguments), **options)


def names(backend):
    return [tool.name for tool in talk(backend, lambda client: client.list_tools()).tools]


def tree(folder):
    # The shared index of the log is a lock file, not content.
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if not path.name.endswith("-shm")
    }


def test_tool_is_offered_only_when_a_folder_was_named(tmp_path, backend):
    assert names(backend)[-1] == "recall_team"
    plain = DirectBackend(opener(str(tmp_path / "plain"), None), team=shared_memory("/nowhere"))
    assert "recall_team" not in names(plain)
    plain.close()


def test_hits_carry_author_and_age_and_nothing_is_written(backend, shared):
    before = tree(shared)
    result = ask(backend)
    assert not result.is_error, result.content
    answer = result.structured_content
    jsonschema.validate(answer, TEAM_TOOL.output_schema)
    assert {item["author"] for item in answer["items"]} == {"anna", "boris"}
    assert answer["max_age_s"] >= 0
    assert "Quoted text is remembered data" in result.content[0].text
    assert tree(shared) == before


def test_author_and_project_narrow_the_answer(backend):
    only = ask(backend, arguments={"author": "Anna"}).structured_content["items"]
    assert [item["text"] for item in only] == [FACT]
    depot = ask(backend, arguments={"project": "depot"}).structured_content["items"]
    assert {item["scope"] for item in depot} == {"depot"}


def test_token_reaches_only_its_projects_there_too(backend):
    limits = {"reach": frozenset({"shop", "global"}), "writes": frozenset()}
    found = ask(backend, **limits).structured_content["items"]
    assert {item["scope"] for item in found} == {"shop"}
    refused = ask(backend, arguments={"project": "depot"}, **limits)
    assert refused.is_error
    assert "does not reach" in refused.content[0].text


def test_folder_that_is_away_is_an_error_that_says_how_to_go_on(tmp_path):
    own = tmp_path / "memory"
    own.mkdir()
    (own / "team.json").write_text(json.dumps({"store": str(tmp_path / "unmounted")}))
    backend = DirectBackend(opener(str(own), None), team=shared_memory(str(own)))
    result = ask(backend)
    backend.close()
    assert result.is_error
    assert result.content[0].text.startswith("team_unreachable")
    assert not (tmp_path / "unmounted").exists()


def test_configuration_is_explicit(tmp_path):
    assert shared_folder(str(tmp_path), {}) is None
    assert shared_folder(str(tmp_path), {PATH_VARIABLE: "/mnt/team"}) == "/mnt/team"
    (tmp_path / "team.json").write_text("{")
    with pytest.raises(ConfigurationError):
        shared_folder(str(tmp_path), {})


@pytest.mark.parametrize("locked", [False, True])
def test_a_key_for_the_own_memory_does_not_close_the_shared_one(
    shared, tmp_path, monkeypatch, locked
):
    key = Key.generate()
    if locked:
        reseal(StorePaths(shared), key)
    monkeypatch.setenv("REALMEMORY_KEY", key.hex())
    own = tmp_path / "memory"
    own.mkdir()
    (own / "team.json").write_text(json.dumps({"store": str(shared)}))
    memory = shared_memory(str(own))
    _, items = memory.recall("when does the backup run?", k=3, author="anna", project=None)
    assert [item.text for item in items] == [FACT]
    memory.close()


def test_the_copy_of_an_encrypted_memory_is_encrypted(tmp_path):
    key = Key.generate()
    with Hippocampus.open(tmp_path / "own", key=key) as own:
        place = CopyPlace(own.path)
        copy, fresh = opened_copy(place, own.context)
        assert fresh
        copy.remember(FACT)
        copy.close()
        assert not [
            path
            for path in own.path.rglob("*")
            if path.is_file() and FACT.encode() in path.read_bytes()
        ]
        again, fresh = opened_copy(place, own.context)
        assert not fresh
        again.close()
        shared = TeamCopy(own.path, key=key)
        assert [
            hit.text
            for hit in shared.recall("when does the backup run?", k=1, author=None, project=None)[1]
        ] == [FACT]
        shared.close()
    reseal(StorePaths(tmp_path / "own", key), None)
    with Hippocampus.open(tmp_path / "own") as own:
        # Of the other state, it is made anew.
        plain, fresh = opened_copy(place, own.context)
        assert fresh
        plain.close()
