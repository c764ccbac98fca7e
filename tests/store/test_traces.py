from __future__ import annotations

import pytest

from realmemory.errors import NotFoundError, StoreCorruptError, StoreError
from realmemory.store.records import Dynamics, Link, LinkType, NewTrace
from realmemory.types import Kind, Origin, Status


def add(store, text="PostgreSQL 16 is the database", scope="shop", **fields):
    with store.write() as tx:
        return tx.traces.insert(
            NewTrace(text=text, terms=text.lower(), scope=scope, **fields),
        )


def test_a_trace_comes_back_as_it_was_written(store, clock):
    with store.write() as tx:
        space = tx.spaces.id_of("hashing", 2)
        trace_id = tx.traces.insert(
            NewTrace(
                text="Zoë pays 5 €\r\n",
                terms="zoë pays 5",
                scope="shop",
                kind=Kind.SEMANTIC,
                origin=Origin.AGENT,
                author="ann",
                observed_at=5.0,
                tags=("money", "people"),
                meta={"ключ": [1, None]},
                importance=0.5,
                session_id="s1",
                turn_index=3,
                embedding=b"\0\0\x80?\0\0\0\0",
                space_id=space,
            )
        )
    with store.read() as view:
        trace = view.traces.get(trace_id)
        assert view.spaces.vectors([trace_id]) == {trace_id: (space, b"\0\0\x80?\0\0\0\0")}
        assert view.traces.id_of_uid(trace.uid) == trace_id
    assert trace.text == "Zoë pays 5 €\r\n"
    assert (trace.kind, trace.origin, trace.author) == (Kind.SEMANTIC, Origin.AGENT, "ann")
    assert (trace.created_at, trace.observed_at, trace.valid_from) == (clock.now(), 5.0, 5.0)
    assert (trace.tags, trace.meta) == (("money", "people"), {"ключ": [1, None]})
    assert (trace.session_id, trace.turn_index, trace.space_id) == ("s1", 3, space)


def test_an_unknown_id_is_named(store):
    with store.read() as view, pytest.raises(NotFoundError, match="77"):
        view.traces.get(77)


def test_ids_are_never_used_twice(store):
    first = add(store)
    with store.write() as tx:
        tx.traces.delete([first])
    assert add(store) > first


def test_spellings_of_one_scope_meet_under_the_first(store):
    one, two = add(store, scope="My-App"), add(store, scope="my_app")
    with store.read() as view:
        assert {view.traces.get(one).scope, view.traces.get(two).scope} == {"My-App"}
        assert view.scopes.find("MY.APP") == view.scopes.find("My-App")
        assert view.scopes.find("other") is None


def test_filters_of_a_page_apply_before_its_limit(store):
    wanted = [add(store, f"fact {n}", "mine", tags=("t",)) for n in range(3)]
    for n in range(30):
        add(store, f"noise {n}", "other")
    with store.read() as view:
        scope = view.scopes.find("mine")
        page = view.traces.page(scope_ids=[scope], tag="t", limit=2)
        rest = view.traces.page(scope_ids=[scope], after=page[-1].id)
        newest = view.traces.page(scope_ids=[scope], newest_first=True, limit=1)
    assert [trace.id for trace in page + rest] == wanted
    assert newest[0].id == wanted[-1]


def test_changes_since_a_rev_cost_only_what_changed(store):
    first, second = add(store, "one"), add(store, "two")
    with store.read() as view:
        seen = view.rev()
    with store.write() as tx:
        tx.traces.set_dynamics([Dynamics(second, 0.75, 1, 9.0)])
    with store.read() as view:
        feed = view.traces.changes_since(seen)
        rows = list(feed.rows)
    assert not feed.needs_rebuild
    assert [(row.id, row.base_strength) for row in rows] == [(second, 0.75)]
    assert rows[0].content_rev <= seen < rows[0].rev == feed.rev
    with store.write() as tx:
        tx.traces.delete([first])
    with store.read() as view:
        feed = view.traces.changes_since(rows[0].rev)
        assert (feed.removed, list(feed.rows)) == ((first,), [])


def test_a_reader_behind_the_pruned_tombstones_rebuilds(store, clock):
    first, second = add(store, "one"), add(store, "two")
    with store.write() as tx:
        tx.traces.delete([first])
    clock.advance(10)
    with store.write() as tx:
        assert tx.traces.prune_tombstones(clock.now()) == 1
    with store.read() as view:
        feed = view.traces.changes_since(1)
        assert feed.needs_rebuild
        assert [row.id for row in feed.rows] == [second]
        assert not view.traces.changes_since(view.rev()).needs_rebuild


def test_kept_wordings_are_found_by_keyword_and_reach_the_index(store):
    trace_id = add(store, "the db is postgres")
    with store.write() as tx:
        added = tx.variants.add(trace_id, "we use pg", terms="the db is postgres we use pg")
        assert tx.variants.add(trace_id, "we use pg", terms="-") is None
        assert tx.variants.add(trace_id, "the db is postgres", terms="-") is None
    with store.read() as view:
        assert [variant.id for variant in view.variants.of(trace_id)] == [added]
        assert view.traces.indexed_text(trace_id) == "the db is postgres\nwe use pg"
        assert [row.text for row in view.traces.index_rows([trace_id])] == [
            "the db is postgres\nwe use pg"
        ]
        assert view.traces.ids_with_text("we use pg") == [trace_id]


