"""The cold tier: offered when nothing else answers, never what was forgotten on purpose."""

from __future__ import annotations

from realmemory import Source, Status
from realmemory.clock import DAY

FACT = "The lighthouse keeper is called Morwenna"


def test_a_question_about_a_faded_fact_is_answered_from_the_archive_and_use_restores_it(
    memory, clock
):
    written = memory.remember(FACT).memory_id
    clock.advance(300 * DAY)
    memory.consolidate()
    assert memory.get(written).status is Status.ARCHIVED

    packet = memory.recall("what is the lighthouse keeper called?")
    assert [(item.memory_id, item.source) for item in packet.items] == [(written, Source.ARCHIVE)]
    assert packet.items[0].status is Status.ARCHIVED

    memory.feedback(written, 0.5)
    packet = memory.recall("what is the lighthouse keeper called?")
    assert [item.source for item in packet.items] != [Source.ARCHIVE]
    assert memory.get(written).status is Status.ACTIVE


def test_what_was_forgotten_on_request_is_offered_only_when_asked_for(memory):
    written = memory.remember(FACT).memory_id
    memory.forget(written)

    assert memory.recall("lighthouse keeper called").abstained
    asked = memory.recall("lighthouse keeper called", include_archived=True)
    assert [item.memory_id for item in asked.items] == [written]
    assert memory.restore(written) == 1
    assert not memory.recall("lighthouse keeper called").abstained


def test_the_archive_keeps_to_the_scope_and_the_window(memory, clock):
    memory.remember(FACT, scope="coast")
    clock.advance(300 * DAY)
    memory.consolidate()
    question = "lighthouse keeper called"

    assert memory.recall(question, include_archived=True).abstained
    assert memory.recall(question, scope="coast", since=clock.now()).abstained
    assert memory.recall(question, scope="coast", kinds=["semantic"]).abstained
    assert not memory.recall(question, scope="coast").abstained


def test_an_archived_fact_that_is_said_again_is_one_memory(memory, clock):
    written = memory.remember(FACT).memory_id
    clock.advance(300 * DAY)
    memory.consolidate()

    assert memory.remember(FACT).memory_id == written
    assert memory.get(written).status is Status.ACTIVE


def test_history_that_is_forgotten_and_restored_stays_history(memory):
    old = memory.remember("The quota is 10 GB").memory_id
    new = memory.update_fact(old, "The quota is 20 GB").memory_id
    memory.forget(old)
    memory.restore(old)

    assert memory.get(old).status is Status.SUPERSEDED
    assert [item.memory_id for item in memory.recall("what is the quota?").items] == [new]


def test_a_restored_memory_ends_when_it_would_have_ended(memory, clock):
    ends = clock.now() + 20 * DAY
    written = memory.remember("The bridge is closed for repair", expires=ends).memory_id
    memory.forget(written)
    clock.advance(DAY)
    assert memory.restore(written) == 1
    assert memory.get(written).expires_at == ends
    memory.forget(written)
    clock.advance(30 * DAY)
    assert memory.restore(written) == 1
    # Restored after its end it stays: it was asked for.
    assert memory.get(written).expires_at is None
    memory.consolidate()
    assert memory.get(written).status is Status.ACTIVE


def test_a_faded_memory_can_be_forgotten_for_good_measure(memory, clock):
    written = memory.remember("The combination of the vault is Tuesday").memory_id
    clock.advance(400 * DAY)
    run = memory.consolidate().run
    question = "what is the combination of the vault?"
    assert memory.recall(question).items[0].memory_id == written
    assert memory.forget(written).forgotten == (written,)
    assert memory.recall(question).abstained
    assert memory.undo(run).restored == ()
