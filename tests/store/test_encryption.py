"""An encrypted memory: no text in the clear in any of its files, and clear words for every wrong key."""

from __future__ import annotations

import os
import pickle
import shutil

import pytest

from realmemory import Hippocampus, Key
from realmemory.clock import SystemClock
from realmemory.core.text import fts_terms
from realmemory.errors import ConfigurationError, StoreCorruptError, StoreError, StoreRefusedError
from realmemory.places import FILE_VARIABLE, KEY_VARIABLE, SEAL
from realmemory.store import backups, opening
from realmemory.store.connection import Access, connect
from realmemory.store.glance import look
from realmemory.store.paths import StorePaths
from realmemory.store.repair import repair
from realmemory.store.resealing import reseal
from realmemory.store.restoring import restore
from realmemory.store.sealing import keep_keys
from realmemory.store.verification import verify

PLANTED = "The planted heliotrope stands in Vienna"
PAGE = 4096


@pytest.fixture
def key():
    return Key.generate()


@pytest.fixture
def memory(folder, key):
    """An encrypted memory that has done all that writes files, closed."""
    with Hippocampus.open(folder, key=key) as opened:
        opened.remember(PLANTED)
        opened.remember_many(
            [f"Parcel {number} left for berth {number * 7}" for number in range(150)]
        )
        opened.recall("where is the heliotrope?")
        opened.context.store.backup()
        opened.consolidate()
        opened.remember("The heliotrope was watered")
    return folder


def showing(folder, *words):
    """The files that hold one of some words, as text or as terms of the index."""
    wanted = [word.encode() for word in words or ("heliotrop", "Parcel", "parcel")]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if any(word in path.read_bytes() for word in wanted)]


def contents(folder):
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name in {"memory.db", "memory.db-wal", SEAL, "store.mark"}
    }


def test_no_file_of_an_encrypted_memory_holds_its_text(memory, key):
    assert not showing(memory)
    assert not list((memory / "index").glob("*"))
    with Hippocampus.open(memory, key=key) as opened:
        opened.remember("The heliotrope blooms in June", force_new=True)
        # The log is not empty now, and nothing was closed.
        assert opened.context.store.wal_size() > 0
        assert not showing(memory)
        assert PLANTED in [hit.text for hit in opened.recall("where is the heliotrope?").items]
        assert opened.context.store.verify(fts_terms).ok


def test_a_plain_memory_is_as_it_was(folder):
    with Hippocampus.open(folder) as opened:
        opened.remember(PLANTED)
    assert showing(folder)
    assert not (folder / SEAL).exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "no key was given"),
        ("", "no key was given"),
        (Key.generate(), "another key than the one given"),
        ("ab" * 32, "another key than the one given"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_wrong_or_missing_key_is_told_and_nothing_is_changed(memory, given, words, read_only):
    before = contents(memory)
    with pytest.raises(StoreRefusedError, match=words) as caught:
        Hippocampus.open(memory, key=given, read_only=read_only)
    assert caught.value.code == "encrypted"
    assert not isinstance(caught.value, StoreCorruptError)
    assert contents(memory) == before


def test_a_wrong_key_beside_a_log_that_is_not_empty_is_no_damage(memory, key):
    with Hippocampus.open(memory, key=key) as opened:
        opened.remember("Something else stands in the log", force_new=True)
        copy = shutil.copytree(memory, memory.with_name("copy"))
    for check in (
        lambda: Hippocampus.open(copy, key=Key.generate()),
        lambda: verify(StorePaths(copy, Key.generate()), SystemClock()),
        lambda: verify(StorePaths(copy), SystemClock()),
        lambda: repair(copy, clock=SystemClock(), analyse=fts_terms, key=Key.generate()),
        lambda: look(str(copy)),
    ):
        with pytest.raises(StoreRefusedError) as caught:
            check()
        assert caught.value.code == "encrypted"
    with Hippocampus.open(copy, key=key) as opened:
        assert opened.recall("what stands in the log?").items


def test_a_key_for_a_memory_in_the_clear_is_refused(folder, key):
    Hippocampus.open(folder).close()
    before = contents(folder)
    with pytest.raises(StoreRefusedError, match="is not encrypted, but a key was given") as caught:
        Hippocampus.open(folder, key=key)
    assert caught.value.code == "encrypted"
    assert contents(folder) == before


def test_a_plain_file_in_place_of_an_encrypted_one_is_not_taken_for_it(memory, tmp_path):
    Hippocampus.open(tmp_path / "other").close()
    for suffix in ("-wal", "-shm"):
        (memory / f"memory.db{suffix}").unlink(missing_ok=True)
    shutil.copyfile(tmp_path / "other" / "memory.db", memory / "memory.db")
    with pytest.raises(StoreRefusedError, match="somebody may have put another file") as caught:
        Hippocampus.open(memory)
    assert caught.value.code == "encrypted"


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "ab" * 33])
def test_what_is_no_key_is_refused_without_being_repeated(text):
    with pytest.raises(ConfigurationError) as caught:
        Key.parse(text)
    assert caught.value.code == "invalid_key"
    assert not text or text not in caught.value.message


