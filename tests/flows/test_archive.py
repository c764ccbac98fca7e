"""The cold tier: offered when nothing else answers, never what was forgotten on purpose."""

from __future__ import annotations

from realmemory import AbstainReason, Hippocampus, Source, Status
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


def test_a_fact_answers_on_every_day_of_its_fading_asleep_or_not(folder, clock):
    """Between the floor of recall and the archive lies the grace of a sleep, not silence."""
    with (
        Hippocampus.open(folder / "awake", clock=clock) as awake,
        Hippocampus.open(folder / "asleep", clock=clock) as asleep,
    ):
        for day in range(100):
            for memory in (awake, asleep):
                if not day:
                    memory.remember(FACT)
                packet = memory.recall("what is the lighthouse keeper called?")
                assert [item.text for item in packet.items][:1] == [FACT], day
            asleep.consolidate()
            clock.advance(DAY)
        assert asleep.get(1).status is Status.ARCHIVED
        assert awake.get(1).status is Status.ACTIVE


def test_what_has_faded_is_marked_and_comes_back_by_use(memory, clock):
    written = memory.remember(FACT).memory_id
    clock.advance(75 * DAY)
    (hit,) = memory.recall("who is the lighthouse keeper?").items
    assert (hit.source, hit.status) == (Source.ARCHIVE, Status.ACTIVE)
    assert 0 < hit.retention < memory.config.min_retention_recall

    memory.feedback(written, 0.2)
    (hit,) = memory.recall("who is the lighthouse keeper?").items
    assert hit.source is Source.DIRECT
    clock.advance(75 * DAY)
    assert memory.restore(written) == 1
    assert memory.recall("who is the lighthouse keeper?").items[0].source is Source.DIRECT
    assert memory.restore(written) == 0


def test_a_faded_answer_comes_before_what_is_likelier_wrong_than_right(memory, clock):
    memory.remember(FACT)
    clock.advance(75 * DAY)
    for n, word in enumerate(["ferry", "harbour", "museum", "bakery"], start=2):
        memory.remember(f"The {word} opens at {n} and is kept by the town")

    assert memory.recall("what is the lighthouse keeper called?").items[0].text == FACT
    assert FACT not in {item.text for item in memory.recall("when does the ferry open?").items}


def test_a_faded_memory_keeps_to_the_scope_the_window_and_its_end(memory, clock):
    memory.remember(FACT, scope="coast", expires=clock.now() + 80 * DAY)
    clock.advance(75 * DAY)
    question = "lighthouse keeper called"

    assert memory.recall(question, include_archived=True).abstained
    assert memory.recall(question, scope="coast", since=clock.now()).abstained
    assert memory.recall(question, scope="coast", kinds=["semantic"]).abstained
    assert not memory.recall(question, scope="coast").abstained
    clock.advance(10 * DAY)
    assert memory.recall(question, scope="coast").abstained


def test_an_empty_answer_says_when_something_alike_has_faded(memory, clock):
    memory.remember(FACT)
    memory.feedback(1, -1.0)

    assert memory.recall("lighthouse keeper").reason is AbstainReason.ONLY_ARCHIVED
    assert memory.recall("zeppelin maintenance").reason is not AbstainReason.ONLY_ARCHIVED
    assert memory.recall("lighthouse keeper", include_archived=True).items[0].text == FACT
    assert memory.restore(1) == 1
    assert memory.recall("lighthouse keeper").items[0].source is Source.DIRECT
