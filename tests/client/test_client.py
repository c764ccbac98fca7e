"""The async client, under asyncio and trio: the synchronous memory, nothing less."""

from __future__ import annotations

import asyncio

import pytest

from realmemory import Hippocampus, MemoryClient
from realmemory.client import scope_of
from realmemory.errors import InvalidInputError, NotFoundError, RealMemoryError, StoreError
from safety.corpus import ATTACKS, SECRETS

try:
    import trio
except ImportError:
    trio = None

LOOPS = {"asyncio": asyncio.run}
if trio is not None:
    LOOPS["trio"] = lambda coroutine: trio.run(lambda: coroutine)


@pytest.fixture(params=LOOPS)
def run(request):
    return LOOPS[request.param]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "memory"


def test_an_end_that_has_passed_is_warned_of_and_one_before_the_beginning_refused(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            answer = await client.store("The gym code is 12", expires="2020-01-01")
            assert "it expired at 2020-01-01" in answer["warnings"][0]
            with pytest.raises(InvalidInputError) as caught:
                await client.store("The gym code is 12", when="2026-01-01", expires="2025-01-01")
            assert caught.value.code == "invalid_range"

    run(main())


def test_what_is_stored_is_recalled_by_relevance(run, folder):
    async def main():
        async with MemoryClient("project:shop", path=folder) as client:
            answer = await client.store("The shop uses PostgreSQL 16", ["db"], 0.9)
            assert answer["status"] == "stored"
            assert answer["namespace"] == "project:shop"
            hits = await client.recall("which database does the shop use?")
            assert [hit["memory_id"] for hit in hits] == [answer["memory_id"]]
            assert hits[0]["tags"] == ["db"]
            assert 0 < hits[0]["score"] <= 1
            assert await client.recall("PostgreSQL", min_score=1.0) == []
            assert await client.recall("PostgreSQL", tags=["other"]) == []
            assert (await client.recall_packet("qwzx plugh")).abstained

    run(main())


@pytest.mark.parametrize(
    ("namespace", "scope"),
    [
        ("default", "global"),
        ("global", "global"),
        ("user:local", "global"),
        ("user:ann@example.org", "user:ann@example.org"),
        ("project:my app.v2", "my app.v2"),
        ("team:platform", "team:platform"),
        ("org:acme", "org:acme"),
    ],
)
def test_a_namespace_is_a_scope(namespace, scope):
    assert scope_of(namespace) == scope


@pytest.mark.parametrize("namespace", ["", "shop", "project:", "project:../x", "other:x", "user: "])
def test_what_is_no_namespace_is_refused(namespace):
    with pytest.raises(InvalidInputError) as caught:
        MemoryClient(namespace)
    assert caught.value.code == "invalid_scope"


def test_a_namespace_sees_itself_and_global_and_nothing_else(run, folder):
    async def main():
        async with (
            MemoryClient("project:red", path=folder) as red,
            MemoryClient("project:blue", path=folder) as blue,
            MemoryClient("default", path=folder) as everyone,
        ):
            hidden = (await red.store("Red team canary 7431 sings"))["memory_id"]
            shared = (await everyone.store("Every team may see canary 9952"))["memory_id"]
            listings = (
                await blue.recall("canary", 50),
                await blue.search(),
                await blue.search_fts("canary"),
                await blue.list(),
            )
            for listing in listings:
                assert {item["memory_id"] for item in listing} == {shared}
            for call in (blue.get, blue.history, blue.forget):
                with pytest.raises(NotFoundError, match=f" {hidden}$"):
                    await call(hidden)
                with pytest.raises(NotFoundError, match=r" 999999$"):
                    await call(999_999)
            with pytest.raises(NotFoundError):
                await blue.update(hidden, "overwritten")
            assert (await red.get(hidden))["content"] == "Red team canary 7431 sings"

    run(main())


def test_a_bulk_call_answers_item_by_item(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            summary = await client.bulk_store(
                [
                    {"content": "The cat is called Mia"},
                    {"content": "   "},
                    {"content": "The cat is called Mia"},
                    {"content": ATTACKS["plain"], "source": "tool"},
                    {"content": "x", "importance": 7},
                    {"text": "no content"},
                    {"content": "Tuesday is pizza day", "when": "2026-03-01", "tags": ["food"]},
                ]
            )
            assert [item.status for item in summary.items] == [
                *("stored", "rejected", "updated", "quarantined"),
                *("rejected", "rejected", "stored"),
            ]
            assert (summary.total, summary.stored, summary.updated) == (7, 2, 1)
            assert (summary.quarantined, summary.rejected) == (1, 3)
            assert summary.rejected_reasons["empty_text"] == 1
            assert not summary.succeeded
            assert await client.store_many([{"content": "One more fact"}, {"content": ""}]) == 1
            (pizza,) = await client.search(["food"])
            assert pizza["observed_at"] == "2026-03-01T00:00:00Z"
            with pytest.raises(InvalidInputError):
                await client.bulk_store([])

    run(main())


def test_a_conversation_is_kept_turn_by_turn_at_the_time_it_happened(run, folder):
    async def main():
        async with MemoryClient("project:chat", path=folder) as client:
            messages = [
                {"speaker": "Ann", "content": "I adopted a cat yesterday"},
                {"speaker": "Ben", "content": "  "},
                {"speaker": "Ben", "content": "What is its name?"},
            ]
            call = {"observed_at": "2023-05-08T10:00:00Z", "session_id": "s1"}
            first = await client.store_conversation(messages, **call)
            again = await client.store_conversation(messages, **call)

            assert (first.total, first.stored, first.rejected) == (3, 2, 1)
            assert (again.stored, again.updated) == (0, 2)
            turn = await client.get(first.items[0].memory_id)
            assert turn["content"] == "I adopted a cat yesterday"
            assert turn["observed_at"] == "2023-05-08T10:00:00Z"
            assert len(await client.recall("adopted a cat", as_of="2023-06-01")) >= 1

    run(main())


@pytest.mark.parametrize(
    ("argument", "given", "told"),
    [
        ("messages", [{"content": " "}, {"content": "Hello"}, {"says": "Hi"}], "messages[2] has"),
        ("messages", [{"content": "Hello"}, "Hi"], "messages[1] is no mapping"),
        ("messages", "Hello", "messages are a list of turns"),
        ("preceding", [{"content": "Hello"}, {}], "preceding[1] has"),
    ],
)
def test_a_turn_that_cannot_be_used_is_named_by_the_callers_argument(
    run, folder, argument, given, told
):
    async def main():
        async with MemoryClient("project:chat", path=folder) as client:
            call = {"messages": [{"content": "Fine"}], argument: given}
            with pytest.raises(InvalidInputError) as caught:
                await client.store_conversation(**call)
            assert told in str(caught.value)

    run(main())


def test_hits_of_a_conversation_bring_turns_and_are_gathered_by_session(run, folder):
    said = ["I adopted a grey cat.", "What is its name?", "The cat is called Tuesday."]

    async def main():
        async with MemoryClient("project:shop", path=folder) as client:
            turns = [{"content": text, "speaker": "Ann"} for text in said]
            await client.store_conversation(turns, session_id="s1", observed_at="2024-05-01")
            other = [{"content": "My cat is red.", "speaker": "Ben"}]
            await client.store_conversation(other, session_id="s2", observed_at="2024-06-01")

            plain = await client.recall("grey cat adopted")
            assert plain[0]["around"] == []
            (hit, *_) = await client.recall("grey cat adopted", window=1)
            assert [turn["content"] for turn in hit["around"]] == [said[1]]

            groups = await client.recall("cat", group_by="session")
            assert sorted(hit["session_id"] for hit in groups) == ["s1", "s2"]
            assert {hit["session_id"]: bool(hit["also"]) for hit in groups} == {
                "s1": True,
                "s2": False,
            }

            may = await client.recall("Which cat was it yesterday?", now="2024-05-02")
            june = await client.recall("Which cat was it yesterday?", now="2024-06-02")
            assert (may[0]["session_id"], june[0]["session_id"]) == ("s1", "s2")
            with pytest.raises(InvalidInputError):
                await client.recall("cat", now="yesterday")

    run(main())


def test_a_fact_is_replaced_and_its_history_kept(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            old = (await client.store("The favourite editor is vim"))["memory_id"]
            new = await client.store("The favourite editor is emacs", entry_id=old)

            assert new["status"] == "updated"
            hits = await client.recall("favourite editor")
            assert [hit["memory_id"] for hit in hits] == [new["memory_id"]]
            versions = await client.history(old)
            assert [item["memory_id"] for item in versions] == [old, new["memory_id"]]

    run(main())


def test_words_are_found_in_any_form_phrase_or_prefix(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            await client.store("The agency was relocating its servers")
            await client.store("Servers of the agency stay", metadata={"n": 1})

            async def count(query):
                return len(await client.search_fts(query))

            assert await count("relocation agencies") == 2
            assert await count('"its servers"') == 1
            assert await count("reloc*") == 1
            assert [await count(text) for text in ('"', "*", "AND", "col:", "(", "a OR")] == [0] * 6

    run(main())


def test_forgetting_is_by_id_or_by_author(run, folder):
    async def main():
        async with (
            MemoryClient("project:x", path=folder, author="ann") as ann,
            MemoryClient("project:x", path=folder, author="ben") as ben,
        ):
            await ann.store("Ann likes tea")
            await ann.store("Ann bought a green bicycle")
            await ben.store("Ben plays the cello")
            assert (await ben.forget(actor="ann"))["entries_deleted"] == 2
            assert [item["author"] for item in await ann.list()] == ["ben"]
            with pytest.raises(InvalidInputError):
                await ann.forget()

    run(main())


def test_an_error_of_the_memory_arrives_as_itself(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            with pytest.raises(InvalidInputError) as caught:
                await client.store(" ")
            assert caught.value.code == "empty_text"
            with pytest.raises(InvalidInputError):
                await client.recall("x", as_of="yesterday")
            masked = await client.store(f"token {SECRETS['github classic']}")
            assert "masked" in masked["warnings"][0]

    run(main())


def test_calls_run_side_by_side_and_closing_waits_for_them(folder):
    async def main():
        client = MemoryClient("project:p", path=folder)
        writes = [
            asyncio.create_task(client.store(f"Item number {n} weighs {n * 17} grams"))
            for n in range(20)
        ]
        await asyncio.sleep(0)
        await client.aclose()
        assert len({(await write)["memory_id"] for write in writes}) == 20
        await client.aclose()

    asyncio.run(main())
    with Hippocampus.open(folder) as memory:
        assert len(memory.list(all_scopes=True)) == 20


def test_a_cancelled_write_is_whole(folder):
    async def main():
        client = MemoryClient("project:p", path=folder)
        await client.store("An earlier item")
        write = asyncio.create_task(
            client.bulk_store([{"content": f"Batch item {n} of {n * 31}"} for n in range(200)])
        )
        await asyncio.sleep(0.001)
        write.cancel()
        with pytest.raises(asyncio.CancelledError):
            await write
        await client.aclose()

    asyncio.run(main())
    with Hippocampus.open(folder) as memory:
        assert len(memory.list(all_scopes=True, limit=500)) == 201


def test_a_closed_client_says_so(folder):
    async def main():
        client = MemoryClient(path=folder)
        await client.store("Something")
        await client.aclose()
        with pytest.raises(RuntimeError):
            await client.store("Too late")

    asyncio.run(main())


def test_making_a_client_touches_nothing(folder):
    MemoryClient(path=folder)
    assert not folder.exists()


class Registry:
    def __init__(self):
        self.tools = {}

    def register_tool(self, name, function):
        self.tools[name] = function


class Decorated:
    def __init__(self):
        self.tools = {}

    def tool(self):
        def take(function):
            self.tools[function.__name__] = function
            return function

        return take


@pytest.mark.parametrize("kind", [Registry, Decorated])
def test_an_agent_gets_four_tools_once(kind, folder):
    async def main():
        agent = kind()
        async with MemoryClient(path=folder) as client:
            client.register_tools(agent)
            assert sorted(agent.tools) == [
                *("memory_forget", "memory_recall", "memory_search", "memory_store"),
            ]
            assert all(tool.__doc__ for tool in agent.tools.values())
            kept = await agent.tools["memory_store"]("The office plant is a ficus")
            assert await agent.tools["memory_recall"]("office plant")
            assert await agent.tools["memory_search"]()
            assert (await agent.tools["memory_forget"](kept["memory_id"]))["entries_deleted"] == 1
            with pytest.raises(RealMemoryError) as caught:
                client.register_tools(agent)
            assert caught.value.code == "tools_registered"
            with pytest.raises(TypeError):
                client.register_tools(object())

    asyncio.run(main())


def test_recall_is_injected_and_never_stops_the_function(folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            await client.store("The office plant is a ficus")

            @client.auto_recall("question", limit=3)
            async def answer(question, *, recalled_memories=()):
                return [item["content"] for item in recalled_memories]

            assert await answer("which plant is in the office?") == ["The office plant is a ficus"]
            assert await answer(question="   ") == []
            with pytest.raises(TypeError):
                client.auto_recall("question")(lambda question: question)
            with pytest.raises(TypeError):
                client.auto_recall("other")(answer)

    asyncio.run(main())


def test_an_argument_that_no_item_has_is_named(run, folder):
    async def main():
        async with MemoryClient(path=folder) as client:
            kept = await client.store("The office plant is a ficus", kind="semantic")
            for call in (
                client.store("The office plant is a palm", colour="green"),
                client.update(kept["memory_id"], "The office plant is a palm", colour="green"),
            ):
                with pytest.raises(InvalidInputError, match="colour") as caught:
                    await call
                assert caught.value.code == "invalid_item"
            assert len(await client.list()) == 1

    run(main())


def test_a_client_that_was_closed_says_so(run, folder):
    async def main():
        client = MemoryClient(path=folder)
        await client.store("The shop uses PostgreSQL 16")
        await client.aclose()
        for call in (client.recall("shop"), client.store("The shop moved"), client.get(1)):
            with pytest.raises(StoreError) as caught:
                await call
            assert caught.value.code == "closed"
        await client.aclose()

    run(main())
