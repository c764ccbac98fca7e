"""Memory that fades, is renewed by use, and never falls into a hole that it cannot leave."""

from __future__ import annotations

import pytest

from realmemory import ConfigurationError, Hippocampus, Kind, MemoryConfig, Source, Status
from realmemory.clock import DAY

FACT = "The mascot of the team is a heron"


def test_being_used_preserves_and_being_shown_does_not(memory, clock):
    used = memory.remember("Kim maintains the search cluster").memory_id
    shown = memory.remember("The canteen closes at three").memory_id
    for _ in range(25):
        clock.advance(4 * DAY)
        for packet in (memory.recall("who maintains search?"), memory.recall("canteen closes")):
            memory.feedback([item.memory_id for item in packet.items if item.memory_id == used], 1)
        memory.consolidate(if_due=True)

    assert memory.get(used).status is Status.ACTIVE
    assert memory.get(shown).status is Status.ARCHIVED


def test_a_companion_in_a_rewarded_packet_keeps_part_of_its_life(memory, clock):
    named = memory.remember("The heron guards the eastern pond").memory_id
    beside = memory.remember("The eastern pond freezes in January").memory_id
    alone = memory.remember("Invoices leave on the first Monday").memory_id
    clock.advance(20 * DAY)
    packet = memory.recall("eastern pond")
    assert {item.memory_id for item in packet.items} == {named, beside}

    memory.feedback(named, 1.0)

    renewed = {item: memory.get(item).last_reinforced_at for item in (named, beside, alone)}
    assert renewed[named] > renewed[beside] > renewed[alone]


def test_a_weakened_memory_comes_back_by_reward(memory):
    written = memory.remember(FACT).memory_id
    memory.feedback(written, -1.0)
    assert memory.recall("mascot of the team").abstained
    memory.feedback(written, 1.0)
    assert memory.recall("mascot of the team").items[0].memory_id == written


def test_small_rewards_move_little_and_large_ones_much(memory):
    ids = [memory.remember(f"{word} sits in room {n}").memory_id for n, word in enumerate("ABC")]
    memory.feedback(ids[0], -0.1)
    memory.feedback(ids[1], -0.9)

    first, second, third = (memory.get(item).base_strength for item in ids)
    assert third > first > 4 * second > 0


def test_reinforcements_far_apart_count_more(memory, clock):
    massed = memory.remember("The alarm code is kept by Ada").memory_id
    spaced = memory.remember("The boat is moored at pier nine").memory_id
    for _ in range(3):
        memory.remember("The alarm code is kept by Ada")
    for _ in range(3):
        clock.advance(5 * DAY)
        memory.remember("The boat is moored at pier nine")

    assert memory.get(spaced).base_strength > memory.get(massed).base_strength


def test_importance_lets_a_memory_live_longer(memory, clock):
    plain = memory.remember("Lunch was soup").memory_id
    grave = memory.remember("Peanuts are dangerous for Max", importance=1.0).memory_id
    clock.advance(85 * DAY)
    memory.consolidate()

    assert memory.get(plain).status is Status.ARCHIVED
    assert memory.get(grave).status is Status.ACTIVE


def test_what_expires_leaves_recall_at_once_and_the_active_set_at_sleep(memory, clock):
    written = memory.remember("The code of the day is tulip", expires=clock.now() + DAY).memory_id
    assert not memory.recall("code of the day").abstained
    clock.advance(2 * DAY)
    assert memory.recall("code of the day").abstained
    memory.consolidate()
    assert memory.get(written).status is Status.ARCHIVED

    assert memory.restore(written) == 1
    assert not memory.recall("code of the day").abstained


def test_who_writes_what_has_expired_is_told(memory, clock):
    result = memory.remember("The code of the day is tulip", expires=clock.now() - DAY)
    assert "no recall will find it" in result.warnings[0]
    assert memory.recall("code of the day").abstained


def test_saying_it_again_decides_how_long_it_holds(memory, clock):
    memory.remember("The code of the day is tulip", expires=clock.now() + DAY)
    clock.advance(2 * DAY)
    memory.remember("The code of the day is tulip", expires=clock.now() + DAY)
    assert not memory.recall("code of the day").abstained


def test_a_time_in_the_future_neither_freezes_nor_breaks_anything(memory, clock):
    later = clock.now() + 3_650 * DAY
    other = memory.remember("The tower gets a new roof").memory_id
    future = memory.remember("The comet returns", when=later, related_ids=[other]).memory_id
    memory.remember("The comet returns", when=later)
    memory.link_memories([other, future])
    memory.consolidate()

    assert memory.get(future).last_reinforced_at <= clock.now()
    with memory._context.store.read() as view:
        weights = [link.weight for link in view.links.of([other, future])]
    assert weights
    assert all(0 < weight <= 1 for weight in weights)
    clock.advance(200 * DAY)
    memory.reconfigure(archive_max_share=1.0)
    assert memory.consolidate().archived_traces == 2


def test_a_text_about_the_past_is_as_alive_as_any_new_one(memory, clock):
    memory.remember("The bridge was opened", when=clock.now() - 900 * DAY)
    assert not memory.recall("bridge opened").abstained


def test_kinds_fade_by_their_own_constants(memory, clock):
    episode = memory.remember("We met in the blue room").memory_id
    lasting = memory.remember("Water boils at lower heat uphill", kind="semantic").memory_id
    turn = memory.remember("ann: I will water the ferns", kind="turn").memory_id
    clock.advance(400 * DAY)
    memory.consolidate()

    states = {item: memory.get(item).status for item in (episode, lasting, turn)}
    assert states == {
        episode: Status.ARCHIVED,
        lasting: Status.ACTIVE,
        turn: Status.ACTIVE,
    }


