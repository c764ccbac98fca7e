"""A replaced memory takes every argument; a bulk call says of each item what became of it."""

from __future__ import annotations

import asyncio

import pytest

from realmemory import ConversationTurn, MemoryClient
from realmemory.errors import InvalidInputError, NotFoundError


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def test_what_replaces_a_memory_keeps_everything_that_was_said_about_it(folder):
    async def main():
        async with MemoryClient("project:shop", path=folder) as client:
            old = await client.store("The budget owner is Ole", ["fin"], 0.3, session_id="s1")
            new = await client.store(
                "The budget owner is Pia",
                ["money"],
                0.9,
                "since May",
                {"by": "mail"},
                entry_id=old["memory_id"],
                expires="2035-01-01T00:00:00Z",
                kind="semantic",
                source="human",
                session_id="s2",
            )
            assert new["status"] == "updated"
            kept = await client.get(new["memory_id"])
            assert kept["content"] == "The budget owner is Pia\nsince May"
            assert (kept["tags"], kept["importance"]) == (["money"], 0.9)
            assert (kept["kind"], kept["origin"], kept["session_id"]) == ("semantic", "user", "s2")
            assert kept["metadata"]["by"] == "mail"
            assert kept["expires_at"] == "2035-01-01T00:00:00Z"

    asyncio.run(main())


def test_what_a_replacement_does_not_say_stays_as_it_was(folder):
    async def main():
        async with MemoryClient("project:shop", path=folder) as client:
            old = await client.store("The port is 80", ["net"], 0.8, source="human")
            for new in (
                await client.store("The port is 81", entry_id=old["memory_id"]),
                await client.update((await client.list())[0]["memory_id"], "The port is 82"),
            ):
                kept = await client.get(new["memory_id"])
                assert (kept["tags"], kept["importance"]) == (["net"], 0.8)
                assert (kept["kind"], kept["origin"]) == ("episodic", "user")

    asyncio.run(main())


def test_a_bulk_call_replaces_what_its_items_name(folder):
    async def main():
        async with (
            MemoryClient("project:shop", path=folder) as client,
            MemoryClient("project:other", path=folder) as other,
        ):
            old = (await client.store("The budget owner is Ole"))["memory_id"]
            hidden = (await other.store("The budget owner is Kim"))["memory_id"]
            summary = await client.bulk_store(
                [
                    {"content": "The shed is red"},
                    {"content": "The budget owner is Pia", "entry_id": old, "tags": ["fin"]},
                    {"content": "Nobody owns it", "entry_id": 99_999},
                    {"content": "Somebody else owns it", "entry_id": hidden},
                    {"content": "The fence is green"},
                ]
            )
            assert [item.status for item in summary.items] == [
                *("stored", "updated", "rejected", "rejected", "stored"),
            ]
            assert summary.rejected_reasons == {"not_found": 2}
            listed = [(item["content"], item["tags"]) for item in await client.list()]
            assert listed == [
                ("The fence is green", []),
                ("The budget owner is Pia", ["fin"]),
                ("The shed is red", []),
            ]
            assert (await other.get(hidden))["content"] == "The budget owner is Kim"

    asyncio.run(main())


@pytest.mark.parametrize("item", [5, None, "text", ["text"], {"content": "x", "source": ["human"]}])
def test_an_item_that_cannot_be_read_stops_no_other(folder, item):
    async def main():
        async with MemoryClient(path=folder) as client:
            summary = await client.bulk_store([{"content": "The shed is red"}, item])
            assert [one.status for one in summary.items] == ["stored", "rejected"]
            assert summary.items[1].skipped_reason in {"invalid_item", "invalid_origin"}

    asyncio.run(main())


def test_a_text_in_place_of_tags_is_refused(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            known = (await client.store("The gate is shut"))["memory_id"]
            for call in (
                client.store("The shed is red", tags="abc"),
                client.update(known, "The gate is open", tags="abc"),
            ):
                with pytest.raises(InvalidInputError) as caught:
                    await call
                assert caught.value.code == "invalid_tags"
            summary = await client.bulk_store([{"content": "The shed is red", "tags": "abc"}])
            assert summary.items[0].skipped_reason == "invalid_tags"
            assert await client.store("The shed is blue", tags=None)

    asyncio.run(main())


@pytest.mark.parametrize("messages", ["abc", b"abc", 5, None, {"content": "x"}, ["abc"], [5]])
def test_what_is_no_conversation_is_refused_in_words(folder, messages):
    async def main():
        async with MemoryClient(path=folder) as client:
            with pytest.raises(InvalidInputError) as caught:
                await client.store_conversation(messages)
            assert caught.value.code == "invalid_turn"

    asyncio.run(main())


def test_turns_may_be_told_by_their_index(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            yes = [ConversationTurn(text="yes", speaker="Ann"), {"content": " "}]
            kept = [
                await client.store_conversation(yes, session_id="s", first_turn=at)
                for at in (0, 1, 1)
            ]
            assert [(one.stored, one.updated, one.rejected) for one in kept] == [
                *((1, 0, 1), (1, 0, 1), (0, 1, 1)),
            ]

    asyncio.run(main())


def test_an_unknown_memory_is_not_replaced(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            with pytest.raises(NotFoundError):
                await client.store("Nobody", entry_id=99_999)
            assert await client.list() == []

    asyncio.run(main())
