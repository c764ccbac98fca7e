"""``team.json`` and the author: explicit, checked, and kept as its owner wrote it."""

from __future__ import annotations

import json
import subprocess

import pytest

from realmemory import Hippocampus
from realmemory.errors import ConfigurationError, InvalidInputError
from realmemory.team import Team
from realmemory.team.identity import chosen_name, file_name, new_author_id
from realmemory.team.settings import load


@pytest.mark.parametrize(
    "stated",
    [
        "[]",
        "{",
        '{"folder": 5}',
        '{"folder": " "}',
        '{"folder": "a\\u0000b"}',
        '{"author": ""}',
        '{"author": "a\\nb"}',
        '{"author": 7}',
        '{"author_id": "x"}',
        '{"projects": "shop"}',
        '{"projects": [5]}',
        '{"projects": [{"kinds": ["semantic"]}]}',
        '{"projects": ["../x"]}',
        '{"projects": [{"name": "shop", "kinds": ["turn"]}]}',
        '{"projects": [{"name": "shop", "min_reinforcements": -1}]}',
        '{"default_kinds": "semantic"}',
        '{"min_reinforcements": true}',
        '{"min_reinforcements": 1.5}',
        '{"never": []}',
        '{"never": {"tags": [5]}}',
        '{"never": {"patterns": ["("]}}',
        '{"never": {"patterns": [" "]}}',
        '{"folder": "/a", "folder": "/b"}',
    ],
)
def test_what_cannot_be_meant_shares_nothing(tmp_path, stated):
    (tmp_path / "team.json").write_text(stated)
    with pytest.raises(ConfigurationError, match="nothing is shared"):
        load(tmp_path)


def test_null_inherits_and_zero_and_nothing_count(tmp_path):
    (tmp_path / "team.json").write_text(
        json.dumps(
            {
                "projects": [
                    {"name": "a", "kinds": None, "min_reinforcements": None},
                    {"name": "b", "kinds": [], "min_reinforcements": 0},
                ],
                "never": {"tags": []},
            }
        )
    )
    policy = load(tmp_path).policy
    assert [rule.kinds for rule in policy.projects] == [None, ()]
    assert [rule.min_reinforcements for rule in policy.projects] == [None, 0]
    assert policy.never_tags == ()


def test_init_keeps_what_it_does_not_know(tmp_path):
    folder = tmp_path / "memory"
    with Hippocampus.open(folder) as memory:
        stated = {
            "store": "/mnt/team/memory",
            "note": {"of": "the owner"},
            "projects": [{"name": "shop", "kinds": ["episodic"], "why": "asked for"}],
            "never": {"patterns": ["x"], "more": 1},
        }
        (folder / "team.json").write_text(json.dumps(stated))
        Team(memory).init(tmp_path / "shared", author="Anna", share=["Shop", "depot", "Depot"])
        after = json.loads((folder / "team.json").read_text())
        assert after["projects"] == [*stated["projects"], "depot"]
        assert after["never"] == {
            "patterns": ["x"],
            "more": 1,
            "tags": ["private", "secret", "credentials"],
        }
        assert (after["note"], after["store"]) == (stated["note"], stated["store"])
        again = Team(memory).init(tmp_path / "shared")
        assert json.loads((folder / "team.json").read_text()) == after
        assert again.author == "Anna"


def test_the_name_is_stated_or_the_environments_or_gits(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="--as"):
        chosen_name(None, {})
    subprocess.run(["git", "config", "--global", "user.name", "Гит"], check=True)
    assert chosen_name(None, {}) == "Гит"
    assert chosen_name(None, {"REALMEMORY_IDENTITY": " Env "}) == "Env"
    assert chosen_name("Stated", {"REALMEMORY_IDENTITY": "Env"}) == "Stated"
    for bad in ("", " ", "x" * 65, "a\nb", "a\u202eb", "ghp_" + "a1B2" * 9):
        with pytest.raises(InvalidInputError):
            chosen_name(bad, {"REALMEMORY_IDENTITY": "Env"})


@pytest.mark.parametrize("name", ["CON", "../../x", "a/b\\c:d", "Анна", "é" * 64, ".", "a" * 64])
def test_every_name_is_mapped_to_a_safe_file(name):
    one, other = (file_name(name, new_author_id()) for _ in range(2))
    assert one != other
    assert one.isascii()
    assert set(one) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    assert len(one) < 80
    assert one.count(".") == 1


def test_the_shared_folder_and_the_memory_stay_apart(tmp_path):
    with Hippocampus.open(tmp_path / "repo" / "memory") as memory:
        for place in ("repo", "repo/memory", "repo/memory/shared"):
            with pytest.raises(InvalidInputError) as refused:
                Team(memory).init(tmp_path / place, author="Anna")
            assert refused.value.code == "inside_memory"
        assert not (memory.path / "team.json").exists()