def test_two_years_of_monthly_use(folder, clock):
    """What is used monthly stays; what is not is archived, and comes back when it is asked for."""
    animals = ["heron", "otter", "badger", "lynx", "marten", "stork", "viper", "newt"]
    metals = ["copper", "silver", "nickel", "cobalt", "tin", "zinc", "lead", "iron"]
    with Hippocampus.open(folder, clock=clock) as memory:
        used = [
            memory.remember(f"The {item} lives in sector {n}") for n, item in enumerate(animals)
        ]
        idle = [
            memory.remember(f"A {item} statue was sold for {n} thousand", force_new=True)
            for n, item in enumerate(metals, start=40)
        ]
        for _ in range(24):
            clock.advance(30 * DAY)
            for item, written in zip(animals, used, strict=True):
                hits = memory.recall(f"where does the {item} live?").items
                assert written.memory_id in {hit.memory_id for hit in hits}
                memory.feedback(written.memory_id, 1.0)
            memory.consolidate()

        assert {memory.get(item.memory_id).status for item in used} == {Status.ACTIVE}
        assert {memory.get(item.memory_id).status for item in idle} == {Status.ARCHIVED}
        assert {memory.get(item.memory_id).kind for item in used} == {Kind.SEMANTIC}
        assert len(memory.list(status=None, limit=100)) == 16

        packet = memory.recall("copper statue sold")
        assert {item.source for item in packet.items} == {Source.ARCHIVE}
        assert "copper" in packet.items[0].text
        found = packet.items[0].memory_id
        memory.feedback(found, 1.0)
        assert memory.get(found).status is Status.ACTIVE


def test_other_constants_at_opening_change_nothing_until_reconfigured(folder, clock):
    with Hippocampus.open(folder, clock=clock, config=MemoryConfig(theta_link=0.3)) as memory:
        memory.remember(FACT)
    with Hippocampus.open(folder, clock=clock, config=MemoryConfig(theta_link=0.4)) as memory:
        assert memory.config.theta_link == 0.3
        assert memory.reconfigure(theta_link=0.4).theta_link == 0.4
        with memory._context.store.read() as view:
            (event,) = view.journal.page(types=["reconfigure"])
        assert event.data == {"theta_link": ["0.3", "0.4"]}
    with Hippocampus.open(folder, clock=clock) as memory:
        assert memory.config.theta_link == 0.4


@pytest.mark.parametrize("changes", [{"no_such": 1.0}, {"dim": 64}, {"theta_link": 2.0}])
def test_a_reconfiguration_that_cannot_be_is_refused(memory, changes):
    before = memory.config
    with pytest.raises(ConfigurationError):
        memory.reconfigure(**changes)
    assert memory.config == before


def test_a_pinned_memory_stays_reachable_whatever_is_said_of_it(memory):
    first = memory.remember("The vault opens with the brass key", kind="semantic").memory_id
    second = memory.remember("The ferry leaves from pier nine", kind="semantic").memory_id
    memory.pin(first)
    memory.feedback([first, second], -1.0)
    memory.pin(second)

    for question, written in (("which key opens the vault?", first), ("ferry pier", second)):
        (hit,) = memory.recall(question).items
        assert (hit.memory_id, hit.source) == (written, Source.DIRECT)


def test_a_mild_verdict_hides_nothing_however_often_it_is_repeated(memory):
    written = memory.remember(FACT).memory_id
    for _ in range(20):
        memory.feedback(written, -0.3)
    assert memory.recall("mascot of the team").items[0].source is Source.DIRECT


def test_what_was_shown_with_doubt_is_hardly_weakened(memory):
    written = memory.remember(FACT).memory_id
    other = memory.remember("The canteen serves the team soup on Mondays").memory_id
    shown = {item.memory_id: item for item in memory.recall("mascot of the team").items}
    assert shown[other].confidence < 0.2
    assert shown[written].confidence > 0.8

    memory.feedback([written, other], -1.0)
    strength = {item: memory.get(item).base_strength for item in (written, other)}
    assert strength[other] > 0.8 * memory.config.initial_strength
    assert strength[written] < 0.2 * memory.config.initial_strength


def test_weeks_of_grading_leave_every_fact_first_for_its_own_question(memory, clock):
    trades = ["baker", "cooper", "tanner", "weaver", "potter", "mason", "glazier", "fletcher"]
    towns = ["Bergen", "Lyon", "Porto", "Graz", "Delft", "Turku", "Siena", "Cork"]
    ids = {
        trade: memory.remember(
            f"The {trade} of the guild lives in {town}", kind="semantic"
        ).memory_id
        for trade, town in zip(trades, towns, strict=True)
    }
    for day in range(28):
        for trade in (trades[day % 8], trades[(3 * day + 1) % 8]):
            shown = [
                item.memory_id for item in memory.recall(f"where does the {trade} live?").items
            ]
            memory.feedback([item for item in shown if item == ids[trade]], 1.0)
            memory.feedback([item for item in shown if item != ids[trade]], -0.3)
        memory.consolidate()
        clock.advance(DAY)

    firsts = {trade: memory.recall(f"where does the {trade} live?").items[0] for trade in trades}
    assert {trade: hit.memory_id for trade, hit in firsts.items()} == ids
    assert {hit.source for hit in firsts.values()} == {Source.DIRECT}
