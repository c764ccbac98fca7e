"""An async program teaches, settles, releases and tends a memory as a synchronous one does."""

from __future__ import annotations

import asyncio

import pytest

from realmemory import Hippocampus, MemoryClient
from realmemory.errors import NotFoundError
from safety.corpus import ATTACKS


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def test_feedback_decides_between_equals_and_ignores_what_is_not_seen(folder):
    async def main():
        async with (
            MemoryClient("project:red", path=folder) as red,
            MemoryClient("project:blue", path=folder) as blue,
        ):
            seen = (await red.store("The kettle is in the pantry"))["memory_id"]
            hidden = (await blue.store("The ladder is in the shed"))["memory_id"]
            assert await red.feedback([seen, hidden, 999_999], 1.0) == 1
            assert await red.feedback(seen, -1.0) == 1

    asyncio.run(main())


def test_what_was_held_back_is_released_or_rejected(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            held = [
                (await client.store(text))["memory_id"]
                for text in (ATTACKS["plain"], ATTACKS["secrecy"])
            ]
            assert await client.count(status="quarantined") == 2
            assert await client.confirm(held[0]) == 1
            assert await client.confirm(held, reject=True) == 1
            assert (await client.get(held[0]))["status"] == "active"
            assert (await client.get(held[1]))["status"] == "archived"

    asyncio.run(main())


def test_forgotten_memories_come_back_and_pins_hold(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            known = (await client.store("The kettle is in the pantry"))["memory_id"]
            await client.forget(known)
            assert await client.count() == 0
            assert await client.restore(known) == 1
            assert await client.count() == 1
            assert [await client.pin(known), await client.pin(known)] == [1, 0]
            assert await client.unpin([known]) == 1

    asyncio.run(main())


def test_links_and_conflicts_are_settled_within_what_is_seen(folder):
    async def main():
        async with (
            MemoryClient("project:red", path=folder) as red,
            MemoryClient("project:blue", path=folder) as blue,
        ):
            one = (await red.store("The kettle is in the pantry"))["memory_id"]
            other = (await red.store("The teapot was a gift of Ann"))["memory_id"]
            hidden = (await blue.store("The ladder is in the shed"))["memory_id"]
            assert await red.link_memories([one, other]) == 2
            assert await red.resolve(one, other, keep=other) is False
            assert (await red.get(one))["superseded_by"] == other
            for call in (
                red.link_memories([one, hidden]),
                red.resolve(one, hidden, keep="both"),
                *(method(hidden) for method in (red.confirm, red.restore, red.pin, red.unpin)),
            ):
                with pytest.raises(NotFoundError, match=f" {hidden}$"):
                    await call

    asyncio.run(main())


def test_a_sleep_is_reported_and_taken_back(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            await client.store("The kettle is in the pantry")
            report = await client.consolidate(dry_run=True)
            assert report.dry_run
            await client.consolidate()
            with pytest.raises(NotFoundError):
                await client.undo("no such sleep")
            assert (await client.stats())["memories_active"] == 1

    asyncio.run(main())


def test_the_client_has_every_method_that_tends_a_memory():
    methods = (
        *("feedback", "link_memories", "resolve", "confirm", "restore", "pin", "unpin"),
        *("consolidate", "undo", "stats", "count"),
    )
    for name in methods:
        assert callable(getattr(Hippocampus, name))
        assert callable(getattr(MemoryClient, name))


def test_what_is_counted_is_what_is_seen(memory):
    memory.remember("The kettle is in the pantry")
    memory.remember("The ladder is in the shed", scope="red")
    forgotten = memory.remember("The bike has a flat tyre", scope="blue").memory_id
    memory.forget(forgotten)

    assert [memory.count(), memory.count(scope="red"), memory.count(scope="blue")] == [1, 2, 1]
    assert memory.count(all_scopes=True, status=None) == 3
    assert memory.count(scope="blue", status="archived") == 1


def test_a_memory_that_was_held_back_is_confirmed(memory):
    held = memory.remember(ATTACKS["plain"], origin="tool").memory_id

    assert [memory.confirm([held]), memory.confirm(held)] == [1, 0]
    assert memory.get(held).status == "active"
    with pytest.raises(NotFoundError):
        memory.confirm(999_999)