def test_a_key_does_not_show_itself(key):
    assert key.hex() not in f"{key} {key!r} {vars(StorePaths) and StorePaths(None, key)!r}"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_a_key_from_the_environment_opens_and_makes(folder, key, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, key.hex())
    with Hippocampus.open(folder) as opened:
        opened.remember(PLANTED)
    assert not showing(folder)
    view = look(str(folder))
    assert view is not None
    assert view.size() == 1
    view.close()
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(StoreRefusedError, match="no key was given"):
        look(str(folder))


def test_a_key_file_is_found_again_by_itself_and_read_by_its_owner_only(
    folder, tmp_path, monkeypatch
):
    place = tmp_path / "keys" / "memory.key"
    keep_keys(place, (Key.generate(),))
    monkeypatch.setenv(FILE_VARIABLE, str(place))
    Hippocampus.open(folder).close()
    monkeypatch.delenv(FILE_VARIABLE)
    Hippocampus.open(folder).close()
    place.chmod(0o640)
    if os.name == "posix":
        with pytest.raises(ConfigurationError, match="can be read by others") as caught:
            Hippocampus.open(folder)
        assert caught.value.code == "unsafe_key"
    place.unlink()
    with pytest.raises(StoreRefusedError, match="Its key was kept in") as refused:
        Hippocampus.open(folder)
    assert refused.value.code == "encrypted"


def test_a_key_in_the_folder_that_it_opens_is_refused(folder):
    (kept,) = keep_keys(folder / "memory.key", (Key.generate(),))
    with pytest.raises(ConfigurationError, match="whoever has the folder has the key") as caught:
        Hippocampus.open(folder, key=kept)
    assert caught.value.code == "unsafe_key"


def test_encrypting_leaves_nothing_in_the_clear_and_decrypting_brings_it_back(folder, key):
    with Hippocampus.open(folder) as opened:
        opened.remember(PLANTED)
        opened.remember_many(
            [f"Parcel {number} left for berth {number * 7}" for number in range(1200)]
        )
        opened.context.store.backup("labelled")
        opened.consolidate()
    assert {path.suffix for path in showing(folder)} == {".db", ".index"}
    report = reseal(StorePaths(folder), key)
    assert not showing(folder)
    assert len(report.converted) == 2
    assert not report.left
    second = Key.generate()
    before = (folder / "memory.db").read_bytes()
    reseal(StorePaths(folder, key), second)
    after = (folder / "memory.db").read_bytes()
    assert not any(
        before[at : at + PAGE] == after[at : at + PAGE] for at in range(0, len(after), PAGE)
    )
    with pytest.raises(StoreRefusedError, match="another key"):
        Hippocampus.open(folder, key=key)
    with Hippocampus.open(folder, key=second) as opened:
        assert opened.recall("where is the heliotrope?").items[0].text == PLANTED
        for info in opened.context.store.backups():
            assert backups.verify(info.path, full=True, rows=True, key=second)
            with pytest.raises(StoreRefusedError) as caught:
                backups.verify(info.path, key=key)
            assert caught.value.code == "encrypted"
    reseal(StorePaths(folder, second), None)
    assert not (folder / SEAL).exists()
    with Hippocampus.open(folder) as opened:
        assert opened.recall("where is the heliotrope?").items[0].text == PLANTED
        assert opened.context.store.verify(fts_terms).ok


