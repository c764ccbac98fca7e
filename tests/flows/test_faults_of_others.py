"""Faults that a memory of this kind had before us; each must stay impossible."""

from __future__ import annotations

import pytest

from realmemory import (
    DecisionAction,
    FakeClock,
    Hippocampus,
    InvalidInputError,
    NotFoundError,
    Source,
    Status,
)
from realmemory.clock import DAY
from realmemory.store.restoring import restore


def test_unrelated_facts_do_not_merge(memory):
    memory.remember("The deploy of the API is done by the ops team")
    for text in (
        "Use the blue theme for the dashboard",
        "The meeting with the team is on the second floor",
    ):
        assert memory.remember(text).created
    assert len(memory.list()) == 3


def test_a_crowd_of_short_rows_elsewhere_does_not_push_the_own_row_out(memory):
    for number in range(40):
        memory.remember(f"ERR4042 seen {number} times", scope="other")
    mine = memory.remember("ERR4042 means that the licence server is asleep", scope="mine")

    packet = memory.recall("ERR4042", scope="mine")
    assert [item.memory_id for item in packet.items] == [mine.memory_id]


def test_revising_into_a_live_fact_leaves_one_live_fact(memory):
    live = memory.remember("The quota is 20 GB").memory_id
    old = memory.remember("The allowance is 10 GB").memory_id

    result = memory.update_fact(old, "The quota is 20 GB")

    assert (result.memory_id, result.created) == (live, False)
    assert [trace.id for trace in memory.list()] == [live]
    assert memory.get(old).superseded_by == live


def test_accents_and_letters_do_not_hide_a_match(memory):
    cafe = memory.remember("Café Zürich serves the best rösti").memory_id
    report = memory.remember("Отчёт партнёрам отправляет Кира").memory_id

    assert memory.recall("cafe zurich").items[0].memory_id == cafe
    assert memory.recall("отчет партнерам").items[0].memory_id == report


def test_scripts_without_spaces_are_found_and_not_stored_twice(memory):
    first = memory.remember("数据库每天凌晨两点备份")
    again = memory.remember("数据库每天凌晨两点备份")

    assert again.memory_id == first.memory_id
    assert memory.recall("数据库 备份").items[0].memory_id == first.memory_id


def test_a_reinforcing_call_drops_nothing(memory):
    other = memory.remember("The rota is in the kitchen").memory_id
    first = memory.remember("Backups run every night", tags=["ops"], meta={"a": 1}).memory_id
    again = memory.remember(
        "Every night backups run!",
        kind="semantic",
        tags=["db"],
        meta={"b": 2},
        related_ids=[other],
        importance=0.5,
    )

    assert again.memory_id == first
    trace = memory.get(first)
    assert (trace.kind, set(trace.tags), trace.importance) == ("semantic", {"ops", "db"}, 0.5)
    assert (trace.meta["a"], trace.meta["b"]) == (1, 2)
    with memory._context.store.read() as view:
        assert [item.text for item in view.variants.of(first)] == ["Every night backups run!"]
        ends = {link.dst for link in view.links.of([first]) if link.src == first}
    assert other in ends
    assert memory.recall("backups night").items[0].source is not Source.ASSOCIATED


def test_a_wording_is_found_by_its_own_words_and_is_no_second_hit(memory):
    first = memory.remember("The user doesn't like phone calls").memory_id
    again = memory.remember("The user does not like phone calls")
    assert again.memory_id == first
    assert [item.memory_id for item in memory.recall("does not like phone calls").items] == [first]


def test_the_same_author_may_say_it_again_the_other_is_kept_apart(memory, folder, clock):
    from realmemory import Hippocampus  # noqa: PLC0415 - beside its use

    memory.close()
    with (
        Hippocampus.open(folder, clock=clock, author="alice") as alice,
        Hippocampus.open(folder, clock=clock, author="bob") as bob,
    ):
        hers = alice.remember("Staging resets every Monday").memory_id
        his = bob.remember("Staging resets every Monday")
        assert his.decision.action is DecisionAction.LINK
        assert bob.remember("Staging resets every Monday").memory_id == his.memory_id
        assert alice.remember("Staging resets every Monday").memory_id == hers


