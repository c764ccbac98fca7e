"""Projects get other names and become one without a memory lost."""

from __future__ import annotations

import pytest

from realmemory import Hippocampus, WriteRequest
from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.flows.projects import _BATCH


def projects(memory):
    return {item.name: item.total for item in memory.projects() if item.name != "global"}


def texts(memory, query, scope):
    return [item.text for item in memory.recall(query, scope=scope, k=5).items]


def test_renamed_project_answers_to_its_new_name_only(memory):
    memory.remember("The billing service listens on port 8081", scope="shop")
    assert memory.rename_project("SHOP", "Store-Front") == "Store-Front"
    assert texts(memory, "Which port has the billing service?", "store front")
    assert not texts(memory, "Which port has the billing service?", "shop")
    assert projects(memory) == {"Store-Front": 1}


def test_another_spelling_of_its_own_name_is_a_name(memory):
    memory.remember("The billing service listens on port 8081", scope="my-shop")
    memory.rename_project("my-shop", "My_Shop")
    assert projects(memory) == {"My_Shop": 1}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("shop", "depot", InvalidInputError),
        ("shop", "global", InvalidInputError),
        ("shop", "gh" + "p_" + "aB3dE5fG7h" * 4, InvalidInputError),
        ("global", "shop2", InvalidInputError),
        ("shop", "a/b", InvalidInputError),
        ("shpo", "store", NotFoundError),
    ],
)
def test_refused_name_changes_nothing(memory, old, new, error):
    memory.remember("The billing service listens on port 8081", scope="shop")
    memory.remember("Pallets are counted on Mondays", scope="depot")
    before = memory.projects()
    with pytest.raises(error):
        memory.rename_project(old, new)
    assert memory.projects() == before


def test_unknown_project_names_the_nearest(memory):
    memory.remember("The billing service listens on port 8081", scope="shop")
    with pytest.raises(NotFoundError, match="Did you mean 'shop'"):
        memory.merge_projects("shpo", "shop")


def test_merged_projects_are_one_for_everybody(memory, folder, clock):
    count = 2 * _BATCH + 7
    memory.remember_many(
        WriteRequest(text=f"Crate {n} holds lot {n * 7}", scope="depot", force_new=True)
        for n in range(count)
    )
    gone = memory.remember("The depot closes at six", scope="depot").memory_id
    memory.forget(gone)
    memory.remember("The billing service listens on port 8081", scope="shop")
    with Hippocampus.open(folder, clock=clock) as other:
        assert not texts(other, "What does crate 31 hold?", "shop")
        assert memory.merge_projects("depot", "shop") == count + 1
        assert "Crate 31 holds lot 217" in texts(other, "What does crate 31 hold?", "shop")
        assert not texts(other, "What does crate 31 hold?", "depot")
        assert projects(other) == {"shop": count + 2}
    assert memory.get(gone).scope == "shop"
    assert not memory.context.store.verify().findings


def test_what_an_interrupted_merge_left_is_moved_by_the_next(memory):
    memory.remember_many(
        WriteRequest(text=f"Crate {n} holds lot {n * 7}", scope="depot", force_new=True)
        for n in range(_BATCH + 5)
    )
    memory.remember("The billing service listens on port 8081", scope="shop")
    with memory.context.store.write() as tx:
        tx.traces.move(tx.scopes.find("depot"), tx.scopes.find("shop"), _BATCH)
    assert memory.merge_projects("depot", "shop") == 5
    assert list(projects(memory)) == ["shop"]


@pytest.mark.parametrize(("source", "target"), [("shop", "SHOP"), ("global", "shop")])
def test_merge_of_one_project_or_of_global_is_refused(memory, source, target):
    memory.remember("The billing service listens on port 8081", scope="shop")
    with pytest.raises(InvalidInputError):
        memory.merge_projects(source, target)
