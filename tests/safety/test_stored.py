"""The screen stands in front of the store: nothing masked is at rest, nothing planted speaks."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus
from realmemory.errors import InvalidInputError
from realmemory.flows.lookup import filtered
from realmemory.types import Status
from safety.corpus import ATTACKS, HARMLESS, SECRETS


@pytest.fixture
def memory(tmp_path):
    with Hippocampus.open(tmp_path / "memory") as opened:
        yield opened


def files_with(folder, needle):
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and needle.encode() in path.read_bytes()
    ]


def test_no_secret_is_in_any_file_of_the_store(memory):
    for name, secret in SECRETS.items():
        result = memory.remember(f"The {name} key is {secret}", force_new=True)
        assert "masked" in result.warnings[0]
    token = SECRETS["github classic"]
    memory.remember("Deploys use a token", tags=[token[:40]], meta={"env": {"TOKEN": [token]}})
    memory.remember("Deploys use a token, see the log", meta={token: 1}, force_new=True)
    memory.store_conversation([{"text": f"my key is {token}", "speaker": "Ann"}])
    memory.update_fact(1, f"The key was changed to {SECRETS['gitlab']}")
    memory.consolidate()
    folder = memory.path
    memory.close()

    for secret in SECRETS.values():
        assert files_with(folder, secret.splitlines()[-1][:40]) == []
    assert files_with(folder, "secret:github_token") != []


def test_a_stated_secret_is_in_no_file_wherever_it_stands(memory):
    token = SECRETS["github classic"]
    result = memory.remember(
        "Deploys run at night", session_id=token, meta={"password": "hunter2secret"}
    )
    assert result.warnings == ("a secret was masked and not stored: in meta, session_id",)
    report = memory.store_conversation(
        [{"text": "The root password for db1 is Tr0ub4dor&3", "speaker": token, "role": "user"}],
        session_id=token,
        tags=[token],
        metadata={"password": 83_920_174},
    )
    assert {"in the name of the session", "in the name of a speaker"} <= {
        told.rpartition(": ")[2] for told in report.warnings
    }
    for write in (memory.remember, lambda *a, **k: memory.store_conversation([{"text": "x"}], **k)):
        with pytest.raises(InvalidInputError) as refused:
            write("The scope is a token", scope=token)
        assert refused.value.code == "secret_refused"
        assert token not in str(refused.value)
    folder = memory.path
    memory.close()

    for secret in (token, "hunter2secret", "Tr0ub4dor&3", "83920174"):
        assert files_with(folder, secret) == []


def test_who_writes_is_stored_without_a_secret_and_found_by_the_name_given(tmp_path):
    token = SECRETS["github classic"]
    folder = tmp_path / "memory"
    with Hippocampus.open(folder, author=f"Ann {token}") as memory:
        first = memory.remember("The lighthouse is 41 metres tall.")
        assert memory.get(first.memory_id).author == "Ann [secret:github_token]"
        # The same author again, so that it is the same memory.
        assert memory.remember("The lighthouse is 41 m tall.").memory_id == first.memory_id
        written = filtered(memory.context, author=f"Ann {token}")
        assert [trace.id for trace in written] == [first.memory_id]
    assert files_with(folder, token) == []


def test_a_planted_instruction_never_reaches_recall(memory):
    memory.remember(HARMLESS[0])
    for name, text in ATTACKS.items():
        result = memory.remember(text, origin="tool")
        assert result.quarantined, name
        assert memory.get(result.memory_id).status is Status.QUARANTINED

    for text in ATTACKS.values():
        packet = memory.recall(text, k=50, all_scopes=True, include_superseded=True)
        assert [item.text for item in packet.items if item.text != HARMLESS[0]] == []


def test_a_revision_is_no_way_around_the_screen(memory):
    known = memory.remember("Deploys run at night").memory_id

    with pytest.raises(InvalidInputError) as refused:
        memory.update_fact(known, ATTACKS["plain"], origin="agent")

    assert refused.value.code == "held_back"
    assert f"memory {known} stands" in str(refused.value)
    assert [trace.text for trace in memory.list(status=None)] == ["Deploys run at night"]
    changed = memory.update_fact(known, ATTACKS["plain"]).memory_id
    assert memory.get(changed).status is Status.ACTIVE


def test_what_is_held_back_is_listed_with_the_reason(memory):
    memory.remember(ATTACKS["plain"], origin="import")

    (held,) = memory.list(status="quarantined")

    assert "instruction:override" in held.meta["_screen"]
    assert memory.stats()["memories_quarantined"] == 1


def test_the_same_words_from_the_user_are_remembered_as_data(memory):
    result = memory.remember(ATTACKS["plain"])

    assert not result.quarantined
    assert memory.get(result.memory_id).status is Status.ACTIVE
    assert "kept as data" in result.warnings[0]


def test_personal_data_is_tagged_and_kept(memory):
    result = memory.remember("Ann's address is ann.lee@example.org")

    trace = memory.get(result.memory_id)
    assert trace.text.endswith("ann.lee@example.org")
    assert trace.meta["_screen"] == ["personal:email"]