def test_pasting_what_was_recalled_never_grows_the_store(memory):
    for text in (
        "Kim maintains the search cluster",
        "The canteen closes at three",
        "Staging resets every Monday",
    ):
        memory.remember(text)
    before = (memory.stats()["memories_active"], memory.list())
    for cycle in range(100):
        items = memory.recall("search cluster, canteen and staging").items
        bullets = "\n".join(f"- {item.text}" for item in items)
        marked = "\n".join(f"\u2022 #{item.memory_id} {item.text}" for item in items)
        scored = "\n".join(f"[{item.confidence:.2f}] {item.text}" for item in items)
        pastes = (
            items[0].text,
            f"From realMemory, quoted as data:\n{marked}",
            f"Relevant memories:\n{bullets}",
            scored,
            f"> {items[0].text}",
        )
        paste = pastes[cycle % len(pastes)]
        assert not memory.remember(paste, origin="agent").created, paste

    with memory._context.store.read() as view:
        assert view.variants.of_many([trace.id for trace in before[1]]) == {}
    assert memory.stats()["memories_active"] == before[0]


def test_a_list_with_news_in_it_is_stored(memory):
    memory.remember("The canteen closes at three")
    assert memory.remember("- The canteen closes at three\n- The lift is broken").created


def test_a_contradiction_never_removes_both(memory):
    paris = memory.remember("Kim lives in Paris").memory_id
    rome = memory.remember("Kim lives in Rome")
    assert rome.conflicts == (paris,)

    assert memory.resolve(paris, rome.memory_id, keep=rome.memory_id)

    items = memory.recall("where does Kim live?").items
    assert [item.memory_id for item in items] == [rome.memory_id]
    assert items[0].conflicts_with == ()
    assert [trace.id for trace in memory.history(rome.memory_id)] == [paris, rome.memory_id]


def test_both_may_be_true(memory):
    one = memory.remember("Kim visited Oslo in May").memory_id
    two = memory.remember("Kim visited Oslo in June")
    assert two.conflicts == (one,)
    assert memory.resolve(one, two.memory_id, keep="both")

    hits = {item.memory_id: item.conflicts_with for item in memory.recall("Kim Oslo").items}
    assert hits == {one: (), two.memory_id: ()}


@pytest.mark.parametrize("keep", [0, 99, "neither"])
def test_a_conflict_is_settled_for_one_of_its_sides(memory, keep):
    one = memory.remember("Kim lives in Paris").memory_id
    two = memory.remember("Kim lives in Rome").memory_id
    with pytest.raises(InvalidInputError):
        memory.resolve(one, two, keep=keep)
    with pytest.raises(NotFoundError):
        memory.resolve(one, 4711, keep=one)


@pytest.mark.parametrize("keep", [0, 1])
def test_an_announced_revision_is_no_conflict_to_be_settled(memory, clock, keep):
    old = memory.remember("The team has 5 members").memory_id
    new = memory.update_fact(old, "The team has 7 members", when=clock.now() + DAY).memory_id
    with pytest.raises(InvalidInputError, match=f"restore {old}") as caught:
        memory.resolve(old, new, keep=(old, new)[keep])
    assert caught.value.code == "already_superseded"
    clock.advance(2 * DAY)
    memory.consolidate()
    assert [item.memory_id for item in memory.recall("how many members?").items] == [new]


def test_a_conflict_ends_when_one_side_is_revised(memory):
    one = memory.remember("The quota is 10 GB").memory_id
    two = memory.remember("The quota is 20 GB").memory_id
    memory.update_fact(one, "The quota was 10 GB until May")
    with memory._context.store.read() as view:
        assert view.links.conflicts_of([two]) == {}


def test_a_hundred_unrelated_pairs_invalidate_nothing(memory):
    nouns = ["violin", "kettle", "harbour", "ledger", "orchard", "glacier", "tailor", "comet"]
    verbs = ["rests", "sings", "melts", "turns", "waits"]
    results = [
        memory.remember(f"The {noun} {verb} while {100 + i * 7 + j} apples ripen", scope=f"s{i}{j}")
        for i, noun in enumerate(nouns)
        for j, verb in enumerate(verbs)
    ]
    assert {memory.get(item.memory_id).status for item in results} == {Status.ACTIVE}
    assert all(item.conflicts == () for item in results)


