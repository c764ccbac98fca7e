from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realmemory.store import Store, search
from realmemory.store.records import NewTrace
from realmemory.types import Status


def add(store, terms, scope="s"):
    with store.write() as tx:
        return tx.traces.insert(NewTrace(text=terms, terms=terms, scope=scope))


def find(store, query, **filters):
    with store.read() as view:
        return [hit.id for hit in view.search.find(query, **filters)]


def test_only_white_space_separates_terms(store):
    words = [
        "c++",
        "don't",
        'say"hi"',
        "a_b",
        "1.2.3",
        "-x",
        "^x",
        "x*",
        "zürich",
        "東京",
        "(",
        "col:",
    ]
    ids = {word: add(store, f"{word} filler") for word in words}
    for word in words:
        assert find(store, search.any_of([word])) == [ids[word]]
    assert find(store, search.any_of(["c"])) == []


def test_queries_combine(store):
    first, second = add(store, "red green blue"), add(store, "green red")
    assert set(find(store, search.any_of(["blue", "green"]))) == {first, second}
    assert find(store, search.all_of(["blue", "red"])) == [first]
    assert find(store, search.phrase(["green", "red"])) == [second]
    assert find(store, search.prefix("bl")) == [first]
    assert find(store, search.both(search.prefix("gr"), "", search.any_of(["blue"]))) == [first]
    assert find(store, search.any_of([])) == []


def test_filters_apply_before_the_limit(store):
    wanted = add(store, "error long text with many other words beside it", "mine")
    for _ in range(40):
        add(store, "error", "other")
    with store.write() as tx:
        mine = tx.scopes.id_of("mine")
        archived = tx.traces.insert(NewTrace(text="error", terms="error", scope="mine"))
        tx.traces.set_status([archived], Status.ARCHIVED)
    query = search.any_of(["error"])
    assert find(store, query, scope_ids=[mine], statuses=[Status.ACTIVE], limit=1) == [wanted]
    assert find(store, query, statuses=[Status.ARCHIVED]) == [archived]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("search") / "store") as store:
        add(store, "anything at all")
        yield store


@given(terms=st.lists(st.text(max_size=12), max_size=6))
def test_no_text_breaks_a_query(shared, terms):
    with shared.read() as view:
        for query in (
            search.any_of(terms),
            search.all_of(terms),
            search.phrase(terms),
            search.prefix("".join(terms)),
        ):
            view.search.find(query)


@given(term=st.text(string.ascii_lowercase + string.punctuation + "éж", min_size=1, max_size=8))
def test_a_stored_term_is_found_by_itself(shared, term):
    with shared.write("lazy") as tx:
        trace_id = tx.traces.insert(NewTrace(text=term, terms=term, scope="s"))
        hits = tx.search.find(search.any_of([term]), limit=10_000)
        assert trace_id in {hit.id for hit in hits}
