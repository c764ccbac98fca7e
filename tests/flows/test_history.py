"""Revising, forgetting, restoring: history is superseded, never overwritten."""

from __future__ import annotations

import pytest

from realmemory import InvalidInputError, NotFoundError, Status
from realmemory.clock import DAY


def test_a_revised_fact_answers_and_the_old_one_is_history(memory):
    old = memory.remember("Kim lives in Paris")
    new = memory.update_fact(old.memory_id, "Kim lives in Rome")

    hits = [item.text for item in memory.recall("where does Kim live?").items]
    assert hits == ["Kim lives in Rome"]
    flagged = memory.recall("where does Kim live?", include_superseded=True)
    assert {item.text for item in flagged.items} == {"Kim lives in Paris", "Kim lives in Rome"}
    assert [trace.text for trace in memory.history(new.memory_id)] == [
        "Kim lives in Paris",
        "Kim lives in Rome",
    ]


def test_as_of_answers_with_what_was_valid_then(memory, clock):
    start = clock.now()
    old = memory.remember("Kim lives in Paris")
    clock.advance(100 * DAY)
    memory.update_fact(old.memory_id, "Kim lives in Rome")

    then = memory.recall("where does Kim live?", as_of=start + DAY)
    assert [item.text for item in then.items] == ["Kim lives in Paris"]


def told_twice(memory, clock, text):
    twice = [memory.remember(text, when=clock.now() - days * DAY).memory_id for days in (40, 20)]
    assert len({*twice}) == 2
    return twice


def test_a_fact_that_was_told_of_two_days_is_replaced_whole(memory, clock):
    """Revised once, the standup of the other day answered as before."""
    first, second = told_twice(memory, clock, "The standup is at 9:30")
    memory.remember("The standup is at 9:30", scope="other", when=clock.now() - DAY)
    written = memory.update_fact(second, "The standup is at 10:15")
    assert written.warnings == (f"memory {first} said the same and is replaced as well",)
    packet = memory.recall("when is the standup?")
    assert [item.memory_id for item in packet.items] == [written.memory_id]
    assert memory.count(scope="other", status="superseded") == 2
    memory.forget(written.memory_id)
    memory.restore([first, second])
    assert memory.get(first).status == memory.get(second).status == "active"


def test_what_happened_on_another_day_happened_although_one_of_the_days_is_corrected(memory, clock):
    first, second = told_twice(memory, clock, "The server crashed")
    memory.update_fact(second, "The server was restarted")
    assert memory.get(first).status == "active"


def test_a_superseded_fact_cannot_be_revised_again(memory):
    old = memory.remember("The quota is 10 GB")
    new = memory.update_fact(old.memory_id, "The quota is 20 GB")

    with pytest.raises(InvalidInputError) as caught:
        memory.update_fact(old.memory_id, "The quota is 30 GB")

    assert caught.value.code == "already_superseded"
    assert str(new.memory_id) in str(caught.value)
    assert memory.get(old.memory_id).status is Status.SUPERSEDED


def test_a_revision_inherits_metadata_but_no_note_about_the_old_text(memory):
    old = memory.remember("Ann's address is ann.lee@example.org", meta={"source": "wiki"}).memory_id
    memory.forget(old)
    assert {"_screen", "_forgotten"} < memory.get(old).meta.keys()

    new = memory.update_fact(old, "Ann has no address any more").memory_id

    assert memory.get(new).meta == {"source": "wiki", "supersedes": old}


def test_an_erased_version_leaves_what_it_replaced_in_history(memory):
    first = memory.remember("The quota is 10 GB").memory_id
    second = memory.update_fact(first, "The quota is 20 GB").memory_id
    third = memory.update_fact(second, "The quota is 30 GB").memory_id

    memory.forget(second, hard=True)

    assert memory.get(first).superseded_by == third
    assert [trace.id for trace in memory.history(third)] == [first, third]
    assert memory.restore(first) == 0


def test_forgetting_is_idempotent_and_reversible(memory):
    written = memory.remember("The old office had a ping-pong table")

    assert memory.forget(written.memory_id).forgotten == (written.memory_id,)
    assert memory.forget(written.memory_id).already_forgotten == (written.memory_id,)
    assert memory.recall("ping-pong table").abstained
    assert memory.restore(written.memory_id) == 1
    assert not memory.recall("ping-pong table").abstained


def test_a_hard_forget_erases_the_text_from_every_file(memory, folder):
    secret = "zanzibar-7431-quokka"
    written = memory.remember(f"The vault phrase is {secret}")
    memory.recall("vault phrase")

    memory.forget(written.memory_id, hard=True)
    memory.close()

    for file in folder.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file