def test_deleting_leaves_a_tombstone_and_nothing_that_hangs_on_the_trace(store):
    old, new = add(store, "old secret"), add(store, "new")
    with store.write() as tx:
        tx.traces.set_status([old], Status.SUPERSEDED, valid_to=8.0, superseded_by=new)
        tx.variants.add(new, "newer", terms="new newer")
        tx.links.put([Link(old, new, LinkType.PLASTIC, 0.5, 1.0)])
        tx.usage.used([new], 4.0)
        seen = tx.bumped
    with store.write() as tx:
        (stone,) = tx.traces.delete([new, 99])
    with store.read() as view:
        assert list(view.traces.buried([stone.uid])) == [stone.uid]
        assert view.traces.get(old).superseded_by is None
        assert view.links.of([old]) == []
        assert view.links.changes_since(seen).removed == ((old, new, LinkType.PLASTIC),)
        assert view.variants.of(new) == []
        assert view.usage.of([new]) == {}


def test_history_follows_supersession_both_ways(store):
    first, second, third = (add(store, text, observed_at=n) for n, text in enumerate("abc"))
    with store.write() as tx:
        tx.traces.set_status([first], Status.SUPERSEDED, valid_to=1.0, superseded_by=second)
        tx.traces.set_status([second], Status.SUPERSEDED, valid_to=2.0, superseded_by=third)
    with store.read() as view:
        for trace_id in (first, second, third):
            assert [t.id for t in view.traces.history(trace_id)] == [first, second, third]
        ends = view.succession.ends([first, second, third, third + 1])
        assert ends == dict.fromkeys((first, second, third), third)
        assert view.succession.after(first) == [second, third]
        assert view.succession.after(third) == []


def test_what_was_replaced_is_found_behind_what_is_in_the_archive(store):
    first, second, third = (add(store, text) for text in "abc")
    with store.write() as tx:
        tx.traces.set_status([first], Status.SUPERSEDED, valid_to=1.0, superseded_by=second)
        tx.traces.set_status([second], Status.SUPERSEDED, valid_to=2.0, superseded_by=third)
    with store.read() as view:
        assert view.succession.replaced_by([third]) == [second]
    with store.write() as tx:
        tx.traces.set_status([second], Status.ARCHIVED)
        assert tx.succession.replaced_by([third]) == [first]


def test_a_chain_that_was_damaged_into_a_ring_ends(store):
    first, second = add(store, "a"), add(store, "b")
    with store.write() as tx:
        tx.traces.set_status([first], Status.ARCHIVED, superseded_by=second)
        tx.traces.set_status([second], Status.ARCHIVED, superseded_by=first)
    with store.read() as view:
        assert view.succession.after(first) == [second, first]
        assert view.succession.ends([first]) == {}
        assert view.succession.replaced_by([first]) == []


def test_a_flipped_bit_in_a_row_is_never_recalled(store):
    trace_id = add(store, "the limit is 100")
    with store.write() as tx:
        tx._session.run("UPDATE traces SET text = 'the limit is 900' WHERE id = ?", (trace_id,))
    with store.read() as view:
        assert view.traces.get_many([trace_id]) == {}
        with pytest.raises(StoreCorruptError) as caught:
            view.traces.get(trace_id)
    assert caught.value.code == "corrupt"


def test_every_change_seals_the_row_again(store):
    trace_id, other = add(store), add(store, "other")
    with store.write() as tx:
        tx.traces.pin([trace_id])
        tx.traces.set_kind([trace_id], Kind.SEMANTIC)
        tx.traces.set_importance([trace_id], 1)
        tx.traces.set_expiry([trace_id], 3)
        tx.traces.merge_meta(trace_id, {"a": 1}, ("x",))
        tx.traces.set_validity(trace_id, valid_from=1, valid_to=2, successor=other)
        tx.traces.set_embeddings(tx.spaces.id_of("m", 1), {trace_id: b"\0\0\0\0"})
    with store.read() as view:
        trace = view.traces.get(trace_id)
    assert (trace.pinned, trace.kind, trace.expires_at) == (True, Kind.SEMANTIC, 3.0)
    assert (trace.meta, trace.tags) == ({"a": 1}, ("x",))


def test_a_view_is_refused_after_its_block(store):
    with store.read() as view:
        pass
    with pytest.raises(StoreError) as caught:
        view.traces.get(1)
    assert caught.value.code == "closed"


def test_an_unfinished_stream_does_not_pin_a_snapshot(store):
    with store.write() as tx:
        for n in range(300):
            tx.traces.insert(NewTrace(text=f"fact {n}", terms="fact", scope="shop"))
    with store.read() as view:
        next(view.traces.changes_since(0).rows)
    add(store, "late")
    assert store.checkpoint().emptied
    with store.read() as view:
        assert len(list(view.traces.changes_since(0).rows)) == 301