def test_who_has_the_memory_open_is_told_when_it_is_encrypted(folder, key):
    with Hippocampus.open(folder) as opened:
        opened.remember(PLANTED)
        reseal(StorePaths(folder), key)
        with pytest.raises(StoreError) as caught:
            opened.remember("One more")
        assert caught.value.code == "store_replaced"
    assert not showing(folder)


def test_a_copy_that_cannot_be_read_is_named(folder, key):
    with Hippocampus.open(folder) as opened:
        opened.remember(PLANTED)
        info = opened.context.store.backup()
    info.path.write_bytes(info.path.read_bytes()[:5000])
    report = reseal(StorePaths(folder), key)
    assert report.left == (info.path,)


def test_a_backup_is_restored_encrypted(memory, key):
    with Hippocampus.open(memory, key=key) as opened:
        (info, *_) = opened.context.store.backups()
        opened.remember("Written after the backup", force_new=True)
    restore(memory, info.path, clock=SystemClock(), key=key)
    assert not showing(memory)
    with Hippocampus.open(memory, key=key) as opened:
        assert opened.recall("where is the heliotrope?").items[0].text == PLANTED
    # Beside a memory with a key a plain copy does not stay plain.
    plain = memory.with_name("plain.db")
    reseal(StorePaths(shutil.copytree(memory, memory.with_name("copy")), key), None)
    shutil.copyfile(memory.with_name("copy") / "memory.db", plain)
    restore(memory, plain, clock=SystemClock(), key=key)
    assert not showing(memory)


def test_erasing_empties_an_encrypted_file_too(memory, key):
    with Hippocampus.open(memory, key=key) as opened:
        (found,) = [
            hit for hit in opened.recall("where is the heliotrope?").items if hit.text == PLANTED
        ]
        receipt = opened.context.store.erase([found.memory_id], rewrite_backups=True)
        assert receipt.rewritten_backups
        assert not receipt.remaining_copies
    assert not showing(memory)
    connection = connect(StorePaths(memory, key), Access.READ)
    try:
        # Decrypted, nothing of it is left between the rows.
        assert PLANTED.encode() not in bytes(connection.serialize("main"))
    finally:
        connection.close()


@pytest.mark.parametrize("damaged", [(1,), (3,), (1, 4, 5)])
def test_damaged_pages_are_found_and_cost_themselves_only(memory, key, damaged):
    with Hippocampus.open(memory, key=key) as opened:
        opened.context.store.checkpoint()
    raw = bytearray((memory / "memory.db").read_bytes())
    for number in damaged:
        raw[(number - 1) * PAGE + 700] ^= 1
    (memory / "memory.db").write_bytes(raw)
    report = verify(StorePaths(memory, key), SystemClock())
    assert "damaged_pages" in {finding.code for finding in report.findings}
    if 1 in damaged:
        with pytest.raises(StoreCorruptError, match="its key is the right one"):
            Hippocampus.open(memory, key=key)
    repair(memory, clock=SystemClock(), analyse=fts_terms, key=key)
    assert not showing(memory)
    with Hippocampus.open(memory, key=key) as opened:
        assert opened.context.store.verify(fts_terms).ok
        assert opened.stats()["memories_active"] > 130


def test_temporary_tables_stay_in_memory(memory, key):
    connection = connect(StorePaths(memory, key), Access.WRITE)
    try:
        assert "TEMP_STORE=2" in [row[0] for row in connection.execute("PRAGMA compile_options")]
        assert connection.pragma("temp_store") in {0, 2}
    finally:
        connection.close()
    assert opening.in_file(StorePaths(memory, key)) is not None
