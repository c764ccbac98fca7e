"""The test of erasing is a raw scan of every byte in the folder."""

from __future__ import annotations

import os
import random

import pytest

from realmemory.errors import StoreError
from realmemory.store.records import NewTrace, Passage

SECRET = "xyzzy-7f3c-passphrase-of-the-vault"
DEAD = 2**22 + 1  # more than a pid can be


def holders(folder):
    needle = SECRET.encode()
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()
    )


@pytest.fixture
def planted(store):
    words = random.Random(3)
    with store.write() as tx:
        for n in range(400):
            text = " ".join(f"w{words.randrange(500)}" for _ in range(words.randrange(5, 90)))
            tx.traces.insert(NewTrace(text=text, terms=text, scope="s"))
            if n == 200:
                target = tx.traces.insert(
                    NewTrace(
                        text=f"the vault opens with {SECRET}",
                        terms=f"vault open {SECRET}",
                        scope="s",
                        meta={"note": SECRET},
                        embedding=SECRET.encode() + b"00",
                        space_id=tx.spaces.id_of("m", 9),
                    )
                )
                tx.passages.replace(target, [Passage(target, 0, 0, 4, SECRET.encode())])
                tx.variants.add(target, f"again: {SECRET}", terms=f"vault open {SECRET} again")
    return target


def test_erased_text_is_in_no_file(store, planted):
    assert holders(store.directory) != []
    receipt = store.erase([planted, 99_999])
    assert receipt.deleted == (planted,)
    assert (receipt.remaining_copies, receipt.wal_emptied) == ((), True)
    assert holders(store.directory) == []
    assert store.verify().ok


def test_copies_that_remain_in_backups_are_named(store, planted):
    saved = store.backup()
    clean_after = store.erase([planted])
    assert clean_after.remaining_copies == (str(saved.path),)
    assert holders(store.directory) == [saved.path.name]


def test_backups_are_rewritten_on_request(store, planted):
    saved = store.backup()
    receipt = store.erase([planted], rewrite_backups=True)
    assert receipt.rewritten_backups == (str(saved.path),)
    assert receipt.remaining_copies == ()
    assert holders(store.directory) == []
    assert [info.path for info in store.backups()] == [saved.path]


def test_an_erasure_that_stops_halfway_says_so_and_can_be_finished(store, planted):
    saved = store.backup()
    obstacle = saved.path.with_name(f".backup.{os.getpid()}.tmp")
    obstacle.mkdir()
    with pytest.raises(StoreError, match="are deleted, but") as caught:
        store.erase([planted], rewrite_backups=True)
    assert caught.value.code == "erase_unfinished"
    with store.read() as view:
        assert view.traces.get_many([planted]) == {}
    obstacle.rmdir()
    assert store.erase([planted], rewrite_backups=True).rewritten_backups == (str(saved.path),)
    assert holders(store.directory) == []


def test_a_reader_that_pins_the_log_is_reported(store, planted):
    with store.read() as view:
        view.traces.get(planted)
        assert not store.erase([planted]).wal_emptied
    assert store.checkpoint().emptied
    assert holders(store.directory) == []


def test_rows_that_moved_between_pages_leave_no_trace(store):
    generator = random.Random(11)
    secrets = []
    for _ in range(30):
        with store.write() as tx:
            for _ in range(20):
                text = "".join(generator.choices("abcdef", k=generator.randrange(20, 3000)))
                secrets.append(
                    (tx.traces.insert(NewTrace(text=text, terms=text[:9], scope="s")), text)
                )
        generator.shuffle(secrets)
        doomed, secrets = secrets[:10], secrets[10:]
        store.erase(trace_id for trace_id, _ in doomed)
        content = store.paths.database.read_bytes() + store.paths.wal.read_bytes()
        for _, text in doomed:
            assert text[:40].encode() not in content


def test_snapshots_of_the_index_go_with_what_they_may_hold(store):
    store.paths.index.mkdir()
    (store.paths.index / "3.index").write_bytes(b"derived from every text")
    (store.paths.index / "current").write_text("3.index")
    with store.write() as tx:
        known = tx.traces.insert(NewTrace(text="kept", terms="kept", scope="global"))
    store.erase([known])
    assert list(store.paths.index.iterdir()) == []


def test_what_killed_processes_left_half_written_is_erased_too(store, planted):
    store.backup()
    copy = (store.paths.backups / f".backup.{DEAD}.tmp", store.directory / f".repair.{DEAD}.tmp")
    for path in (*copy, store.directory / f".restore.{DEAD}.tmp-wal"):
        path.write_bytes(SECRET.encode())
    store.erase([planted], rewrite_backups=True)
    assert holders(store.directory) == []
