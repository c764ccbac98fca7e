"""The smaller repositories: links, eligibility, usage, journal, audit and meta."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from realmemory.errors import InvalidInputError, NotFoundError
from realmemory.store import row_hash, uids
from realmemory.store.links import Links
from realmemory.store.records import (
    Eligibility,
    Event,
    Link,
    LinkType,
    NewTrace,
    Passage,
)


@pytest.fixture
def three(store):
    with store.write() as tx:
        return [
            tx.traces.insert(NewTrace(text=text, terms=text, scope="s")) for text in ("a", "b", "c")
        ]


def test_out_degree_is_bounded_and_the_weakest_go(store, three):
    a, b, c = three
    with store.write() as tx:
        tx.links.put([Link(a, b, LinkType.PLASTIC, 0.1, 1.0), Link(a, c, LinkType.RELATED, 1, 1)])
        seen = tx.bumped
    with store.write() as tx:
        tx.links.put([Link(a, c, LinkType.PLASTIC, 0.9, 2.0)], max_out_degree=1)
    with store.read() as view:
        assert [(link.dst, link.type) for link in view.links.of([a])] == [
            (c, LinkType.PLASTIC),
            (c, LinkType.RELATED),
        ]
        feed = view.links.changes_since(seen)
        assert feed.removed == ((a, b, LinkType.PLASTIC),)
        assert [link.weight for link in feed.rows] == [0.9]
        assert (view.links.count(), view.links.count(LinkType.PLASTIC)) == (2, 1)


def test_links_need_two_ends_that_exist(store, three):
    a = three[0]
    with store.write() as tx:
        assert (
            tx.links.put([Link(a, a, LinkType.RELATED, 1, 1), Link(a, 99, LinkType.RELATED, 1, 1)])
            == 0
        )
        assert tx.links.remove([(a, 99, LinkType.RELATED)]) == 0
        assert tx.links.count() == 0


def test_conflicts_are_read_from_both_sides(store, three):
    a, b, c = three
    with store.write() as tx:
        tx.links.connect(a, b, LinkType.CONFLICT)
        tx.links.connect(c, a, LinkType.CONFLICT)
    with store.read() as view:
        assert view.links.conflicts_of([a, b]) == {a: (b, c), b: (a,)}


def test_links_of_a_few_traces_are_found_by_their_ends(store):
    """Not by their type, which a hundred thousand may share."""
    plans = []
    with store.read() as view:

        def explained(sql, bound):
            plans.extend(row[3] for row in view._session.all(f"EXPLAIN QUERY PLAN {sql}", bound))
            return []

        links = Links(SimpleNamespace(all=explained))
        links.conflicts_of([1, 2])
        links.outgoing([1, 2], LinkType.PLASTIC)
    searched = [plan for plan in plans if " links " in plan]
    assert len(searched) == 3
    assert all("(src=?)" in plan or "(dst=?)" in plan for plan in searched)


def test_binds_are_scaled_by_reward_and_drained_once(store, three):
    a, b, c = three
    with store.write() as tx:
        added = tx.eligibility.add(
            [
                Eligibility(a, b, 0.5, 1.0, "recall"),
                Eligibility(b, c, -0.25, 2.0),
                Eligibility(a, 99, 1.0, 3.0),
            ]
        )
        assert (added, tx.eligibility.count()) == (2, 2)
        assert tx.eligibility.scale([a], 2.0) == 1
    with store.write() as tx:
        assert [(bind.strength, bind.cause) for bind in tx.eligibility.drain()] == [
            (1.0, "recall"),
            (-0.25, ""),
        ]
        assert tx.eligibility.drain() == []


def test_usage_is_counted_without_touching_the_trace(store, three):
    a = three[0]
    with store.read() as view:
        before = view.rev()
    with store.write("lazy") as tx:
        tx.usage.recalled([a, 99], 5.0)
        tx.usage.recalled([a], 6.0)
        tx.usage.used([a], 7.0)
    with store.read() as view:
        usage = view.usage.of([a, 99])
        assert list(usage) == [a]
        assert (usage[a].recalled, usage[a].used) == (2, 1)
        assert (usage[a].last_recalled_at, usage[a].last_used_at) == (6.0, 7.0)
        assert view.usage.totals() == (2, 1)
        assert view.rev() == before


def test_the_journal_pages_counts_and_rotates(store):
    with store.write("lazy") as tx:
        tx.journal.append_many(
            Event(float(n), "recall" if n % 2 else "write", {"n": n}) for n in range(10)
        )
    with store.write("lazy") as tx:
        assert tx.journal.counts() == {"recall": 5, "write": 5}
        assert [e.data["n"] for e in tx.journal.page(types=["write"], limit=2)] == [0, 2]
        assert [e.data["n"] for e in tx.journal.page(newest_first=True, before=9, limit=2)] == [
            7,
            6,
        ]
        assert tx.journal.rotate(keep=3) == 7
        assert [e.data["n"] for e in tx.journal.page()] == [7, 8, 9]
        assert tx.journal.rotate(keep=3) == 0
        assert tx.journal.append("write", {}) == 11


def test_an_edited_audit_entry_is_found(store):
    with store.write() as tx:
        for n in range(4):
            tx.audit.append("ann", "forget", {"ids": [n]})
        assert tx.audit.first_broken() is None
        assert [entry.data["ids"] for entry in tx.audit.page(after=2)] == [[2], [3]]
        tx._session.run("UPDATE audit SET data = '{}' WHERE seq = 3")
        assert tx.audit.first_broken() == 3


def test_meta_keeps_texts_and_numbers(store):
    with store.write() as tx:
        tx.meta.set("last_sleep", 12.5)
        tx.meta.add("recalls", 2)
        tx.meta.add("recalls", 3)
        assert (tx.meta.number("last_sleep"), tx.meta.number("recalls")) == (12.5, 5.0)
        tx.meta.delete("recalls")
        assert (tx.meta.get("recalls"), tx.meta.number("recalls")) == (None, 0.0)
        assert tx.meta.all()["store_id"] == store.store_id


def test_the_first_space_is_the_current_one_until_told_otherwise(store):
    with store.write() as tx:
        assert tx.spaces.current() is None
        first, second = tx.spaces.id_of("hashing", 8), tx.spaces.id_of("static", 8)
        assert tx.spaces.id_of("hashing", 8) == first
        assert tx.spaces.current().id == first
        tx.spaces.set_current(second)
        assert tx.spaces.current().marker == "static"
        assert [space.id for space in tx.spaces.all()] == [first, second]


def test_vectors_that_are_missing_in_a_space_are_listed(store, three):
    with store.write() as tx:
        space = tx.spaces.id_of("hashing", 1)
        tx.traces.set_embeddings(space, {three[0]: b"\0\0\0\0", three[1]: None})
        assert tx.spaces.missing(space, limit=5) == [(three[1], "b"), (three[2], "c")]
        assert tx.spaces.missing(space, limit=5, after=three[1]) == [(three[2], "c")]
        assert tx.spaces.counts() == {space: 1, None: 2}


def test_scopes_are_validated_and_counted(store, three):
    with store.write() as tx:
        with pytest.raises(InvalidInputError):
            tx.scopes.id_of("../etc")
        with pytest.raises(NotFoundError):
            tx.scopes.id_of("unknown", create=False)
        found = {scope.name: scope.total for scope in tx.scopes.all()}
    assert found == {"global": 0, "s": 3}


def test_passages_are_replaced_as_a_whole(store, three):
    a = three[0]
    with store.write() as tx:
        tx.passages.replace(a, [Passage(a, n, n, n + 1, None) for n in range(3)])
    with store.write() as tx:
        tx.passages.replace(a, [Passage(a, 0, 0, 9, b"\0\0\0\0")])
        assert tx.passages.of([a]) == {a: [Passage(a, 0, 0, 9, b"\0\0\0\0")]}
        assert [part.trace_id for part in tx.passages.all()] == [a]
        assert [row.content_rev for row in tx.traces.index_rows([a])] == [tx.bumped]


def test_uids_are_version_7_and_sort_by_time():
    made = [uids.new_uid(now) for now in (-5.0, 0.0, 1.7e9, 1.7e9 + 0.002, 4e9)]
    assert made[1:] == sorted(made[1:])
    assert len(set(made)) == 5
    for uid in made:
        assert uid[14] == "7"
        assert uid[19] in "89ab"


def test_row_hashes_tell_types_and_borders_apart():
    rows = [
        ("a", "b"),
        ("ab", ""),
        (1, None),
        (1.0, None),
        (None, 1),
        ("1", None),
        (b"", None),
        ("",),
    ]
    assert len({row_hash.row_hash(*row) for row in rows}) == len(rows)
