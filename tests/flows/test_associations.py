"""Links that use leaves behind: only where there was use, both ways, bounded, found again."""

from __future__ import annotations

import random

import pytest

from realmemory import Hippocampus, NotFoundError, Source
from realmemory.clock import DAY
from realmemory.core.sdr import SdrEncoder
from realmemory.core.voting import VotingIndex
from realmemory.encoding.hashing import HashingEmbedder
from realmemory.store.records import LinkType

CUE = "The quarterly ledger is kept by Ottoline"
PARTNER = "Sourdough needs a warm corner overnight"
QUESTION = "who keeps the quarterly ledger?"


def links(memory: Hippocampus, kind: LinkType) -> dict[tuple[int, int], float]:
    with memory._context.store.read() as view:
        return {(link.src, link.dst): link.weight for link in view.links.changes_since(0).rows
                if link.type is kind}  # fmt: skip


def associated(memory: Hippocampus, question: str = QUESTION) -> set[int]:
    items = memory.recall(question).items
    return {item.memory_id for item in items if item.source is Source.ASSOCIATED}


def test_without_links_nothing_is_associated(memory):
    for text in (CUE, PARTNER, "Rain is due at dawn", "The violin is out of tune"):
        memory.remember(text)
    assert associated(memory) == set()


def test_a_partner_without_a_common_word_is_found_after_use_together(memory, clock):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    assert [item.memory_id for item in memory.recall(QUESTION).items] == [cue]

    for _ in range(4):
        memory.recall(QUESTION, session_id="s")
        clock.advance(20.0)
        memory.recall("sourdough overnight", session_id="s")
        memory.feedback([cue, partner], 1.0)
        clock.advance(DAY)
    memory.consolidate()

    assert partner in associated(memory)


def test_what_came_before_leads_to_what_came_after_more_than_back(memory, clock):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    for _ in range(5):
        memory.recall(QUESTION, session_id="s")
        clock.advance(30.0)
        memory.recall("sourdough overnight", session_id="s")
        clock.advance(3 * DAY)
    memory.consolidate()

    learned = links(memory, LinkType.PLASTIC)
    assert learned[cue, partner] > learned.get((partner, cue), 0.0)


def test_one_conversation_may_ask_through_several_processes(memory, folder, clock):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    with Hippocampus.open(folder, clock=clock) as hook:
        hook.recall(QUESTION, session_id="one")
    clock.advance(20.0)
    with Hippocampus.open(folder, clock=clock) as server:
        server.recall("sourdough overnight", session_id="one")
    memory.consolidate()

    learned = links(memory, LinkType.PLASTIC)
    assert learned[cue, partner] > learned.get((partner, cue), 0.0)


def test_a_long_answer_binds_its_best_hits_only(memory):
    ids = [memory.remember(f"Buoy number {number} is green").memory_id for number in range(12)]
    memory.consolidate()
    before = memory.pending_eligibility
    for _ in range(5):
        memory.recall("which buoy is green?", k=12, session_id="one")
    memory.feedback(ids[0], 0.1)
    # Five hits among themselves, and with the five of each of the recalls before.
    assert 0 < memory.pending_eligibility - before <= 5 * (5 * 4 + 2 * 4 * 5 * 5)


def test_other_sessions_do_not_mix(memory, clock):
    memory.remember(CUE)
    memory.remember(PARTNER)
    memory.recall(QUESTION, session_id="one")
    clock.advance(20.0)
    memory.recall("sourdough overnight", session_id="two")
    memory.consolidate()
    assert links(memory, LinkType.PLASTIC) == {}


def test_recalled_together_is_bound_both_ways(memory):
    one = memory.remember("The heron guards the eastern pond").memory_id
    two = memory.remember("The eastern pond freezes in January").memory_id
    for _ in range(20):
        memory.recall("eastern pond")
    memory.feedback([one, two], 1.0)
    assert memory.pending_eligibility > 0
    memory.consolidate()

    assert memory.pending_eligibility == 0
    learned = links(memory, LinkType.PLASTIC)
    assert learned[one, two] > 0
    assert learned[two, one] > 0


def test_a_negative_reward_takes_waiting_binds_back(memory):
    one = memory.remember("The heron guards the eastern pond").memory_id
    two = memory.remember("The eastern pond freezes in January").memory_id
    memory.consolidate()
    before = links(memory, LinkType.PLASTIC)
    memory.recall("eastern pond")
    memory.feedback([one, two], -1.0)
    memory.consolidate()
    after = links(memory, LinkType.PLASTIC)
    assert all(after[pair] <= weight for pair, weight in before.items())