def test_the_past_is_asked_for_by_date(memory, clock):
    start = clock.now()
    old = memory.remember("Kim lives in Paris", when=start - 900 * DAY).memory_id
    new = memory.update_fact(old, "Kim lives in Rome", when=start - 300 * DAY).memory_id

    def at(day: float) -> list[int]:
        return [item.memory_id for item in memory.recall("where does Kim live?", as_of=day).items]

    assert at(start - 500 * DAY) == [old]
    assert at(start - 100 * DAY) == [new]
    assert at(start - 1_000 * DAY) == []
    assert [item.memory_id for item in memory.recall("where does Kim live?").items] == [new]
    assert memory.get(old).valid_to == start - 300 * DAY


def test_the_day_of_writing_never_changes(memory, clock):
    written = memory.remember("The tower has four bells", when=clock.now() - 50 * DAY).memory_id
    created = memory.get(written).created_at
    clock.advance(DAY)
    memory.remember("The tower has four bells")
    memory.feedback(written, 1.0)
    memory.pin(written)
    new = memory.update_fact(written, "The tower has five bells").memory_id

    trace = memory.get(written)
    assert trace.created_at == created
    assert trace.updated_at > created
    assert memory.get(new).created_at > created


def test_a_correction_is_seen_by_another_process_at_once(memory, folder, clock):
    from realmemory import Hippocampus  # noqa: PLC0415 - beside its use

    old = memory.remember("The gate code is kept by Ada").memory_id
    with Hippocampus.open(folder, clock=clock) as other:
        assert [item.memory_id for item in other.recall("gate code kept").items] == [old]
        new = memory.update_fact(old, "The gate code is kept by Noor").memory_id
        assert [item.memory_id for item in other.recall("gate code kept").items] == [new]


def test_a_hard_forget_reaches_backups_or_names_them(memory, folder):
    secret = b"quokka-zanzibar-7431"
    first = memory.remember(f"The vault phrase is {secret.decode()}").memory_id
    memory.remember(f"The phrase of the vault is {secret.decode()}")
    backup = memory.consolidate().backup
    assert backup is not None

    kept = memory.forget(first, hard=True)
    assert [name.rsplit("/", 1)[-1] for name in kept.remaining_copies] == [backup]

    receipt = memory.forget(first, hard=True, backups="rewrite")
    assert receipt.remaining_copies == ()
    assert len(receipt.rewritten_backups) == 1
    memory.close()
    holders = [
        path.name for path in folder.rglob("*") if path.is_file() and secret in path.read_bytes()
    ]
    assert holders == []


def test_every_backup_answers_as_the_memory_did_when_it_was_made(tmp_path):
    def answers(memory):
        return [
            [(hit.text, round(hit.confidence, 6)) for hit in memory.recall(query).items]
            for query in ("when does valve 3 open?", "who keeps the keys?", "qwzx plugh")
        ]

    clock = FakeClock()
    made = []
    with Hippocampus.open(tmp_path / "m", clock=clock) as memory:
        memory.remember_many(f"Valve {n} opens at {n * 13 + 7} bar" for n in range(40))
        for name in ("Ann", "Ben", "Cem"):
            kept = memory.remember(f"The keys are kept by {name} of the night shift").memory_id
            memory.feedback([kept], 1.0)
            memory.forget([kept - 30])
            made.append((memory.context.store.backup().path, clock.now(), answers(memory)))
            clock.advance(DAY)
            memory.consolidate()
    assert made[0][2] != made[-1][2]
    for backup, moment, told in made:
        drill = tmp_path / backup.stem
        restore(drill, backup, clock=clock)
        with Hippocampus.open(drill, clock=FakeClock(moment)) as memory:
            assert memory.context.store.verify().ok
            assert answers(memory) == told


@pytest.mark.parametrize("column", ["kind", "status"])
def test_a_damaged_byte_in_one_row_keeps_no_other_from_being_found(tmp_path, column):
    with Hippocampus.open(tmp_path / "memory") as memory:
        for keeper in ("Morwenna", "Tobias", "Ilse"):
            hurt = memory.remember(f"The keeper {keeper} has the key to lighthouse {keeper[0]}")
        with memory.context.store.write() as tx:
            tx._session.run("PRAGMA ignore_check_constraints = ON")
            tx._session.run(
                f"UPDATE traces SET {column} = CAST(x'65da' AS TEXT) WHERE id = ?",
                (hurt.memory_id,),
            )
    with Hippocampus.open(tmp_path / "memory") as memory:
        found = [item.text for item in memory.recall("who has the key to a lighthouse?").items]
    assert len(found) == 2
    assert not any("Ilse" in text for text in found)