def test_forgetting_what_never_existed_is_an_error(memory):
    with pytest.raises(NotFoundError):
        memory.forget(4711)


def test_a_weakened_memory_can_be_learned_again(memory):
    written = memory.remember("The mascot is a heron")
    memory.feedback(written.memory_id, -1.0)
    assert memory.recall("mascot").abstained

    again = memory.remember("The mascot is a heron")

    assert again.memory_id == written.memory_id
    assert [item.text for item in memory.recall("mascot").items] == ["The mascot is a heron"]


def test_reward_counts_in_proportion(memory):
    small = memory.remember("Alpha team sits on floor two").memory_id
    large = memory.remember("Breakfast is served at nine").memory_id
    memory.feedback(small, 0.01)
    memory.feedback(large, 1.0)

    assert memory.get(large).base_strength > memory.get(small).base_strength


def test_of_equal_memories_the_latest_comes_first(memory, clock):
    texts = ["Sprint review with the customer"] * 3
    for age in (100, 1, 50):
        memory.remember(texts[0], when=clock.now() - age * DAY, force_new=True)

    for question in ("Sprint review with the customer", "the current sprint review"):
        shown = [item.observed_at for item in memory.recall(question).items]
        assert shown == sorted(shown, reverse=True)
        assert len(shown) == 3


def test_an_old_version_comes_before_the_new_one_only_if_it_answers_better(memory):
    old = memory.remember("The team meeting takes place in the big meeting room of the team")
    new = memory.update_fact(old.memory_id, "The meeting of the team takes place in room 4")

    for question in ("Where does the team meeting take place?", "team meeting place"):
        found = memory.recall(question, include_superseded=True).items
        assert [item.memory_id for item in found] == [new.memory_id, old.memory_id]
    asked = memory.recall("Was the team meeting in the big room?", include_superseded=True).items
    assert asked[0].memory_id == old.memory_id


RENTS = ("The rent of the loft is 1310 euros", "The rent of the loft is 1420 euros")
RENT = "what is the rent of the loft?"


@pytest.mark.parametrize("hard", [False, True])
def test_a_mistaken_revision_is_taken_back_by_forgetting_it_and_restoring(memory, hard):
    old = memory.remember(RENTS[0]).memory_id
    new = memory.update_fact(old, RENTS[1]).memory_id
    assert memory.restore(old) == 0

    assert memory.forget(new, hard=hard).uncovered == (old,)
    with pytest.raises(InvalidInputError, match=f"Restore {old}"):
        memory.update_fact(old, "The rent of the loft is 1500 euros")
    assert memory.restore(old) == 1

    (hit,) = memory.recall(RENT).items
    assert (hit.text, hit.status, hit.valid_to, hit.superseded_by) == (
        *(RENTS[0], Status.ACTIVE),
        *(None, None),
    )
    assert memory.update_fact(old, RENTS[1]).memory_id != old


@pytest.mark.parametrize("put_away", [False, True])
def test_saying_again_what_was_superseded_makes_it_current_and_keeps_the_history(
    memory, clock, put_away
):
    old = memory.remember(RENTS[0]).memory_id
    clock.advance(DAY)
    new = memory.update_fact(old, RENTS[1]).memory_id
    if put_away:
        memory.forget(old)
    clock.advance(DAY)

    again = memory.remember(RENTS[0])
    assert (again.created, again.conflicts) == (True, (new,))
    assert [hit.memory_id for hit in memory.recall(RENT).items] == [again.memory_id, new]
    assert [trace.id for trace in memory.history(new)] == [old, new]


def test_a_revision_for_a_later_time_holds_from_then_on(memory, clock):
    old = memory.remember("The team has 5 members").memory_id
    later = clock.now() + 30 * DAY
    new = memory.update_fact(old, "The team has 7 members", when=later).memory_id
    question = "how many members has the team?"

    hits = memory.recall(question).items
    assert [hit.memory_id for hit in hits] == [old, new]
    assert (hits[0].valid_to, hits[1].valid_from) == (later, later)
    assert memory.recall(question, include_superseded=True).items[0].memory_id == old
    memory.consolidate()
    assert memory.get(old).status is Status.ACTIVE
    with pytest.raises(InvalidInputError):
        memory.update_fact(old, "The team has 6 members")

    clock.advance(31 * DAY)
    assert [hit.memory_id for hit in memory.recall(question).items] == [new]
    memory.consolidate()
    assert memory.get(old).status is Status.SUPERSEDED
    then = memory.recall(question, as_of=later - DAY).items
    assert [hit.memory_id for hit in then] == [old]


