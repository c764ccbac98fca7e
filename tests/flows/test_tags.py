"""A question may be put to what carries certain tags, however far down it stands among the rest."""

from __future__ import annotations

import asyncio
import json

import pytest

from realmemory import AbstainReason, Hippocampus, InvalidInputError, MemoryClient, WriteRequest
from realmemory.cli.root import run

QUESTION = "which harbour note mentions the pier?"
RARE = "The harbour note about whales mentions a port."


@pytest.fixture
def harbour(tmp_path):
    """A memory in which 61 notes answer a question better than the tagged one."""
    with Hippocampus.open(tmp_path / "memory") as memory:
        memory.remember_many(
            WriteRequest(
                text=f"The harbour note {at} mentions the port and the pier {at}",
                tags=("odd",) if at % 2 else (),
            )
            for at in range(61)
        )
        memory.remember(RARE, tags=["whale", "odd"])
        yield memory


def test_a_tag_decides_before_any_limit(harbour):
    best = harbour.recall(QUESTION, k=1)
    assert "whale" not in best.items[0].tags

    packet = harbour.recall(QUESTION, k=1, tags=["whale"])

    assert [item.text for item in packet.items] == [RARE]


def test_every_tag_must_be_there(harbour):
    odd = harbour.recall(QUESTION, k=50, tags=["odd"])
    both = harbour.recall(QUESTION, k=50, tags=["odd", "whale"])

    assert len(odd.items) > 1
    assert all("odd" in item.tags for item in odd.items)
    assert [item.text for item in both.items] == [RARE]


def test_a_tag_that_nothing_carries_leaves_nothing(harbour):
    packet = harbour.recall(QUESTION, tags=["no such tag"])

    assert packet.abstained
    assert packet.reason is AbstainReason.NOTHING_MATCHED


def test_what_is_linked_or_put_away_must_carry_the_tag_too(memory):
    tagged = memory.remember("The kettle is in the pantry", tags=["kitchen"]).memory_id
    other = memory.remember("Ann gave us the copper teapot").memory_id
    memory.feedback(memory.link_memories([tagged, other]) and [tagged, other], 1.0)
    memory.consolidate()
    gone = memory.remember("The old kettle stood on the kettle shelf").memory_id
    memory.forget(gone)

    packet = memory.recall("where is the kettle?", tags=["kitchen"], include_archived=True)

    assert [item.memory_id for item in packet.items] == [tagged]


def test_a_passage_of_a_tagged_text_is_found(memory):
    filler = " ".join(f"Paragraph {at} speaks of sails and ropes." for at in range(400))
    text = f"{filler} The vault opens with a brass key. {filler}"
    memory.remember(text, tags=["manual"])
    memory.remember("The vault opens with a silver key.")

    packet = memory.recall("what opens the vault?", tags=["manual"])

    assert len(packet.items) == 1
    start, end = packet.items[0].span
    assert "brass key" in text[start:end]


def test_the_turns_beside_a_tagged_hit_need_no_tag(memory):
    memory.store_conversation([{"text": "Shall we adopt the cat?"}], session_id="s")
    memory.store_conversation(
        [{"text": "The cat is called Tuesday."}], session_id="s", tags=["pet"]
    )

    packet = memory.recall("what is the cat called?", tags=["pet"], window=1)

    assert [turn.text for turn in packet.items[0].around] == ["Shall we adopt the cat?"]


def test_another_scope_that_knows_is_told_of(memory):
    memory.remember("The kettle is in the pantry", scope="flat", tags=["kitchen"])

    packet = memory.recall("where is the kettle in the pantry?", scope="office", tags=["kitchen"])
    elsewhere = memory.recall("where is the kettle in the pantry?", scope="office", tags=["car"])

    assert packet.reason is AbstainReason.ONLY_OTHER_SCOPE
    assert elsewhere.reason is AbstainReason.NOTHING_MATCHED


@pytest.mark.parametrize("tags", ["whale", [""], [5], 5])
def test_what_are_no_tags_is_refused(memory, tags):
    with pytest.raises(InvalidInputError) as caught:
        memory.recall(QUESTION, tags=tags)
    assert caught.value.code == "invalid_tags"


def test_the_client_and_the_command_line_ask_by_tag(harbour, capsys):
    path = harbour.path
    harbour.close()

    async def asked():
        async with MemoryClient(path=path) as client:
            return await client.recall(QUESTION, limit=1, tags=["whale"])

    assert [hit["content"] for hit in asyncio.run(asked())] == [RARE]
    wanted = ["--tag", "odd", "--tag", "whale"]
    assert run(["--path", str(path), "--json", "recall", QUESTION, *wanted]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [item["text"] for item in shown["items"]] == [RARE]