def test_linked_by_hand_is_found_at_once_and_symmetric(memory):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    assert memory.link_memories([cue, partner]) == 2

    assert associated(memory) == {partner}
    assert associated(memory, "sourdough overnight") == {cue}
    stated = links(memory, LinkType.RELATED)
    assert stated[cue, partner] == stated[partner, cue]


def test_related_ids_are_found_at_once(memory):
    cue = memory.remember(CUE).memory_id
    partner = memory.remember(PARTNER, related_ids=[cue]).memory_id
    assert associated(memory) == {partner}


def test_a_partner_in_another_scope_stays_hidden(memory):
    cue = memory.remember(CUE).memory_id
    partner = memory.remember(PARTNER, scope="other").memory_id
    memory.link_memories([cue, partner])
    assert associated(memory) == set()


def test_links_fade_and_are_pruned(memory, clock):
    memory.remember("The heron guards the eastern pond", kind="semantic")
    memory.remember("The eastern pond freezes in January", kind="semantic")
    memory.recall("eastern pond")
    memory.consolidate()
    assert links(memory, LinkType.PLASTIC)
    clock.advance(400 * DAY)

    assert memory.consolidate().edges_pruned > 0
    assert links(memory, LinkType.PLASTIC) == {}


def test_the_graph_does_not_saturate(memory):
    source = random.Random(3)
    ids = [
        result.memory_id
        for result in memory.remember_many(
            f"{source.getrandbits(80):x} in bay {n}" for n in range(60)
        )
    ]
    for _ in range(40):
        memory.link_memories(source.sample(ids, 12))
    memory.consolidate()

    learned = links(memory, LinkType.PLASTIC)
    for one in ids:
        out = [weight for (src, _), weight in learned.items() if src == one]
        assert len(out) <= memory.config.max_out_degree
        assert sum(out) <= 1.0 + 1e-9


def test_part_of_a_cue_completes_to_the_whole_assembly(memory):
    """Half the words bring the trace by its units, and the trace brings what belongs to it."""
    source = random.Random(7)
    texts = [CUE, PARTNER, "The brass kettle whistles in B flat"]
    texts += [f"{source.getrandbits(70):x} {source.getrandbits(70):x}" for _ in range(200)]
    cue, partner, third, *_ = (item.memory_id for item in memory.remember_many(texts))
    memory.link_memories([cue, partner])
    memory.link_memories([partner, third])
    memory.consolidate()

    embedder = HashingEmbedder(dim=512)
    encoder = SdrEncoder(embedder.dim)
    index = VotingIndex(encoder.units)
    ids = [trace.id for trace in memory.list(limit=1_000)]
    index.upsert(ids, encoder.encode(embedder.embed([memory.get(item).text for item in ids])))
    ((found, _),) = index.query(encoder.encode(embedder.embed(["ledger kept by Ottoline"]))[0], 1)
    assert found == cue

    associated(memory)
    reached = memory._context.graph.spread({found: 1.0}, now=memory._context.clock.now())
    assert set(reached) == {partner, third}
    assert reached[partner] > reached[third]


def test_a_refused_write_does_not_lose_the_recalls_before_it(memory):
    memory.remember(CUE)
    memory.recall(QUESTION)
    with pytest.raises(NotFoundError):
        memory.remember("The violin is out of tune", related_ids=[4711])
    with pytest.raises(NotFoundError):
        memory.forget(4711)
    memory.consolidate()
    assert memory.stats()["recalls"] == 1


def test_what_the_graph_brought_does_not_feed_it(memory):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    memory.link_memories([cue, partner])
    memory.consolidate()
    before = links(memory, LinkType.PLASTIC)
    for _ in range(10):
        assert associated(memory) == {partner}
    memory.consolidate()
    assert links(memory, LinkType.PLASTIC) == before


def test_other_processes_links_are_followed(memory, folder, clock):
    cue, partner = memory.remember(CUE).memory_id, memory.remember(PARTNER).memory_id
    assert associated(memory) == set()
    with Hippocampus.open(folder, clock=clock) as other:
        other.link_memories([cue, partner])
    assert associated(memory) == {partner}
    memory.forget(partner, hard=True)
    assert associated(memory) == set()