def test_an_announced_revision_that_is_forgotten_leaves_what_holds(memory, clock):
    old = memory.remember("The team has 5 members").memory_id
    new = memory.update_fact(old, "The team has 7 members", when=clock.now() + 30 * DAY).memory_id
    assert memory.forget(new).uncovered == (old,)
    assert memory.restore(old) == 1
    clock.advance(31 * DAY)
    memory.consolidate()
    assert memory.recall("how many members has the team?").items[0].memory_id == old


MOVES = (("Graz", 900), ("Vienna", 500), ("Bonn", 100))
"""Where Anna lived since how many days."""


@pytest.fixture
def moved(memory, clock):
    known = memory.remember("Anna lives in Graz", when=clock.now() - 900 * DAY).memory_id
    for city, ago in MOVES[1:]:
        known = memory.update_fact(
            known, f"Anna lives in {city}", when=clock.now() - ago * DAY
        ).memory_id
    memory.remember("Anna is learning Portuguese", when=clock.now() - 300 * DAY)
    return memory


@pytest.mark.parametrize(
    ("question", "city"),
    [
        ("where does Anna live?", "Bonn"),
        ("where did Anna live?", "Bonn"),
        ("where did Anna live before?", "Vienna"),
        ("where did Anna use to live?", "Vienna"),
        ("where did Anna live before she moved to Bonn?", "Vienna"),
        ("what is the previous city where Anna lives?", "Vienna"),
        ("where did Anna live two years ago?", "Graz"),
        ("where did Anna live a year ago?", "Vienna"),
        ("where did Anna live last week?", "Bonn"),
    ],
)
def test_what_held_then_comes_first_where_the_past_is_asked_for(moved, question, city):
    best = moved.recall(question).items[0]
    assert best.text == f"Anna lives in {city}"
    assert best.status is (Status.ACTIVE if city == "Bonn" else Status.SUPERSEDED)


def test_versions_come_in_the_order_in_which_they_were_replaced(moved):
    found = moved.recall("where did Anna live before?")
    assert [item.text.split()[-1] for item in found.items[:3]] == ["Vienna", "Graz", "Bonn"]
    assert moved.recall("where does Anna live?").items[0].status is Status.ACTIVE


@pytest.mark.parametrize(
    ("old", "new", "questions"),
    [
        (
            *("Miriam wohnt in Köln", "Miriam wohnt in Leipzig"),
            ("wo wohnte Miriam früher?", "Wo hat Miriam vor zwei Jahren gewohnt?"),
        ),
        (
            *("Олег работает в Яндексе", "Олег работает в Сбере"),
            ("где раньше работал Олег?", "где Олег работал два года назад?"),
        ),
    ],
)
def test_other_languages_ask_for_the_past_as_well(memory, clock, old, new, questions):
    first = memory.remember(old, when=clock.now() - 800 * DAY).memory_id
    memory.update_fact(first, new, when=clock.now() - 100 * DAY)
    for question in questions:
        assert memory.recall(question).items[0].text == old


def test_a_version_that_was_corrected_at_once_never_held(memory, clock):
    then = clock.now() - 500 * DAY
    old = memory.remember("The lease ends in March", when=then).memory_id
    memory.update_fact(old, "The lease ends in June", when=then)
    found = memory.recall("when did the lease end before?")
    assert [item.text for item in found.items] == ["The lease ends in June"]


def test_a_conflict_of_what_is_revised_is_one_of_its_successor(memory):
    one = memory.remember("The kiln fires at 900 degrees").memory_id
    other = memory.remember("The kiln fires at 1000 degrees").memory_id

    revised = memory.update_fact(one, "The kiln fires at 1100 degrees")

    assert revised.conflicts == (other,)
    found = {hit.memory_id: hit for hit in memory.recall("at what does the kiln fire?").items}
    assert found[revised.memory_id].conflicts_with == (other,)
    assert found[other].conflicts_with == (revised.memory_id,)


@pytest.mark.parametrize("text", ["The kiln fires at 1000 degrees", "Sieglinde keeps bees"])
def test_a_conflict_that_a_revision_ends_is_said_to_be_settled(memory, text):
    one = memory.remember("The kiln fires at 900 degrees").memory_id
    other = memory.remember("The kiln fires at 1000 degrees").memory_id

    revised = memory.update_fact(one, text)

    assert revised.conflicts == ()
    assert revised.memory_id == other or str(other) in revised.warnings[0]
    assert not any(hit.conflicts_with for hit in memory.recall("the kiln fires").items)
